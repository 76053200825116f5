#include "views/operations/group_tabs.h"

#include <QHeaderView>
#include <algorithm>

#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

QScrollArea* scrolledPage(QWidget* content, const QString& name) {
    QWidget* page = tabPage();
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(14, 10, 14, 10);
    layout->addWidget(content);
    layout->addStretch();
    auto* area = scrolled(page);
    area->setAccessibleName(name);
    return area;
}

} // namespace

GroupTabs::GroupTabs(ViewContext& context, QWidget* parent)
    : QTabWidget(parent)
    , summary_(new ValueTreeView(context, tr("Summary")))
    , steps_(new TablePanel(context, tr("Filter steps")))
    , code_(new NamedBars(context))
    , cycles_(new NamedBars(context)) {
    setDocumentMode(true);
    // Beside the graph of two profiles: all tabs in sight, and their whole names in tips.
    setUsesScrollButtons(false);
    setElideMode(Qt::ElideRight);
    addTab(summary_, tr("Summary"));
    addTab(steps_, tr("Steps"));
    addTab(scrolledPage(code_, tr("Code")), tr("Code"));
    addTab(scrolledPage(cycles_, tr("Cycles")), tr("Cycles"));
    steps_->setThings([](std::int32_t program) {
        Selected thing;
        thing.program = ProgramId(program);
        return thing;
    });
    connect(steps_, &TablePanel::chosen, this, &GroupTabs::stepChosen);
    connect(steps_, &TablePanel::activated, this, &GroupTabs::stepActivated);
    connect(cycles_, &NamedBars::clicked, this, &GroupTabs::stepChosen);
}

void GroupTabs::setDetails(GroupDetails details, bool executed, bool comparing) {
    summary_->setTree(std::move(details.summary));
    summary_->expandAll();
    summary_->header()->setStretchLastSection(true);
    // Beside the graph there is less room than below the table; of that the values need most.
    constexpr int widest = 300;
    constexpr int leastRoom = 240; // also before it is laid out
    constexpr double shareOfNames = 0.48;
    constexpr double shareOfNamesAndSource = 0.36; // each
    const int room = std::max(leastRoom, summary_->viewport()->width());
    const double share = comparing ? shareOfNamesAndSource : shareOfNames;
    for (int column = 0; column < (comparing ? 2 : 1); ++column) {
        summary_->resizeColumnToContents(column);
        summary_->header()->resizeSection(
            column,
            std::min({widest, qRound(share * room), summary_->header()->sectionSize(column)}));
    }
    steps_->setTable(std::move(details.steps));
    code_->setBars(std::move(details.code), 0);
    cycles_->setBars(std::move(details.cycles), 0, Unit::Cycles);
    const QString whose = comparing ? tr(" (source)") : QString();
    setTabText(1, tr("Steps") + whose);
    setTabText(2, tr("Code") + whose);
    const QString cycles = executed ? tr("Measured cycles") : tr("Estimated cycles");
    // With whose they are, all tabs have room beside the graph if this one is short.
    setTabText(3, comparing ? tr("Cycles") + whose : cycles);
    for (int tab = 0; tab < count(); ++tab)
        setTabToolTip(tab, tab == 3 ? cycles + whose : tabText(tab));
}

} // namespace tilescope::views
