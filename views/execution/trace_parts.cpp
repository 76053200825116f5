// The controls of the trace view and what they paint.
#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTreeView>
#include <QVBoxLayout>
#include <array>

#include "views/execution/marks_panel.h"
#include "views/execution/range_field.h"
#include "views/execution/statistics_panel.h"
#include "views/execution/trace_view.h"
#include "views/plot/save_plot.h"
#include "views/widgets/control_states.h"

namespace tilescope::views {
namespace {
constexpr double palest = 0.7; // of a pixel in the strip that is mostly empty
}

ToolRow* TraceView::makeTools() {
    auto* tools = new ToolRow;
    look_ = tools->addChoice(tr("View"), {tr("Flame"), tr("Flat"), tr("Tiles (BSP)")});
    look_->setItemData(2,
                       tr("Bulk-synchronous: every tile's own part in each step, and how long it "
                          "waits for the slowest"),
                       Qt::ToolTipRole);
    ipu_ = tools->addChoice(tr("IPU"), {tr("All")});
    run_ = tools->addChoice(tr("Run"), {tr("All")});
    leaveOutOfState(*run_);
    auto* fit = tools->addButton(tr("Fit"), tr("Show the whole execution (F)"));
    compilation_ = tools->addToggle(
        tr("Compilation"),
        tr("What the host did before the first run: phases of the compilation, and loading"),
        false);
    compilation_->hide();
    makeOptions(*tools);
    tools->addStretch();
    search_ = new SearchBox(
        tr("Find step"), tr("Steps whose name contains this stay bright. Enter goes to the next, "
                            "Shift+Enter to the one before, Escape ends the search."));
    tools->add(search_);
    auto* tree =
        tools->addButton(tr("Program"), tr("Show the selected step in the Program Tree (P)"));
    auto* save = tools->addButton(tr("Save"), tr("Save the plot as a picture"));
    connect(look_, &QComboBox::currentIndexChanged, this, &TraceView::changeLook);
    connect(ipu_, &QComboBox::currentIndexChanged, this, &TraceView::loadOverview);
    connect(run_, &QComboBox::activated, this, &TraceView::showRun);
    connect(compilation_, &QToolButton::toggled, this, &TraceView::showCompilation);
    connect(fit, &QToolButton::clicked, &context().timeZoom, &ZoomRange::fit);
    connect(tree, &QToolButton::clicked, this,
            [this] { emit reportWanted(QStringLiteral("programs")); });
    connect(save, &QToolButton::clicked, this, [this] {
        savePlot(look() == TraceLook::Tiles ? static_cast<PlotWidget&>(tiles_->plot()) : *plot_,
                 QStringLiteral("trace"));
    });
    connect(search_, &SearchBox::textChanged, this, [this](const QString& text) {
        plot_->trace().setHighlight(text);
        plot_->replotSoon();
        countMatches();
    });
    connect(search_, &SearchBox::stepWanted, this, &TraceView::findStep);
    return tools;
}

QToolButton* TraceView::makeOptions(ToolRow& tools) {
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
    showsNames_ = option(tr("Names on boxes"), tr("Names where they have room"));
    QAction* all =
        option(tr("All rows in sight"),
               tr("Rows as low as it takes to see all of them without scrolling"), false);
    connect(all, &QAction::toggled, plot_, &TracePlot::setShowsAllRows);
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    connect(showsHost_, &QAction::toggled, this, [this] {
        compilation_->setEnabled(showsHost_->isChecked());
        updateLegend();
        showCompilation();
    });
    connect(showsRuns_, &QAction::toggled, this, &TraceView::loadOverview);
    connect(showsSyncs_, &QAction::toggled, this, &TraceView::loadOverview);
    connect(showsNames_, &QAction::toggled, this, [this](bool on) {
        plot_->trace().setShowsNames(on);
        plot_->replotSoon();
    });
    return button;
}

QWidget* TraceView::makeTop() {
    auto* top = new QWidget;
    auto* layout = new QVBoxLayout(top);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    plots_ = new QStackedWidget;
    plots_->addWidget(plot_);
    plots_->addWidget(tiles_);
    layout->addWidget(strip_);
    layout->addWidget(plots_, 1);
    layout->addWidget(legend_);
    plot_->setAccessibleName(tr("Steps over time"));
    strip_->setContent(
        [this](QPainter& painter, const QRect& rect) { paintOverview(painter, rect); });
    plot_->setReadOut([this](double x, double y) { return readOut(x, y); });
    plot_->installEventFilter(this);
    tiles_->plot().installEventFilter(this);
    connect(&plot_->scrollBar(), &QScrollBar::valueChanged, this, &TraceView::loadDetail);
    connect(plot_, &PlotWidget::hovered, this, &ReportView::status);
    connect(plot_, &PlotWidget::clicked, this, [this](double x, double y) { clicked(x, y); });
    connect(tiles_, &TilesPane::status, this, &ReportView::status);
    connect(tiles_, &TilesPane::stepClicked, this, [this](qint64 step, bool target) {
        tabs_->setCurrentIndex(1);
        loadDetails(step, target);
    });
    for (PlotWidget* plot :
         {static_cast<PlotWidget*>(plot_), static_cast<PlotWidget*>(&tiles_->plot())})
        connect(plot, &PlotWidget::rangeSelected, this, [this](double from, double to) {
            selectRange(CycleRange{cyclesOf(from, to).begin, cyclesOf(from, to + 1).end});
        });
    updateLegend();
    return top;
}

// Beside the tabs there is room, and their first one tells the numbers of the range.
QWidget* TraceView::makeRange() {
    range_ = new RangeField(context());
    connect(range_, &RangeField::refused, this, &ReportView::status);
    auto* corner = new QWidget;
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 3, PlotWidget::rightMargin, 3);
    auto* name = new QLabel(tr("Visible"));
    name->setObjectName(QStringLiteral("muted"));
    name->setBuddy(range_);
    row->addWidget(name);
    row->addWidget(range_);
    return corner;
}

