#include "views/execution/trace_controls.h"

#include <QAction>
#include <QMenu>
#include <QSignalBlocker>

#include "views/widgets/control_states.h"

namespace tilescope::views {

TraceControls::TraceControls(QWidget* parent)
    : ToolRow(parent)
    , look_(addChoice(tr("View"), {tr("Flame"), tr("Flat"), tr("Tiles (BSP)")}))
    , ipu_(addChoice(tr("IPU"), {tr("All")}))
    , run_(addChoice(tr("Run"), {tr("All")})) {
    look_->setItemData(2,
                       tr("Bulk-synchronous: every tile's own part in each step, and how long it "
                          "waits for the slowest"),
                       Qt::ToolTipRole);
    leaveOutOfState(*run_);
    auto* fit = addButton(tr("Fit"), tr("Show the whole execution (F)"));
    compilation_ = addToggle(
        tr("Compilation"),
        tr("What the host did before the first run: phases of the compilation, and loading"),
        false);
    compilation_->hide();
    makeOptions();
    addStretch();
    search_ = new SearchBox(
        tr("Find step"), tr("Steps whose name contains this stay bright. Enter goes to the next, "
                            "Shift+Enter to the one before, Escape ends the search."));
    add(search_);
    auto* tree = addButton(tr("Program"), tr("Show the selected step in the Program Tree (P)"));
    auto* save = addButton(tr("Save"), tr("Save the plot as a picture"));
    connect(look_, &QComboBox::currentIndexChanged, this, &TraceControls::lookChanged);
    connect(ipu_, &QComboBox::currentIndexChanged, this, &TraceControls::rowsChanged);
    connect(run_, &QComboBox::activated, this, &TraceControls::runChosen);
    connect(compilation_, &QToolButton::toggled, this, &TraceControls::hostChanged);
    connect(fit, &QToolButton::clicked, this, &TraceControls::fitWanted);
    connect(tree, &QToolButton::clicked, this, &TraceControls::programWanted);
    connect(save, &QToolButton::clicked, this, &TraceControls::saveWanted);
}

void TraceControls::makeOptions() {
    QToolButton* button = addButton(tr("Options"), tr("What the rows show"));
    auto* menu = new QMenu(button);
    const auto option = [&](const QString& text, const QString& toolTip, bool on = true) {
        QAction* action = menu->addAction(text);
        action->setToolTip(toolTip);
        action->setCheckable(true);
        action->setChecked(on);
        return action;
    };
    showsHost_ = option(tr("Host"), tr("A lane of the host above the IPUs: its runs, its stream "
                                       "callbacks, and who waits for whom"));
    showsRuns_ = option(tr("Row of runs"), tr("A row with the runs of the engine above the steps"));
    showsSyncs_ = option(tr("Syncs"), tr("Boxes of syncs; without them their time stays empty"));
    QAction* names = option(tr("Names on boxes"), tr("Names where they have room"));
    QAction* all =
        option(tr("All rows in sight"),
               tr("Rows as low as it takes to see all of them without scrolling"), false);
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    connect(showsHost_, &QAction::toggled, this, [this] {
        compilation_->setEnabled(showsHost_->isChecked());
        emit hostChanged();
    });
    connect(showsRuns_, &QAction::toggled, this, &TraceControls::rowsChanged);
    connect(showsSyncs_, &QAction::toggled, this, &TraceControls::rowsChanged);
    connect(names, &QAction::toggled, this, &TraceControls::namesChanged);
    connect(all, &QAction::toggled, this, &TraceControls::allRowsChanged);
}

void TraceControls::setIpus(std::int32_t count) {
    const QSignalBlocker blocker(ipu_);
    ipu_->clear();
    ipu_->addItem(tr("All"));
    for (std::int32_t i = 0; i < count; ++i)
        ipu_->addItem(QString::number(i));
}

void TraceControls::setRuns(const QStringList& names, int chosen) {
    run_->clear();
    run_->addItems(names);
    run_->setCurrentIndex(chosen);
}

bool TraceControls::showsHost() const {
    return showsHost_->isChecked();
}

bool TraceControls::showsCompilation() const {
    return compilation_->isChecked();
}

void TraceControls::addTo(TraceQuestion& question) const {
    question.look = look();
    question.ipu = ipu();
    question.runs = showsRuns_->isChecked();
    question.syncs = showsSyncs_->isChecked();
    question.compilation = showsCompilation();
}

} // namespace tilescope::views
