#include "views/operations/group_tabs.h"

#include <QHeaderView>
#include <QScrollArea>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::views {
namespace {

QScrollArea* scrolled(QWidget* content, const QString& name) {
    auto* page = new QWidget;
    page->setObjectName(QStringLiteral("tabPage"));
    page->setAttribute(Qt::WA_StyledBackground);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(14, 10, 14, 10);
    layout->addWidget(content);
    layout->addStretch();
    auto* area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setWidget(page);
    area->setAccessibleName(name);
    return area;
}

} // namespace

GroupTabs::GroupTabs(ViewContext& context, QWidget* parent)
    : QTabWidget(parent)
    , summary_(new ValueTreeModel(context, this))
    , summaryView_(new QTreeView)
    , steps_(new TablePanel(context, tr("Filter steps")))
    , code_(new NamedBars(context))
    , cycles_(new NamedBars(context)) {
    setDocumentMode(true);
    // Beside the graph of two profiles: all tabs in sight, and their whole names in tips.
    setUsesScrollButtons(false);
    setElideMode(Qt::ElideRight);
    summaryView_->setModel(summary_);
    summaryView_->setFrameShape(QFrame::NoFrame);
    summaryView_->setUniformRowHeights(true);
    summaryView_->setAccessibleName(tr("Summary"));
    addTab(summaryView_, tr("Summary"));
    addTab(steps_, tr("Steps"));
    addTab(scrolled(code_, tr("Code")), tr("Code"));
    addTab(scrolled(cycles_, tr("Cycles")), tr("Cycles"));
    connect(steps_, &TablePanel::chosen, this, &GroupTabs::stepChosen);
    connect(steps_, &TablePanel::activated, this, &GroupTabs::stepActivated);
    connect(cycles_, &NamedBars::clicked, this, &GroupTabs::stepChosen);
}

void GroupTabs::setDetails(GroupDetails details, bool executed, bool comparing) {
    summary_->setTree(std::move(details.summary));
    summaryView_->expandAll();
    summaryView_->header()->setStretchLastSection(true);
    // Beside the graph there is less room than below the table.
    constexpr int widest = 300;
    for (int column = 0; column < (comparing ? 2 : 1); ++column) {
        summaryView_->resizeColumnToContents(column);
        summaryView_->header()->resizeSection(
            column, std::min(widest, summaryView_->header()->sectionSize(column)));
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