QWidget* TraceView::makeTabs() {
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    tabs_->setCornerWidget(makeRange());
    statistics_ = new StatisticsPanel(context());
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(statistics_);
    scroll->setAccessibleName(tr("Statistics"));
    tabs_->addTab(scroll, tr("Summary"));
    details_ = new ValueTreeModel(context(), this);
    detailsView_ = new QTreeView;
    detailsView_->setModel(details_);
    detailsView_->setAccessibleName(tr("Details of the selected step"));
    detailsView_->setFrameShape(QFrame::NoFrame);
    detailsView_->setUniformRowHeights(true);
    detailsPanel_ = new LoadingPanel(context().workers);
    detailsPanel_->setContent(detailsView_);
    detailsPanel_->showMessage(tr("No step is selected"), tr("Click a step in the trace above."));
    tabs_->addTab(detailsPanel_, tr("Details"));
    auto* marks = new MarksPanel(*marks_);
    const int marksTab = tabs_->addTab(marks, tr("Marks"));
    connect(marks, &MarksPanel::goTo, this, &TraceView::showCycle);
    connect(marks_, &MarksModel::marksChanged, this, [this, marksTab] {
        plot_->setFlags(marks_->marks());
        tiles_->plot().setFlags(marks_->marks());
        const int count = marks_->rowCount();
        tabs_->setTabText(marksTab, count == 0 ? tr("Marks") : tr("Marks (%1)").arg(count));
    });
    connect(marks_, &MarksModel::saved, this, [this](const QString& problem) {
        if (!problem.isEmpty())
            emit status(problem);
    });
    return tabs_;
}

void TraceView::updateLegend() {
    std::vector<LegendBar::Entry> entries;
    const Theme& theme = context().theme.current();
    for (const ProgramKind kind :
         {ProgramKind::OnTileExecute, ProgramKind::DoExchange, ProgramKind::GlobalExchange,
          ProgramKind::Sync, ProgramKind::StreamCopyBegin, ProgramKind::StreamCopyMid,
          ProgramKind::StreamCopyEnd}) {
        const std::string_view name = toString(kind);
        entries.push_back({QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())),
                           theme.kind(kind)});
    }
    if (look() != TraceLook::Tiles && showsHost_->isChecked())
        entries.push_back({tr("Host waits for IPU"), groupColour(theme, hostWaitsKind)});
    if (look() == TraceLook::Tiles)
        entries.push_back({tr("Waits for other tiles"), tileStateColour(theme, TileState::Wait)});
    legend_->setEntries(std::move(entries));
}

void TraceView::paintOverview(QPainter& painter, const QRect& rect) const {
    if (stripRows_.empty())
        return;
    const Theme& theme = context().theme.current();
    const ZoomRange& zoom = context().timeZoom;
    // More lanes than pixels cannot all be seen.
    const std::size_t shown =
        std::min(stripRows_.size(), static_cast<std::size_t>(std::max(1, rect.height())));
    const double height = static_cast<double>(rect.height()) / static_cast<double>(shown);
    std::array<QRgb, programKinds.size()> colours{};
    for (const ProgramKind kind : programKinds)
        colours.at(static_cast<std::size_t>(kind)) = theme.kind(kind).rgb();
    // A line of pixels for each lane, stretched to its height.
    QImage line(rect.width(), 1, QImage::Format_ARGB32_Premultiplied);
    for (std::size_t i = 0; i < shown; ++i) {
        const TraceRow& steps = stripRows_[i * stripRows_.size() / shown];
        line.fill(Qt::transparent);
        auto* const pixels = reinterpret_cast<QRgb*>(line.bits());
        for (const BoxOnScreen& place :
             boxesOnScreen(steps, zoom.first(), zoom.last(), rect.width())) {
            const auto kind = static_cast<std::size_t>(steps.boxes[place.box].kind);
            std::fill(pixels + place.x0, pixels + place.x1,
                      mixedColours(colours.at(kind), theme.surface.rgb(),
                                   std::min(palest, 1 - place.coverage)));
        }
        painter.drawImage(
            QRectF(0, height * static_cast<double>(i), rect.width(), std::max(1.0, height)), line);
    }
}

} // namespace tilescope::views
