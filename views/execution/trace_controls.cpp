#include "views/execution/trace_controls.h"

#include <QLineEdit>
#include <QMenu>

#include "views/execution/trace_panes.h"
#include "views/plot/save_plot.h"
#include "views/tables/loss_chip.h"
#include "views/widgets/control_states.h"

namespace tilescope::views {

TraceControls::TraceControls(ViewContext& context, TracePanes& panes)
    : look_(addChoice(tr("View"), {tr("Flame"), tr("Flat"), tr("Tiles (BSP)")}))
    , ipu_(new IpuField) {
    addNamed(tr("IPU"), ipu_);
    run_ = addChoice(tr("Run"), {tr("All")}, true);
    look_->setItemData(2,
                       tr("Bulk-synchronous: every tile's own part in each step, and how long it "
                          "waits for the slowest"),
                       Qt::ToolTipRole);
    leaveOutOfState(*run_);
    addAlignment();
    auto* fit = addButton(tr("Fit"), tr("Show the whole execution (F)"));
    compilation_ = addToggle(
        tr("Compilation"),
        tr("What the host did before the first run: phases of the compilation, and loading; and "
           "what the program recorded after it"),
        false);
    compilation_->hide();
    addOptions(panes);
    auto* chip = new LossChip(context);
    add(chip);
    setPriority(chip, Priority::Always);
    addStretch();
    search_ = new SearchBox(
        tr("Find step"), tr("Steps whose name contains this stay bright. Enter goes to the next, "
                            "Shift+Enter to the one before, Escape ends the search."));
    add(search_);
    setPriority(search_, Priority::Always);
    auto* tree = addButton(tr("Program"), tr("Show the selected step in the Program Tree (P)"));
    auto* save = addButton(tr("Save"), tr("Save the plot as a picture"));
    connect(look_, &QComboBox::currentIndexChanged, this, [this] {
        // Tiles are read by cycle.
        if (look() == TraceLook::Tiles)
            align_->setCurrentIndex(0);
        align_->setEnabled(look() != TraceLook::Tiles);
        emit lookChanged();
    });
    connectIpus(panes);
    connect(compilation_, &QToolButton::toggled, this, &TraceControls::hostChanged);
    connect(fit, &QToolButton::clicked, &context.timeZoom, &ZoomRange::fit);
    connect(tree, &QToolButton::clicked, this, &TraceControls::programWanted);
    connect(save, &QToolButton::clicked, &panes,
            [&panes] { savePlot(panes.shownPlot(), QStringLiteral("trace")); });
    TracePlot& plot = panes.lanes().plot();
    connect(search_, &SearchBox::textChanged, &plot, [&plot](const QString& text) {
        plot.trace().setHighlight(text);
        plot.replotSoon();
    });
    connect(&panes.lanes(), &LanesPane::searchWanted, search_, &SearchBox::setText);
}

void TraceControls::addAlignment() {
    align_ = addChoice(tr("Align"), {tr("By time")});
    align_->setObjectName(QStringLiteral("alignExecutions"));
    align_->setToolTip(tr("Where to draw the target: by its own time, or each operation where it "
                          "begins in the source, with a gap after the shorter of the two. One "
                          "scale for both"));
    leaveOutOfState(*align_); // depends on the pair
    setShown(align_, false);
    connect(align_, &QComboBox::currentIndexChanged, this, &TraceControls::alignmentChanged);
}

void TraceControls::offerAlignment(bool possible) {
    if (!possible) { // nor by a link or a command line that names it
        align_->setCurrentIndex(0);
        align_->removeItem(1);
    } else if (align_->count() == 1) {
        align_->addItem(tr("By operation"));
    }
    setShown(align_, possible);
}

void TraceControls::connectIpus(TracePanes& panes) {
    connect(ipu_, &IpuField::chosen, this, [this, &plot = panes.lanes().plot()] {
        emit contentChanged();
        if (ipu_->lineEdit()->hasFocus())
            plot.setFocus();
    });
    connect(ipu_, &IpuField::refused, this, &TraceControls::status);
    connect(&panes.lanes(), &LanesPane::ipuWanted, ipu_, &IpuField::choose);
}

void TraceControls::addOptions(TracePanes& panes) {
    QToolButton* button = addButton(tr("Options"), tr("What the rows show"));
    auto* menu = new QMenu(button);
    const auto option = [&](const QString& text, const QString& toolTip, bool on = true) {
        QAction* action = menu->addAction(text);
        action->setToolTip(toolTip);
        action->setCheckable(true);
        action->setChecked(on);
        return action;
    };
    host_ = option(tr("Host"), tr("A lane of the host above the IPUs: its runs, its stream "
                                  "callbacks, and who waits for whom"));
    runs_ = option(tr("Row of runs"), tr("A row with the runs of the engine above the steps"));
    syncs_ = option(tr("Syncs"), tr("Boxes of syncs; without them their time stays empty"));
    QAction* names = option(tr("Names on boxes"), tr("Names on boxes that have room for them"));
    QAction* all = option(tr("All rows in sight"),
                          tr("Makes rows low enough to see all of them without scrolling"), false);
    QAction* flows =
        option(tr("Flow arrows"), tr("Where the selected step's data comes from and goes to: "
                                     "stages, IPUs, the host"));
    panes.tracks().addChoices(*menu->addMenu(tr("Counters")));
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    connect(host_, &QAction::toggled, this, [this](bool shown) {
        compilation_->setEnabled(shown);
        emit hostChanged();
    });
    connect(runs_, &QAction::toggled, this, &TraceControls::contentChanged);
    connect(syncs_, &QAction::toggled, this, &TraceControls::contentChanged);
    TracePlot& plot = panes.lanes().plot();
    connect(names, &QAction::toggled, &plot, [&plot](bool shown) {
        plot.trace().setShowsNames(shown);
        plot.replotSoon();
    });
    connect(flows, &QAction::toggled, &plot, &TracePlot::setShowsFlows);
    connect(all, &QAction::toggled, &plot, &TracePlot::setShowsAllRows);
}

TraceQuestion TraceControls::question(const ProfilePair& profiles, const Hosts& hosts) const {
    TraceQuestion question;
    question.profiles = profiles;
    question.look = look();
    question.ipus = ipu_->ipus();
    question.runs = runs_->isChecked();
    question.syncs = syncs_->isChecked();
    question.compilation = compilation_->isChecked();
    if (host())
        question.hosts = hosts;
    return question;
}

} // namespace tilescope::views
