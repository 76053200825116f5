#include "views/liveness/liveness_view.h"

#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "views/liveness/liveness_content.h"
#include "views/plot/save_plot.h"

namespace tilescope::views {

LivenessView::LivenessView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , plot_(new StepPlot(context, tr("Program step")))
    , plotPanel_(new LoadingPanel(context.workers))
    , tabs_(new QTabWidget) {
    plotPanel_->setContent(plot_);
    tabs_->setDocumentMode(true);
    const QStringList titles{tr("Always live"), tr("Not always live"), tr("Vertices"),
                             tr("Cycle estimates")};
    for (int i = 0; i < titles.size(); ++i) {
        tables_[i] = new TablePanel(context, i < 2 ? tr("Filter variables") : tr("Filter"));
        tabs_->addTab(tables_[i], titles[i]);
    }
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(plotPanel_);
    splitter->addWidget(tabs_);
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 4);
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeTools());
    layout->addWidget(splitter, 1);

    plot_->plot().setReadOut([this](double x, double) { return readOut(x); });
    connect(&plot_->plot(), &PlotWidget::hovered, this, &ReportView::status);
    connect(&plot_->plot(), &PlotWidget::clicked, this,
            [this](double x, double, Qt::KeyboardModifiers) {
                if (x >= 0 && x < static_cast<double>(stepNames_.size()))
                    selectStep(StepId(static_cast<std::int32_t>(x)));
            });
    connect(tabs_, &QTabWidget::currentChanged, this, &LivenessView::loadTab);
    for (int i : {AlwaysLive, NotAlwaysLive})
        connect(tables_[i], &TablePanel::chosen, this, [this](std::int32_t id) {
            this->context().selection.update([id](Selected& s) { s.variable = VariableId(id); });
        });
    connect(&context.selection, &Selection::changed, this, &LivenessView::followSelection);
}

ToolRow* LivenessView::makeTools() {
    auto* tools = new ToolRow;
    source_ = tools->addChoice(tr("Tiles"), {tr("All")});
    alwaysLive_ =
        tools->addToggle(tr("Include always live"),
                         tr("Stack the variables in use on those that always live"), true);
    auto* peak = tools->addButton(tr("Go to peak"), tr("Select the step with most live bytes"));
    tools->addStretch();
    search_ = tools->addField(tr("Find step"),
                              tr("Enter goes to the next step whose name contains this"), 220);
    auto* save = tools->addButton(tr("Save"), tr("Save the plot as a picture"));
    connect(save, &QToolButton::clicked, this,
            [this] { savePlot(plot_->plot(), QStringLiteral("liveness")); });
    connect(peak, &QToolButton::clicked, this, [this] { selectStep(peak_); });
    connect(source_, &QComboBox::activated, this, [this] {
        loadPlot();
        loadTab();
    });
    connect(alwaysLive_, &QToolButton::toggled, this, &LivenessView::loadPlot);
    connect(search_, &QLineEdit::returnPressed, this, &LivenessView::findStep);
    return tools;
}

void LivenessView::focusSearch() {
    search_->setFocus();
    search_->selectAll();
}

void LivenessView::reload() {
    fillSources();
    shown_ = {};
    loadPlot();
    loadTab();
}

void LivenessView::restyle() {
    loadPlot();
    loadTab();
}

void LivenessView::fillSources() {
    const QSignalBlocker blocker(source_);
    source_->clear();
    source_->addItem(tr("All"));
    for (int i = 0; i < profiles().source->machine().ipus; ++i)
        source_->addItem(tr("IPU %1").arg(i));
    source_->addItem(tr("Selected tile"));
}

TileSelection LivenessView::tiles() const {
    const int index = source_->currentIndex();
    const std::vector<TileId>& selected = context().selection.current().tiles;
    if (index == source_->count() - 1)
        return selected.empty() ? TileSelection::all() : TileSelection::ofTile(selected.back());
    return index > 0 ? TileSelection::ofIpu(IpuId(index - 1)) : TileSelection::all();
}

