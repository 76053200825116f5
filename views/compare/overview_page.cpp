#include "views/compare/overview_page.h"

#include <QHeaderView>
#include <QToolButton>
#include <array>

#include "views/session/time_texts.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

constexpr int pageWidth = 1720;                               // pixels: two tables side by side
constexpr int mostMiddle = 250;                               // pixels of height: the eight figures
constexpr int mostBottom = 400;                               // the ten causes with their headings
constexpr auto leastStacked = std::to_array<int>({180, 290}); // parts below each other
constexpr int leastForTwo = 960;                              // pixels of width

} // namespace

OverviewPage::OverviewPage(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , verdict_(new VerdictCards(context))
    , figures_(new ValueTreeView(context, tr("Headline figures")))
    , plans_(new LinkFlow(context))
    , memory_(new CompactTable(context))
    , cycles_(new CompactTable(context)) {
    figures_->setRootIsDecorated(false);
    figures_->setSelectionMode(QAbstractItemView::NoSelection);
    figures_->setFocusPolicy(Qt::NoFocus);
    // Hundreds of names would push everything else off the page.
    auto* planArea = scrolled(plans_);
    plans_->setContentsMargins(8, 6, 12, 4);
    plans_->setObjectName(QStringLiteral("tabPage"));
    plans_->setAttribute(Qt::WA_StyledBackground);

    auto* middle = new QHBoxLayout;
    middle->setSpacing(8);
    middle->addWidget(figures_, 1);
    middle->addWidget(planArea, 1);
    auto* bottom = new QHBoxLayout;
    bottom->setSpacing(8);
    bottom->addWidget(memory_, 1);
    bottom->addWidget(cycles_, 1);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(12, 8, 12, 0);
    column->setSpacing(6);
    column->addWidget(verdict_);
    // As much as the eight figures and the ten causes with their headings need.
    const auto row = [this, column](QHBoxLayout* parts, int share) {
        auto* widget = new QWidget;
        parts->setContentsMargins(0, 0, 0, 0);
        widget->setLayout(parts);
        column->addWidget(widget, share);
        rows_.push_back(parts);
    };
    row(middle, 7);
    row(bottom, 12);
    column->addStretch();
    auto* area = scrolled(readable(content, pageWidth));
    area->setAccessibleName(tr("Overview"));
    inColumn(this, {area});

    makePlaces();
    connect(plans_, &LinkFlow::chosen, this,
            [this](std::int32_t id) { emit placeWanted(QStringLiteral("operations"), id, {}); });
    connect(plans_, &LinkFlow::moreWanted, this, &OverviewPage::plansWanted);
    for (CompactTable* table : {memory_, cycles_})
        connect(table, &CompactTable::chosen, this, &OverviewPage::operationChosen);
    connect(memory_, &CompactTable::activated, this, [this](std::int32_t id) {
        emit placeWanted(QStringLiteral("liveness"), id,
                         comparison_ ? comparison_->sourcePeak : StepId());
    });
    connect(cycles_, &CompactTable::activated, this,
            [this](std::int32_t id) { emit placeWanted(QStringLiteral("operations"), id, {}); });
}

// Parts that do not fit side by side are placed below each other, and the page scrolls.
void OverviewPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool narrow = width() < leastForTwo;
    const auto most = std::to_array<int>({mostMiddle, mostBottom});
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        rows_[i]->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
        QWidget& row = *rows_[i]->parentWidget();
        row.setMaximumHeight(narrow ? 2 * most[i] : most[i]);
        row.setMinimumHeight(narrow ? 2 * leastStacked[i] : 0);
    }
}

void OverviewPage::makePlaces() {
    peaks_ = {memory_->addButton(tr("Source's peak")), memory_->addButton(tr("Target's peak"))};
    steps_ = {cycles_->addButton(tr("Source in trace")), cycles_->addButton(tr("Target in trace"))};
    peaks_.source->setToolTip(
        tr("The peak of the source in Liveness, with the selected operation"));
    peaks_.target->setToolTip(
        tr("The step of Liveness that is the target's peak, with the selected operation"));
    steps_.source->setToolTip(
        tr("The longest step of the selected operation in the source's execution"));
    steps_.target->setToolTip(
        tr("The longest step of the selected operation in the target's execution"));
    connect(memory_, &CompactTable::rowChanged, this, &OverviewPage::updatePlaces);
    connect(cycles_, &CompactTable::rowChanged, this, &OverviewPage::updatePlaces);
    connect(peaks_.source, &QToolButton::clicked, this,
            [this] { showPeak(comparison_->sourcePeak); });
    connect(peaks_.target, &QToolButton::clicked, this, [this] { showPeak(targetPeak_); });
    connect(steps_.source, &QToolButton::clicked, this, [this] {
        if (const Cause* cause = selected(*cycles_, comparison_->cycles))
            emit traceWanted(cause->source, false);
    });
    connect(steps_.target, &QToolButton::clicked, this, [this] {
        if (const Cause* cause = selected(*cycles_, comparison_->cycles))
            emit traceWanted(cause->target, true);
    });
    updatePlaces();
}

