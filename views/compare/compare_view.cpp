#include "views/compare/compare_view.h"

#include <QTabWidget>
#include <QToolButton>
#include <array>

#include "views/summary/summary_content.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

// The tables of a comparison in their order, with the places that their rows lead to.
struct TableTab {
    const char* title;
    const char* filterHint;
    const char* report;
};
constexpr std::array tableTabs{
    TableTab{QT_TRANSLATE_NOOP("CompareView", "Operations"),
             QT_TRANSLATE_NOOP("CompareView", "Filter operations"), "operations"},
    TableTab{QT_TRANSLATE_NOOP("CompareView", "Variables"),
             QT_TRANSLATE_NOOP("CompareView", "Filter variables"), "variables"},
    TableTab{QT_TRANSLATE_NOOP("CompareView", "Compute sets"),
             QT_TRANSLATE_NOOP("CompareView", "Filter compute sets"), "programs"},
    TableTab{QT_TRANSLATE_NOOP("CompareView", "Exchanges"),
             QT_TRANSLATE_NOOP("CompareView", "Filter exchanges"), "exchanges"},
    TableTab{QT_TRANSLATE_NOOP("CompareView", "Vertices"),
             QT_TRANSLATE_NOOP("CompareView", "Filter vertices"), "vertices"},
    TableTab{QT_TRANSLATE_NOOP("CompareView", "Programs"),
             QT_TRANSLATE_NOOP("CompareView", "Filter programs"), "programs"},
};
constexpr int operationsTable = 0;
constexpr int variablesTable = 1;
constexpr int computeSetsTable = 2;
constexpr int programsTable = 5;

} // namespace

CompareView::CompareView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , panel_(new LoadingPanel(context.workers))
    , tabs_(new QTabWidget)
    , perSample_(new QToolButton)
    , overview_(new OverviewPage(context))
    , chart_(new WaterfallChart(context)) {
    tabs_->setDocumentMode(true);
    tabs_->setUsesScrollButtons(true);
    tabs_->addTab(overview_, tr("Overview"));
    tables_.push_back(nullptr);
    addTab(tr("Memory"), tr("Filter causes"));
    addTab(tr("Cycles"), tr("Filter causes"), scrolled(chart_));
    addTab(tr("Plans"), tr("Filter plans"));
    addTab(tr("Aligned"), tr("Filter operations"));
    addTab(tr("Options"), tr("Filter options"));
    for (const TableTab& table : tableTabs)
        addTab(tr(table.title), tr(table.filterHint));
    for (const int tab :
         {+MemoryCauses, +CycleCauses, +Plans, +Aligned, FirstTable + operationsTable})
        table(tab)->follow(&Selected::operation);
    table(FirstTable + variablesTable)->follow(&Selected::variable);
    table(FirstTable + computeSetsTable)->follow(&Selected::computeSet);
    table(FirstTable + programsTable)->follow(&Selected::program);
    perSample_->setText(tr("Per sample"));
    perSample_->setCheckable(true);
    perSample_->setToolTip(tr("Divide memory of all tiles by the samples of a micro-batch, and "
                              "cycles by those of a run, so that other batch sizes compare"));
    auto* corner = new QWidget;
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 0, 8, 4);
    row->addWidget(perSample_);
    tabs_->setCornerWidget(corner);
    panel_->setContent(tabs_);
    inColumn(this, {panel_});
    connect(tabs_, &QTabWidget::currentChanged, this, &CompareView::loadTab);
    connect(perSample_, &QToolButton::toggled, this, &CompareView::showComparison);
    connect(overview_, &OverviewPage::operationChosen, this,
            [this](std::int32_t id) { table(FirstTable + operationsTable)->chosen(id); });
    connect(overview_, &OverviewPage::placeWanted, this, &CompareView::goTo);
    connect(overview_, &OverviewPage::traceWanted, this, &CompareView::traceWanted);
    connect(overview_, &OverviewPage::plansWanted, this, [this] { tabs_->setCurrentIndex(Plans); });
}