void LivenessView::loadPlot() {
    if (!profiles().source)
        return;
    const bool wantsTile = source_->currentIndex() == source_->count() - 1;
    if (wantsTile && context().selection.current().tiles.empty()) {
        plotPanel_->query().cancel();
        plotPanel_->showMessage(tr("No tile is selected"),
                                tr("Select a tile in the Memory report."));
        return;
    }
    plotPanel_->load([this, pair = profiles(), tiles = tiles(), always = alwaysLive_->isChecked(),
                      theme = context().theme.current()](const std::stop_token& stop) {
        return [this, content = livenessContent(pair, tiles, always, theme, stop)]() mutable {
            stepNames_ = std::move(content.stepNames);
            peak_ = content.peak;
            if (stepNames_.empty())
                return plotPanel_->showMessage(
                    tr("This profile has no program steps"),
                    tr("Its program is empty: there is nothing to be live at."));
            plot_->setContent(std::move(content.plot));
            markStep();
        };
    });
}

StepId LivenessView::selectedStep() const {
    const StepId step = context().selection.current().step;
    return step.index() < stepNames_.size() || stepNames_.empty() ? step : StepId();
}

void LivenessView::loadTab() {
    if (!profiles().source)
        return;
    const int tab = tabs_->currentIndex();
    const StepId step = selectedStep();
    if (tab != AlwaysLive && !step.valid()) {
        tables_[tab]->showHint(tr("No step is selected"),
                               tr("Click a step in the plot above, or press Go to peak."));
        return;
    }
    tables_[tab]->load([tab, step, pair = profiles(), tiles = tiles(),
                        units = context().preferences.byteUnits()](const std::stop_token& stop) {
        switch (tab) {
        case AlwaysLive:
            return alwaysLiveTable(pair, tiles, units, stop);
        case NotAlwaysLive:
            return notAlwaysLiveTable(pair, tiles, step, units, stop);
        case Vertices:
            return stepVerticesTable(pair, tiles, step, stop);
        default:
            return cycleTable(pair, step, stop);
        }
    });
}

void LivenessView::followSelection() {
    if (!profiles().source || !isVisible())
        return;
    const Selected selected = context().selection.current();
    const bool otherStep = selected.step != shown_.step;
    const bool otherTiles = selected.tiles != shown_.tiles;
    shown_ = selected;
    markStep();
    for (int i : {AlwaysLive, NotAlwaysLive})
        tables_[i]->selectId(selected.variable.value());
    const bool showsTile = source_->currentIndex() == source_->count() - 1;
    if (otherTiles && showsTile)
        loadPlot();
    // A step was clicked: what is live there is the answer.
    if (otherStep && selected.step.valid() && tabs_->currentIndex() == AlwaysLive)
        return tabs_->setCurrentIndex(NotAlwaysLive);
    if (otherStep || (otherTiles && showsTile))
        loadTab();
}

void LivenessView::selectStep(StepId step) {
    if (!step.valid())
        return;
    context().selection.update([step](Selected& s) { s.step = step; });
}

void LivenessView::findStep() {
    if (search_->text().isEmpty() || stepNames_.empty())
        return;
    const std::size_t size = stepNames_.size();
    const std::size_t start = selectedStep().valid() ? selectedStep().index() + 1 : 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t at = (start + i) % size;
        if (QString::fromStdString(stepNames_[at]).contains(search_->text(), Qt::CaseInsensitive)) {
            selectStep(StepId(at));
            ZoomRange& zoom = plot_->zoom();
            const auto x = static_cast<double>(at);
            if (x < zoom.from() || x >= zoom.to())
                zoom.setRange(x - zoom.span() / 2, x + zoom.span() / 2);
            return;
        }
    }
    emit status(tr("No step contains '%1'").arg(search_->text()));
}

void LivenessView::markStep() {
    const StepId step = selectedStep();
    std::vector<PlotWidget::Marker> markers;
    if (step.valid())
        markers.push_back({static_cast<double>(step.value()), step.value() + 1.0});
    plot_->plot().setMarkers(std::move(markers));
}

QString LivenessView::readOut(double x) const {
    if (x < 0 || x >= static_cast<double>(stepNames_.size()))
        return {};
    const auto step = static_cast<std::size_t>(x);
    return tr("Step %1: %2\n%3")
        .arg(step)
        .arg(QString::fromStdString(stepNames_[step]), plot_->valuesAt(step));
}

} // namespace tilescope::views
