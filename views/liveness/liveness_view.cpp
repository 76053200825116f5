#include "views/liveness/liveness_view.h"

#include <QSignalBlocker>
#include <algorithm>

#include "views/plot/save_plot.h"
#include "views/session/time_texts.h"
#include "views/tables/loss_chip.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"
#include "views/widgets/save_picture.h"

namespace tilescope::views {
namespace {
// What an item of the choice of tiles selects.
constexpr int kindRole = Qt::UserRole;
constexpr int idRole = Qt::UserRole + 1;
enum TilesKind { AllTiles, OneIpu, SelectedTile, OneTile };
} // namespace

LivenessView::LivenessView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , plots_(new StepPlotPair(context, tr("Program step")))
    , lifetimes_(new LifetimeStrip(context, plots_->first().zoom()))
    , plotPanel_(new LoadingPanel(context.workers))
    , lifetimeQuery_(context.workers)
    , tabs_(new LivenessTabs(context)) {
    plots_->setValueTitle(tr("Live at the step"));
    auto* plotPage = new QWidget;
    inColumn(plotPage, {plots_, lifetimes_}, plots_);
    plotPanel_->setContent(plotPage);
    constexpr double plotShare = 0.62; // of the height, also where the tables have many rows
    split_ = new PlotOverTable(plotPanel_, tabs_, plotShare);
    inColumn(this, {makeTools(), split_});
    connectPlot(plots_->first());
    connectPlot(plots_->second());
    plots_->first().plot().setAccessibleName(tr("Live bytes by program step"));
    plots_->second().plot().setAccessibleName(tr("Live bytes by program step, target"));
    connect(lifetimes_, &LifetimeStrip::hovered, this, &ReportView::status);
    connect(&context.lossFilter, &LossFilter::changed, this, &LivenessView::loadPlot);
    connect(tabs_, &LivenessTabs::variablesChanged, this, &LivenessView::loadLifetimes);
}

void LivenessView::connectPlot(StepPlot& plot) {
    plot.plot().setReadOut([this](double x, double) { return readOut(x); });
    connect(&plot.plot(), &PlotWidget::hovered, this, &ReportView::status);
    connect(&plot.plot(), &PlotWidget::clicked, this,
            [this](double x, double, Qt::KeyboardModifiers modifiers) { clicked(x, modifiers); });
    setPointAt(plot.plot(), [this, at = &plot.plot()](const std::optional<QPoint>& position,
                                                      const ShowMenu& show) {
        Pointed pointed;
        const StepId step = position ? sourceSteps_.at(at->xAxis->pixelToCoord(position->x()))
                                     : context().selection.current().step;
        if (step.valid() && step.index() < sourceSteps_.names.size()) {
            pointed.thing.step = step;
            pointed.name = QString::fromStdString(sourceSteps_.names[step.index()]);
        }
        show(pointed);
    });
}

ToolRow* LivenessView::makeTools() {
    tools_ = new ToolRow;
    source_ = tools_->addChoice(tr("Tiles"), {tr("All")});
    alwaysLive_ =
        tools_->addToggle(tr("Include always live"),
                          tr("Stack the variables in use on those that are always live"), true);
    limit_ = tools_->addToggle(
        tr("Max memory"), tr("Show the memory of the tiles as a line, and what exceeds it in red"),
        true);
    apart_ = tools_->addToggle(tr("Separate"),
                               tr("Source and target below each other instead of one over the "
                                  "other"),
                               false);
    align_ = tools_->addChoice(tr("Align"), {tr("Steps"), tr("Operations")});
    align_->setToolTip(tr("Where to draw steps of the target: at their numbers, or where the same "
                          "operation of the source is"));
    align_->setObjectName(QStringLiteral("align"));
    leaveOutOfState(*align_); // the best choice depends on the pair
    auto* peak = tools_->addButton(tr("Go to peak"), tr("Select the step with most live bytes"));
    auto* chip = new LossChip(context());
    tools_->add(chip);
    tools_->setPriority(chip, ToolRow::Priority::Always);
    tools_->addStretch();
    filter_ = tools_->addField(tr("Filter steps"),
                               tr("Shows only steps whose names contain this; Enter selects the "
                                  "next of them"),
                               220);
    filter_->setAccessibleName(tr("Filter steps"));
    auto* save = tools_->addButton(tr("Save"), tr("Save the plot as a picture"));
    connect(save, &QToolButton::clicked, this, &LivenessView::save);
    connect(peak, &QToolButton::clicked, this, [this] { selectStep(peak_); });
    connect(source_, &QComboBox::activated, this, [this] {
        loadPlot();
        tellTabs();
    });
    for (QToolButton* toggle : {alwaysLive_, limit_, apart_})
        connect(toggle, &QToolButton::toggled, this, &LivenessView::loadPlot);
    connect(align_, &QComboBox::currentIndexChanged, this, [this] {
        alignChosen_ = true;
        loadPlot();
    });
    connect(filter_, &QLineEdit::textChanged, this, &LivenessView::loadPlot);
    connect(filter_, &QLineEdit::returnPressed, this, &LivenessView::nextStep);
    return tools_;
}

void LivenessView::focusSearch() {
    filter_->setFocus();
    filter_->selectAll();
}

void LivenessView::reload() {
    fillSources();
    tools_->setShown(apart_, comparing());
    tools_->setShown(align_, comparing());
    shown_ = {};
    steps_.clear();
    sourceSteps_ = targetSteps_ = {};
    lifetimes_->setLifetimes({});
    followSelection();
    loadPlot();
    split_->startAnew();
    tabs_->reload();
}

void LivenessView::restyle() {
    loadPlot();
    tabs_->reload();
}

void LivenessView::addSource(const QString& text, int kind, int id) {
    source_->addItem(text, kind);
    source_->setItemData(source_->count() - 1, id, idRole);
}

void LivenessView::fillSources() {
    const QSignalBlocker blocker(source_);
    source_->clear();
    addSource(tr("All"), AllTiles, -1);
    for (int i = 0; i < profiles().source->machine().ipus; ++i)
        addSource(tr("IPU %1").arg(i), OneIpu, i);
    addSource(tr("Selected tile"), SelectedTile, -1);
}

// Known only when the memory of tiles was read.
void LivenessView::addFullestTiles(const std::vector<TileId>& tiles) {
    const QSignalBlocker blocker(source_);
    if (source_->findData(OneTile, kindRole) >= 0)
        return;
    for (std::size_t i = 0; i < tiles.size(); ++i)
        addSource(i == 0 ? tr("Tile %1 (fullest)").arg(tiles[i].value())
                         : tr("Tile %1").arg(tiles[i].value()),
                  OneTile, tiles[i].value());
}

bool LivenessView::wantsSelectedTile() const {
    return source_->currentData(kindRole).toInt() == SelectedTile;
}

TileSelection LivenessView::tiles() const {
    const std::vector<TileId>& selected = context().selection.current().tiles;
    const int id = source_->currentData(idRole).toInt();
    switch (source_->currentData(kindRole).toInt()) {
    case OneIpu:
        return TileSelection::ofIpu(IpuId(id));
    case OneTile:
        return TileSelection::ofTile(TileId(id));
    case SelectedTile:
        if (!selected.empty())
            return TileSelection::ofTile(selected.back());
        break;
    default:
        break;
    }
    return TileSelection::all();
}

void LivenessView::loadPlot() {
    if (!profiles().source)
        return;
    if (wantsSelectedTile() && context().selection.current().tiles.empty()) {
        plotPanel_->showMessage(tr("No tile is selected"),
                                tr("Select a tile in the Memory report."));
        return;
    }
    const LivenessOptions options{tiles(),
                                  alwaysLive_->isChecked(),
                                  comparing() && apart_->isChecked(),
                                  filter_->text().trimmed(),
                                  limit_->isChecked(),
                                  context().preferences.byteUnits(),
                                  !alignChosen_                 ? StepsAlign::AsFits
                                  : align_->currentIndex() == 0 ? StepsAlign::Steps
                                                                : StepsAlign::Operations,
                                  context().lossFilter.kind()};
    plotPanel_->load([this, pair = profiles(), options,
                      theme = context().theme.current()](const std::stop_token& stop) {
        return [this, content = livenessContent(pair, options, theme, stop)]() mutable {
            showPlot(std::move(content));
        };
    });
}

void LivenessView::showPlot(LivenessContent content) {
    sourceSteps_ = std::move(content.sourceSteps);
    targetSteps_ = std::move(content.targetSteps);
    peak_ = content.peak;
    addFullestTiles(content.fullestTiles);
    if (sourceSteps_.names.empty())
        return plotPanel_->showMessage(tr("This profile has no program steps"),
                                       tr("Its program is empty: there is nothing to be live at."));
    if (sourceSteps_.shown.empty() && targetSteps_.shown.empty())
        return plotPanel_->showMessage(
            tr("No step matches the filter"),
            context().lossFilter.kind()
                ? tr("No step of the program is counted by the loss that was chosen. The button "
                     "above that names it shows all steps.")
                : tr("No step's name contains '%1'.").arg(filter_->text()));
    showAlignment(content.aligned);
    labelSteps();
    if (content.target)
        plots_->setContents(std::move(content.plot), tr("Source"), std::move(*content.target),
                            tr("Target"));
    else
        plots_->setContent(std::move(content.plot));
    markSteps();
    loadLifetimes();
}

void LivenessView::showAlignment(bool aligned) {
    const QSignalBlocker blocker(align_);
    align_->setCurrentIndex(aligned ? 1 : 0);
}

void LivenessView::labelSteps() {
    const auto numbersOf = [](const StepList& steps) {
        std::vector<std::int32_t> numbers;
        if (steps.shown.size() == steps.names.size() && steps.places.empty())
            return numbers;
        // A place in a gap is that of the step before it.
        numbers.resize(steps.length());
        for (std::size_t i = 0; i < steps.shown.size(); ++i) {
            const auto next =
                i + 1 < steps.shown.size() ? numbers.begin() + steps.placeAt(i + 1) : numbers.end();
            std::fill(numbers.begin() + steps.placeAt(i), next, steps.shown[i].value());
        }
        return numbers;
    };
    const bool filtered = sourceSteps_.shown.size() != sourceSteps_.names.size();
    QString label = filtered ? tr("Program step (%1 of %2)")
                                   .arg(countText(std::ssize(sourceSteps_.shown)),
                                        countText(std::ssize(sourceSteps_.names)))
                             : tr("Program step");
    if (!sourceSteps_.places.empty())
        label = tr("%1, aligned by operation").arg(label);
    plots_->setKeyLabel(label);
    plots_->first().setKeyNumbers(numbersOf(sourceSteps_));
    plots_->second().setKeyNumbers(numbersOf(targetSteps_));
}

void LivenessView::loadLifetimes() {
    const std::vector<VariableId> variables = tabs_->variables();
    if (variables.empty() || sourceSteps_.names.empty()) {
        lifetimeQuery_.cancel();
        return lifetimes_->setLifetimes({});
    }
    // Names are not needed, and long.
    lifetimeQuery_.start([this, pair = profiles(), variables,
                          source = StepList{{}, sourceSteps_.shown, sourceSteps_.places},
                          target = StepList{{}, targetSteps_.shown, targetSteps_.places},
                          theme = context().theme.current()](const std::stop_token& stop) {
        return [this,
                found = views::lifetimes(pair, variables, source, target, theme, stop)]() mutable {
            lifetimes_->setLifetimes(std::move(found));
        };
    });
}

void LivenessView::followSelection() {
    const Selected selected = context().selection.current();
    const bool otherTiles = selected.tiles != shown_.tiles;
    const bool otherVariable = selected.variable != shown_.variable;
    shown_ = selected;
    // A step that another report has chosen is shown alone.
    if (!selected.step.valid())
        steps_.clear();
    else if (steps_.empty() || steps_.back() != selected.step)
        steps_ = {selected.step};
    markSteps();
    tellTabs();
    if (otherTiles && wantsSelectedTile())
        loadPlot();
    else if (otherVariable)
        loadLifetimes();
}

void LivenessView::tellTabs() {
    const Selected& selected = context().selection.current();
    tabs_->setAbout({steps_, tiles(), selected.tiles, selected.variable});
}

void LivenessView::clicked(double x, Qt::KeyboardModifiers modifiers) {
    // The selection has steps of the source, even if the target's plot is clicked.
    const StepId step = sourceSteps_.at(x);
    if (!step.valid())
        return;
    if (!modifiers.testFlag(Qt::ShiftModifier))
        return selectStep(step);
    std::erase(steps_, step);
    steps_.push_back(step);
    announceSteps();
}

void LivenessView::selectStep(StepId step) {
    if (!step.valid())
        return;
    steps_ = {step};
    announceSteps();
}

void LivenessView::announceSteps() {
    const StepId step = steps_.back();
    if (context().selection.current().step == step) {
        // The window's selection stays the same, but this report's other steps may have changed.
        markSteps();
        return tellTabs();
    }
    context().selection.update([step](Selected& s) { s.step = step; });
}

void LivenessView::nextStep() {
    const std::vector<StepId>& shown = sourceSteps_.shown;
    if (shown.empty()) {
        emit status(tr("No step contains '%1'").arg(filter_->text()));
        return;
    }
    const StepId from = context().selection.current().step;
    auto next = std::upper_bound(shown.begin(), shown.end(), from);
    if (next == shown.end())
        next = shown.begin();
    selectStep(*next);
    ZoomRange& zoom = plots_->first().zoom();
    const double place = sourceSteps_.placeOf(*next);
    if (place < zoom.from() || place >= zoom.to())
        zoom.setRange(place - zoom.span() / 2, place + zoom.span() / 2);
}

void LivenessView::markSteps() {
    std::vector<PlotWidget::Marker> ofSource;
    std::vector<PlotWidget::Marker> ofTarget;
    const auto mark = [](std::vector<PlotWidget::Marker>& markers, int place) {
        if (place >= 0)
            markers.push_back({static_cast<double>(place), place + 1.0});
    };
    for (const StepId step : steps_) {
        mark(ofSource, sourceSteps_.placeOf(step));
        if (plots_->showsTwo() && comparing()) // other profiles may be open than those plotted
            mark(ofTarget, targetSteps_.placeOf(profiles().matching->targetOf(step)));
    }
    plots_->setMarkers(ofSource, ofTarget);
}

void LivenessView::save() {
    if (!plots_->showsTwo() && lifetimes_->lifetimes().empty())
        return savePlot(plots_->first().plot(), QStringLiteral("liveness"));
    askAndSave(window(), tr("Save plot"), QStringLiteral("liveness.png"), pictureFilter(),
               [this](const QString& file) { return savePicture(*plotPanel_, file); });
}

QString LivenessView::readOut(double x) const {
    const auto place = static_cast<std::size_t>(std::max(0.0, x));
    QStringList lines;
    const auto add = [&](const StepList& steps, const QString& pattern, const QString& none) {
        if (const StepId step = steps.at(x); step.valid())
            lines << pattern.arg(step.value()).arg(shownName(steps.names[step.index()]));
        else if (!sourceSteps_.places.empty())
            lines << none;
    };
    if (x < 0 || (!sourceSteps_.at(x).valid() && !targetSteps_.at(x).valid()))
        return {};
    if (comparing()) {
        // At one place source and target have steps with numbers of their own.
        add(sourceSteps_, tr("Source's step %1: %2"), tr("The source has no step here"));
        add(targetSteps_, tr("Target's step %1: %2"), tr("The target has no step here"));
    } else {
        add(sourceSteps_, tr("Step %1: %2"), {});
    }
    for (StepPlot* plot : {&plots_->first(), &plots_->second()})
        if (const QString values = plot->valuesAt(place); !values.isEmpty())
            lines << values;
    return lines.join(QLatin1Char('\n'));
}

} // namespace tilescope::views
