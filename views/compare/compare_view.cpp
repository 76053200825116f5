#include "views/compare/compare_view.h"

#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include "views/compare/compare_pages.h"
#include "views/summary/summary_content.h"
#include "views/widgets/parts.h"

namespace tilescope::views {

CompareView::CompareView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , panel_(new LoadingPanel(context.workers))
    , groups_(new QTabWidget)
    , perSample_(new QToolButton)
    , overview_(new OverviewPage(context))
    , chart_(new WaterfallChart(context)) {
    makeGroups();
    for (const Page page :
         {Page::MemoryCauses, Page::CycleCauses, Page::Plans, Page::Aligned, Page::Operations})
        table(page)->follow(&Selected::operation);
    table(Page::Variables)->follow(&Selected::variable);
    table(Page::ComputeSets)->follow(&Selected::computeSet);
    table(Page::Programs)->follow(&Selected::program);
    perSample_->setText(tr("Per sample"));
    perSample_->setCheckable(true);
    perSample_->setToolTip(tr("Divide memory of all tiles by the samples of a micro-batch, and "
                              "cycles by those of a run, so that batch sizes can be compared. "
                              "Memory of a single tile is not divided"));
    auto* corner = new QWidget;
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 0, 8, 4);
    row->addWidget(perSample_);
    groups_->setCornerWidget(corner);
    panel_->setContent(groups_);
    inColumn(this, {panel_});
    connect(groups_, &QTabWidget::currentChanged, this, &CompareView::loadPage);
    connect(perSample_, &QToolButton::toggled, this, &CompareView::showComparison);
    connect(chart_, &WaterfallChart::stepChosen, this, &CompareView::followBar);
    connect(overview_, &OverviewPage::operationChosen, this,
            [this](std::int32_t id) { table(Page::Operations)->chosen(id); });
    connect(overview_, &OverviewPage::placeWanted, this, &CompareView::goTo);
    connect(overview_, &OverviewPage::traceWanted, this, &CompareView::traceWanted);
    connect(overview_, &OverviewPage::plansWanted, this, [this] { showPage(Page::Plans); });
}

void CompareView::makeGroups() {
    groups_->setDocumentMode(true);
    widgets_[0] = overview_;
    groups_->addTab(overview_, groupTitle(0));
    inner_.push_back(nullptr);
    for (int group = 1; group < compareGroups; ++group) {
        auto* tabs = new QTabWidget;
        tabs->setDocumentMode(true);
        tabs->setTabBarAutoHide(true);
        tabs->setObjectName(QStringLiteral("innerTabs"));
        inner_.push_back(tabs);
        groups_->addTab(tabs, groupTitle(group));
        connect(tabs, &QTabWidget::currentChanged, this, &CompareView::loadPage);
    }
    for (const ComparePage& page : comparePages()) {
        if (page.group == 0)
            continue;
        QTabWidget& tabs = *inner_[static_cast<std::size_t>(page.group)];
        QWidget* widget = makePage(page.page);
        widgets_[static_cast<std::size_t>(page.page)] = widget;
        const int tab = tabs.addTab(widget, tr(page.title));
        tabs.tabBar()->setTabData(tab, QLatin1String(page.oldName));
    }
}

QWidget* CompareView::makePage(Page page) {
    const ComparePage& of = comparePage(page);
    auto* table = new TablePanel(context(), tr(of.filterHint));
    table->view().setAccessibleName(tr(of.title));
    tables_[static_cast<std::size_t>(page)] = table;
    connect(table, &TablePanel::chosen, this, [this](std::int32_t id) {
        if (id < 0)
            emit status(tr("Only the target has this: swap source and target to follow it"));
    });
    connect(table, &TablePanel::activated, this,
            [this, page](std::int32_t id) { follow(page, id); });
    if (page == Page::Calibration)
        return calibration_ = new CalibrationPage(context(), table);
    if (page != Page::CycleCauses)
        return table;
    chartArea_ = scrolled(chart_);
    chartArea_->setAccessibleName(tr("Waterfall"));
    QSplitter* both = splitOf(Qt::Vertical, chartArea_, table, 3, 2);
    // Only the ratio counts, but not if the numbers are below the table's minimum height.
    both->setSizes({6000, 4500});
    return both;
}

CompareView::Page CompareView::page() const {
    QWidget* front = groups_->currentWidget();
    if (const auto* tabs = qobject_cast<QTabWidget*>(front))
        front = tabs->currentWidget();
    for (const ComparePage& page : comparePages())
        if (widgets_.at(static_cast<std::size_t>(page.page)) == front)
            return page.page;
    return Page::Overview;
}

void CompareView::showPage(Page page) {
    const int group = comparePage(page).group;
    if (QTabWidget* tabs = inner_[static_cast<std::size_t>(group)])
        tabs->setCurrentWidget(widgets_.at(static_cast<std::size_t>(page)));
    groups_->setCurrentIndex(group);
}

void CompareView::focusSearch() {
    if (page() == Page::Overview)
        showPage(Page::Operations);
    table(page())->focusFilter();
}