const Cause* OverviewPage::selected(const CompactTable& table, const CauseList& list) const {
    const int row = comparison_ ? table.selectedRow() : -1;
    return row >= 0 && static_cast<std::size_t>(row) < list.causes.size()
               ? &list.causes[static_cast<std::size_t>(row)]
               : nullptr;
}

void OverviewPage::updatePlaces() {
    const Cause* memory = comparison_ ? selected(*memory_, comparison_->memory) : nullptr;
    peaks_.source->setEnabled(memory != nullptr && comparison_->sourcePeak.valid());
    peaks_.target->setEnabled(memory != nullptr && targetPeak_.valid());
    const Cause* cycles = comparison_ ? selected(*cycles_, comparison_->cycles) : nullptr;
    // The trace shows the target beside the source, not alone.
    const bool source = cycles != nullptr && comparison_->source.hasExecution;
    steps_.source->setEnabled(source && cycles->source.valid());
    steps_.target->setEnabled(source && comparison_->target.hasExecution && cycles->target.valid());
}

void OverviewPage::showPeak(StepId step) {
    if (const Cause* cause = selected(*memory_, comparison_->memory))
        emit placeWanted(QStringLiteral("liveness"), cause->source.value(), step);
}

void OverviewPage::setComparison(ComparisonPtr comparison, StepId targetPeak) {
    comparison_ = std::move(comparison);
    targetPeak_ = targetPeak;
    figures_->setTree(headlineFigures(*comparison_));
    QHeaderView* header = figures_->header();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int i = 1; i < 4; ++i)
        header->setSectionResizeMode(i, QHeaderView::ResizeToContents);
    const bool ofSample = comparison_->perSample;
    memory_->setTable(ofSample ? tr("Largest causes: memory at the peak, a sample")
                               : tr("Largest causes: memory at the peak"),
                      largestCauses(*comparison_, Unit::Bytes, mostCauses));
    cycles_->setTable(comparison_->cycleBasis != CycleBasis::Executed
                          ? tr("Largest causes: cycles, estimated")
                      : ofSample ? tr("Largest causes: cycles of a sample")
                                 : tr("Largest causes: cycles of a run"),
                      largestCauses(*comparison_, Unit::Cycles, mostCauses));
    cycles_->setToolTip(comparison_->cycleBasis == CycleBasis::Executed
                            ? tr("All steps of a run of the main program. Enter or a double click "
                                 "shows the operation")
                            : tr("Not both sides were executed: the estimates of compute sets and "
                                 "exchanges, without host and syncs. Enter or a double click "
                                 "shows the operation"));
    memory_->setToolTip(
        tr("Always-live bytes and what is live at the step with the most, all "
           "tiles. Source: %1. Target: %2. Enter or a double click shows the "
           "source's peak in Liveness")
            .arg(shownName(comparison_->sourcePeakName), shownName(comparison_->targetPeakName)));
    fillPlans();
    restyle();
}

void OverviewPage::fillPlans() {
    // More than a page of names says less than their number.
    constexpr std::size_t mostPlans = 60;
    std::vector<LinkFlow::Link> links;
    for (const PlanChange& plan : comparison_->plans)
        links.push_back({shownName(plan.name, mostOfOne), shownName(planText(plan.differences)),
                         plan.source.value()});
    const QString heading =
        comparison_->plannedOperations == 0 ? tr("No operation has a plan")
        : links.empty()
            ? tr("All %1 plans are the same")
                  .arg(countText(static_cast<std::int64_t>(comparison_->plannedOperations)))
            : tr("%1 of %2 plans changed, most temporary memory first")
                  .arg(countText(static_cast<std::int64_t>(links.size())),
                       countText(static_cast<std::int64_t>(comparison_->plannedOperations)));
    plans_->setLinks(heading, std::move(links), mostPlans);
}

void OverviewPage::restyle() {
    if (!comparison_)
        return;
    verdict_->setFigures(comparisonVerdict(*comparison_, context_.preferences.byteUnits()));
}

void OverviewPage::selectOperation(OperationId operation) {
    memory_->selectId(operation.value());
    cycles_->selectId(operation.value());
}

} // namespace tilescope::views