void CompareView::addTab(const QString& title, const QString& filterHint, QWidget* above) {
    const int tab = tabs_->count();
    auto* table = new TablePanel(context(), filterHint);
    table->view().setAccessibleName(title);
    tables_.push_back(table);
    if (above == nullptr) {
        tabs_->addTab(table, title);
    } else {
        QSplitter* both = splitOf(Qt::Vertical, above, table, 3, 2);
        // Only the proportion counts, but numbers below what the table needs would not.
        both->setSizes({6000, 4500});
        tabs_->addTab(both, title);
    }
    connect(table, &TablePanel::chosen, this, [this](std::int32_t id) {
        if (id < 0)
            emit status(tr("Only the target has this: swap source and target to follow it"));
    });
    connect(table, &TablePanel::activated, this, [this, tab](std::int32_t id) { follow(tab, id); });
}

void CompareView::focusSearch() {
    if (tabs_->currentIndex() == Overview)
        tabs_->setCurrentIndex(FirstTable + operationsTable);
    table(tabs_->currentIndex())->focusFilter();
}

void CompareView::reload() {
    comparison_.reset();
    divided_.reset();
    if (!comparing()) {
        panel_->showMessage(
            tr("Only one profile is open"),
            tr("Open a second one with File > Compare with… (Ctrl+Shift+O), or drop two "
               "profiles on the window. Then every report shows both."));
        return;
    }
    panel_->load([this, pair = profiles()](const std::stop_token& stop) {
        ComparisonPtr comparison = comparisonOf(pair, stop);
        std::optional<Waterfall> waterfall = waterfallBetween(*pair.source, *pair.target, stop);
        const StepId peak = pair.matching->sourceOf(comparison->targetPeak, stop);
        return [this, comparison = std::move(comparison), waterfall = std::move(waterfall),
                peak]() mutable {
            comparison_ = std::move(comparison);
            targetPeak_ = peak;
            chart_->setWaterfall(std::move(waterfall));
            showComparison();
        };
    });
}

void CompareView::showComparison() {
    if (!comparison_)
        return;
    if (perSample_->isChecked() && !divided_)
        divided_ = std::make_shared<const Comparison>(tilescope::perSample(*comparison_));
    overview_->setComparison(shownComparison(), targetPeak_);
    overview_->selectOperation(context().selection.current().operation);
    loadTab();
}

const ComparisonPtr& CompareView::shownComparison() const {
    return perSample_->isChecked() ? divided_ : comparison_;
}

TablePanel::MakeTable CompareView::maker(int tab) const {
    return [tab, comparison = shownComparison(), pair = profiles()](std::stop_token) {
        switch (tab) {
        case MemoryCauses:
            return causesTable(*comparison, Unit::Bytes);
        case CycleCauses:
            return causesTable(*comparison, Unit::Cycles);
        case Plans:
            return tilescope::plansTable(*comparison);
        case Aligned:
            return alignedTable(*comparison);
        case Options:
            return optionsTable(pair);
        default:
            return changesTable(comparison->tables.at(static_cast<std::size_t>(tab - FirstTable)),
                                ComparedRows::All);
        }
    };
}

void CompareView::loadTab() {
    const int tab = tabs_->currentIndex();
    if (comparison_ && tab != Overview)
        table(tab)->load(maker(tab));
}

void CompareView::follow(int tab, std::int32_t id) {
    if (id < 0 || tab == Options)
        return;
    if (tab >= FirstTable) {
        emit reportWanted(
            QLatin1String(tableTabs.at(static_cast<std::size_t>(tab - FirstTable)).report));
        return;
    }
    if (tab == MemoryCauses)
        return goTo(QStringLiteral("liveness"), id, comparison_->sourcePeak);
    if (tab != Aligned)
        return goTo(QStringLiteral("operations"), id, {});
    for (const AlignedOperation& o : comparison_->aligned)
        if (o.source.value() == id)
            return goTo(QStringLiteral("liveness"), id, o.sourceStep);
}

void CompareView::goTo(const QString& report, std::int32_t operation, StepId step) {
    context().selection.update([&](Selected& s) {
        if (operation >= 0)
            s.operation = OperationId(operation);
        if (step.valid())
            s.step = step;
    });
    emit reportWanted(report);
}

void CompareView::followSelection() {
    if (!comparison_)
        return;
    overview_->selectOperation(context().selection.current().operation);
}

} // namespace tilescope::views