void CompareView::reload() {
    comparison_.reset();
    divided_.reset();
    parts_.reset();
    calibration_->clear();
    groups_->setTabVisible(calibrationGroup, canBeCalibrated(profiles()));
    if (!comparing()) {
        panel_->showMessage(
            tr("Only one profile is open"),
            tr("Open a second one with File > Compare with… (Ctrl+Shift+O), or drop two "
               "profiles on the window. Then every report shows both."));
        return;
    }
    panel_->load([this, pair = profiles()](const std::stop_token& stop) {
        ComparisonPtr comparison = comparisonOf(pair, stop);
        std::optional<WaterfallParts> parts = waterfallParts(*pair.source, *pair.target, stop);
        const StepId peak = pair.matching->sourceOf(comparison->targetPeak, stop);
        return
            [this, comparison = std::move(comparison), parts = std::move(parts), peak]() mutable {
                comparison_ = std::move(comparison);
                targetPeak_ = peak;
                parts_ = std::move(parts);
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
    showWaterfall();
    loadPage();
}

void CompareView::showWaterfall() {
    // No empty space below the last bar.
    const auto fit = [this] { chartArea_->setMaximumHeight(chart_->sizeHint().height()); };
    if (!parts_) {
        chart_->setWaterfall(std::nullopt);
        return fit();
    }
    const bool ofSample = perSample_->isChecked();
    QString note;
    if (!ofSample && parts_->sourceSamples > 0 && parts_->sourceSamples != parts_->targetSamples)
        note = tr("The target's run takes %1 times the samples: Per sample divides by them.")
                   .arg(timesText(parts_->targetSamples / parts_->sourceSamples));
    chart_->setWaterfall(parts_->on(ofSample ? WaterfallBasis::Sample : WaterfallBasis::Run), note);
    fit();
}

const ComparisonPtr& CompareView::shownComparison() const {
    return perSample_->isChecked() ? divided_ : comparison_;
}

TablePanel::MakeTable CompareView::maker(Page page) const {
    return [page, comparison = shownComparison(), pair = profiles()](const std::stop_token&) {
        switch (page) {
        case Page::MemoryCauses:
            return causesTable(*comparison, Unit::Bytes);
        case Page::CycleCauses:
            return causesTable(*comparison, Unit::Cycles);
        case Page::Plans:
            return tilescope::plansTable(*comparison);
        case Page::Aligned:
            return alignedTable(*comparison);
        case Page::Options:
            return optionsTable(pair);
        default:
            return changesTable(
                comparison->tables.at(static_cast<std::size_t>(comparePage(page).table)),
                ComparedRows::All);
        }
    };
}

void CompareView::loadPage() {
    const Page now = page();
    if (comparison_ && now == Page::Calibration)
        calibration_->load(profiles());
    else if (comparison_ && now != Page::Overview)
        table(now)->load(maker(now));
}

void CompareView::follow(Page page, std::int32_t id) {
    // While other profiles are being read, the rows belong to those that were left.
    if (!comparison_ || id < 0 || page == Page::Options)
        return;
    if (comparePage(page).table >= 0 || page == Page::Calibration) {
        emit reportWanted(QLatin1String(comparePage(page).report));
        return;
    }
    if (page == Page::MemoryCauses)
        return goTo(QStringLiteral("liveness"), id, comparison_->sourcePeak);
    if (page != Page::Aligned)
        return goTo(QStringLiteral("operations"), id, {});
    for (const AlignedOperation& o : comparison_->aligned)
        if (o.source.value() == id)
            return goTo(QStringLiteral("liveness"), id, o.sourceStep);
}

// The page is filtered to the place where most of the cycles are, if any row is named after it.
void CompareView::followBar(LossKind kind, const std::string& place) {
    const LossPage where = pageOf(kind);
    if (!comparison_)
        return;
    context().lossFilter.set(kind);
    const auto& operations =
        comparison_->tables.at(static_cast<std::size_t>(comparePage(Page::Operations).table)).rows;
    for (const ComparedRow& row : operations)
        if (row.name == place && row.source >= 0)
            context().selection.update([&](Selected& s) { s.operation = OperationId(row.source); });
    if (!where.page)
        return emit reportWanted(where.report);
    const int at = comparePage(*where.page).table;
    if (at >= 0) {
        const auto& rows = comparison_->tables.at(static_cast<std::size_t>(at)).rows;
        const bool found =
            !place.empty() && std::any_of(rows.begin(), rows.end(), [&](const ComparedRow& row) {
                return row.name.find(place) != std::string::npos;
            });
        table(*where.page)->filterBy(found ? QString::fromStdString(place) : QString());
    }
    showPage(*where.page);
}

void CompareView::goTo(const QString& report, std::int32_t operation, StepId step) {
    context().selection.update([&](Selected& s) {
        s.add(OperationId(operation));
        s.add(step);
    });
    emit reportWanted(report);
}

void CompareView::followSelection() {
    if (!comparison_)
        return;
    overview_->selectOperation(context().selection.current().operation);
}

} // namespace tilescope::views
