// The controls above an execution.
#include <QAction>
#include <QLineEdit>
#include <QMenu>

#include "views/execution/trace_view.h"
#include "views/plot/save_plot.h"
#include "views/widgets/parts.h"

namespace tilescope::views {

ToolRow* TraceView::makeTools() {
    auto* tools = new ToolRow;
    look_ = tools->addChoice(tr("View"), {tr("Flame"), tr("Flat"), tr("Tiles (BSP)")});
    ipu_ = new IpuField;
    tools->addNamed(tr("IPU"), ipu_);
    run_ = tools->addChoice(tr("Run"), {tr("All")}, true);
    look_->setItemData(2,
                       tr("Bulk-synchronous: every tile's own part in each step, and how long it "
                          "waits for the slowest"),
                       Qt::ToolTipRole);
    leaveOutOfState(*run_);
    auto* fit = tools->addButton(tr("Fit"), tr("Show the whole execution (F)"));
    compilation_ = tools->addToggle(
        tr("Compilation"),
        tr("What the host did before the first run: phases of the compilation, and loading; and "
           "what the program recorded after it"),
        false);
    compilation_->hide();
    makeOptions(*tools);
    tools->addStretch();
    search_ = new SearchBox(
        tr("Find step"), tr("Steps whose name contains this stay bright. Enter goes to the next, "
                            "Shift+Enter to the one before, Escape ends the search."));
    tools->add(search_);
    tools->setPriority(search_, ToolRow::Priority::Always);
    auto* tree =
        tools->addButton(tr("Program"), tr("Show the selected step in the Program Tree (P)"));
    auto* save = tools->addButton(tr("Save"), tr("Save the plot as a picture"));
    connect(look_, &QComboBox::currentIndexChanged, this, &TraceView::changeLook);
    connect(ipu_, &IpuField::chosen, this, [this] {
        loadPlots();
        if (ipu_->lineEdit()->hasFocus())
            plot().setFocus();
    });
    connect(ipu_, &IpuField::refused, this, &ReportView::status);
    connect(run_, &QComboBox::activated, this, &TraceView::showRun);
    connect(compilation_, &QToolButton::toggled, this, &TraceView::changeHost);
    connect(fit, &QToolButton::clicked, &context().timeZoom, &ZoomRange::fit);
    connect(tree, &QToolButton::clicked, this,
            [this] { emit reportWanted(QStringLiteral("programs")); });
    connect(save, &QToolButton::clicked, this, [this] {
        savePlot(look() == TraceLook::Tiles ? static_cast<PlotWidget&>(tiles_->plot()) : plot(),
                 QStringLiteral("trace"));
    });
    connect(search_, &SearchBox::textChanged, this, [this](const QString& text) {
        plot().trace().setHighlight(text);
        plot().replotSoon();
        countMatches();
    });
    connect(search_, &SearchBox::stepWanted, this, &TraceView::findStep);
    return tools;
}

void TraceView::makeOptions(ToolRow& tools) {
    QToolButton* button = tools.addButton(tr("Options"), tr("What the rows show"));
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
    QAction* names = option(tr("Names on boxes"), tr("Names on boxes that have room for them"));
    QAction* all = option(tr("All rows in sight"),
                          tr("Makes rows low enough to see all of them without scrolling"), false);
    tracks_->addChoices(*menu->addMenu(tr("Counters")));
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    connect(showsHost_, &QAction::toggled, this, [this](bool shown) {
        compilation_->setEnabled(shown);
        changeHost();
    });
    connect(showsRuns_, &QAction::toggled, this, &TraceView::loadPlots);
    connect(showsSyncs_, &QAction::toggled, this, &TraceView::loadPlots);
    connect(names, &QAction::toggled, this, [this](bool shown) {
        plot().trace().setShowsNames(shown);
        plot().replotSoon();
    });
    connect(all, &QAction::toggled, &plot(), &TracePlot::setShowsAllRows);
}

// A row above the plot would take height from the lanes; beside the tabs there is room.
QWidget* TraceView::makeColours() {
    colours_ = new QComboBox;
    colours_->setAccessibleName(tr("Colour by"));
    colours_->addItems({tr("Kind"), tr("Operations"), tr("Tile balance"), tr("Exchange")});
    colours_->setToolTip(tr("What the colours of boxes mean"));
    colours_->setItemData(1, tr("A colour for each type of operation"), Qt::ToolTipRole);
    colours_->setItemData(2, tr("Share of all tiles' time that is work"), Qt::ToolTipRole);
    colours_->setItemData(3, tr("Bytes that tiles receive in a cycle"), Qt::ToolTipRole);
    // As low as the field beside it.
    colours_->setStyleSheet(QStringLiteral("padding: 1px 7px;"));
    connect(colours_, &QComboBox::currentIndexChanged, this, &TraceView::loadPlots);
    return colours_;
}

TraceQuestion TraceView::question() const {
    TraceQuestion question;
    question.profiles = profiles();
    question.look = look();
    question.ipus = ipu_->ipus();
    question.runs = showsRuns_->isChecked();
    question.syncs = showsSyncs_->isChecked();
    question.compilation = compilation_->isChecked();
    if (showsHost_->isChecked())
        question.hosts = hosts_;
    return question;
}

} // namespace tilescope::views
