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
    steps_->setThings([](std::int32_t program) { return Selected(ProgramId(program)); });
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
    executed_ = executed;
    comparing_ = comparing;
    fitTitles();
}

// With room for all tabs, titles name the profile and the kind of cycles, as tool tips always do.
void GroupTabs::fitTitles() {
    const QString whose = comparing_ ? tr(" (source)") : QString();
    const QString cycles = executed_ ? tr("Measured cycles") : tr("Estimated cycles");
    const QStringList whole{tr("Summary"), tr("Steps") + whose, tr("Code") + whose, cycles + whose};
    const QStringList brief{tr("Summary"), tr("Steps"), tr("Code"), tr("Cycles")};
    constexpr int around = 26; // pixels of a tab beside its title
    int needed = 0;
    for (const QString& title : whole)
        needed += fontMetrics().horizontalAdvance(title) + around;
    for (int tab = 0; tab < count(); ++tab) {
        if (const QString& title = needed <= width() ? whole[tab] : brief[tab];
            title != tabText(tab))
            setTabText(tab, title);
        setTabToolTip(tab, whole[tab]);
    }
}

void GroupTabs::resizeEvent(QResizeEvent* event) {
    QTabWidget::resizeEvent(event);
    fitTitles();
}

} // namespace tilescope::views
