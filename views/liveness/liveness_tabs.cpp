#include "views/liveness/liveness_tabs.h"

#include <QHeaderView>
#include <algorithm>

#include "views/liveness/liveness_tables.h"

namespace tilescope::views {

LivenessTabs::LivenessTabs(ViewContext& context, QWidget* parent)
    : QTabWidget(parent)
    , context_(context)
    , infoPanel_(new LoadingPanel(context.workers))
    , info_(new ValueTreeView(context, tr("Variable"))) {
    setDocumentMode(true);
    const QStringList titles{tr("Always live"), tr("Not always live"), tr("Vertices"),
                             tr("Cycle estimates"), tr("Tile statistics")};
    for (int i = 0; i < titles.size(); ++i) {
        tables_[i] = new TablePanel(context, i < 2 ? tr("Filter variables") : tr("Filter"));
        tables_[i]->view().setAccessibleName(titles[i]);
        addTab(tables_[i], titles[i]);
    }
    for (const int i : {AlwaysLive, NotAlwaysLive}) {
        tables_[i]->allowSeveral();
        tables_[i]->follow(&Selected::variable);
        connect(tables_[i], &TablePanel::selectedIds, this, &LivenessTabs::variablesChanged);
        connect(tables_[i], &TablePanel::activated, this,
                [this] { setCurrentIndex(VariableInfo); });
    }
    infoPanel_->setContent(info_);
    addTab(infoPanel_, tr("Variable"));
    setTabToolTip(VariableInfo, tr("What the selected variable is, where it lies and who uses it"));
    connect(this, &QTabWidget::currentChanged, this, &LivenessTabs::reload);
}

void LivenessTabs::setAbout(About about) {
    if (about == about_)
        return;
    const bool otherSteps = about.steps != about_.steps;
    const bool otherTiles = about.tiles != about_.tiles || about.chosenTiles != about_.chosenTiles;
    const bool otherVariable = about.variable != about_.variable;
    about_ = std::move(about);
    // After a click on a step, show what is live there.
    if (otherSteps && !about_.steps.empty() && currentIndex() == AlwaysLive)
        return setCurrentIndex(NotAlwaysLive);
    if (currentIndex() == VariableInfo ? otherVariable : otherSteps || otherTiles)
        reload();
}

void LivenessTabs::focusFilter() {
    if (currentIndex() != VariableInfo)
        tables_[currentIndex()]->focusFilter();
}

std::vector<VariableId> LivenessTabs::variables() const {
    const VariableId selected = context_.selection.current().variable;
    if (!selected.valid())
        return {};
    for (const int i : {NotAlwaysLive, AlwaysLive}) {
        std::vector<VariableId> ids;
        for (const std::int32_t id : tables_[i]->chosenIds())
            ids.emplace_back(id);
        if (std::find(ids.begin(), ids.end(), selected) != ids.end())
            return ids;
    }
    return {selected};
}

void LivenessTabs::reload() {
    if (!context_.reports.source())
        return;
    if (currentIndex() == VariableInfo)
        loadInfo();
    else
        loadTable(static_cast<Tab>(currentIndex()));
}

void LivenessTabs::loadTable(Tab tab) {
    const bool needsStep = tab == NotAlwaysLive || tab == Vertices || tab == Cycles;
    if (needsStep && about_.steps.empty()) {
        tables_[tab]->showHint(tr("No step is selected"),
                               tr("Click a step in the plot above, or press Go to peak. "
                                  "Shift-click selects several steps, shown side by side."));
        return;
    }
    tables_[tab]->load(
        [tab, about = about_, pair = context_.reports.profiles()](const std::stop_token& stop) {
            switch (tab) {
            case AlwaysLive:
                return alwaysLiveTable(pair, about.tiles, stop);
            case NotAlwaysLive:
                return notAlwaysLiveTable(pair, about.tiles, about.steps, stop);
            case Vertices:
                return stepVerticesTable(pair, about.tiles, about.steps, stop);
            case Cycles:
                return cycleTable(pair, about.steps, stop);
            default:
                return tileStatisticsTable(pair, about.tiles, about.chosenTiles, about.steps, stop);
            }
        });
}

void LivenessTabs::loadInfo() {
    if (!about_.variable.valid()) {
        infoPanel_->showMessage(tr("No variable is selected"),
                                tr("Select a variable in Always live or Not always live."));
        return;
    }
    infoPanel_->load([this, variable = about_.variable,
                      pair = context_.reports.profiles()](const std::stop_token& stop) {
        return [this, tree = variableTree(pair, variable, stop)]() mutable {
            info_->setTree(std::move(tree));
            info_->expandAll();
            constexpr int nameWidth = 240;
            info_->setColumnWidth(0, nameWidth);
            if (info_->header()->count() > 2)
                info_->setColumnWidth(1, (info_->viewport()->width() - nameWidth) / 2);
            info_->header()->setStretchLastSection(true);
        };
    });
}

} // namespace tilescope::views
