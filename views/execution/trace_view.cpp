#include "views/execution/trace_view.h"

#include "views/execution/track_dialog.h"
#include "views/widgets/parts.h"

namespace tilescope::views {

TraceView::TraceView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , tabs_(new TraceTabs(context))
    , selection_(new TraceSelection(context, profiles(), tabs_->step(), this))
    , panes_(new TracePanes(context, *selection_))
    , controls_(new TraceControls(context, *panes_))
    , navigator_(
          new TraceNavigator(context, profiles(), *selection_, *controls_, *panes_, *tabs_, this))
    , panel_(new LoadingPanel(context.workers))
    , queries_(new SqlTracks(context, this))
    , alignQuery_(context.workers) {
    inColumn(this, {controls_, panel_});
    auto* splitter = splitOf(Qt::Vertical, panes_, tabs_, 5, 2);
    splitter->setSizes({5000, 2000}); // only their proportion counts
    panel_->setContent(splitter);
    connect(&context.timeZoom, &ZoomRange::changed, this, [this] {
        if (isVisible() && panes_->lanes().loaded() && !selection_->range())
            loadStatistics();
    });
    connect(&context.lossFilter, &LossFilter::changed, this, [this] {
        if (panes_->lanes().loaded())
            loadPlots();
    });
    connectParts();
    connectTracks();
}

// Graphs of the program and answers of queries are tracks as counters are.
void TraceView::connectTracks() {
    connect(queries_, &SqlTracks::changed, this, &TraceView::showTracks);
    connect(queries_, &SqlTracks::status, this, &ReportView::status);
    connect(&marks(), &MarksModel::tracksChanged, this, [this] {
        QStringList names;
        for (const TrackQuery& track : marks().tracks())
            names << track.name;
        tracks().setQueries(names);
        if (canShow(profiles()))
            queries_->open(executedOf(profiles()), marks().tracks());
    });
    connect(&tracks(), &TracksPane::plotAdded, this,
            [this](TrackPlot* plot) { plot->setFlags(marks().marks()); });
    connect(&tracks(), &TracksPane::queryUnwanted, &marks(), &MarksModel::removeTrack);
    connect(&tracks(), &TracksPane::queryWanted, this, [this] {
        auto* dialog = new TrackDialog(this->context(), this);
        connect(dialog, &TrackDialog::wanted, &marks(), &MarksModel::addTrack);
        dialog->open();
    });
}

void TraceView::showTracks() {
    tracks().setValueTracks(graphs_, queries_->tracks());
}

void TraceView::connectParts() {
    connect(selection_, &TraceSelection::rangeChanged, this, &TraceView::loadStatistics);
    connect(selection_, &TraceSelection::rangeSelected, tabs_,
            [this] { tabs_->setCurrentIndex(0); });
    connect(selection_, &TraceSelection::detailsWanted, tabs_,
            [this] { tabs_->setCurrentWidget(&tabs_->step()); });
    connect(selection_, &TraceSelection::programShown, this,
            [this](ProgramId program, bool target) {
                tabs_->executions().load(profiles(), program, target);
            });
    connect(&tabs_->executions(), &ExecutionsPanel::stepWanted, this,
            [this](qint64 step, bool target) {
                selection_->dropRange();
                selection_->readStep(step, target); // what it is compared with stays in sight
            });
    connect(&tabs_->inRange(), &RangePanel::chosen, selection_, &TraceSelection::markExecutions);
    connect(&marks(), &MarksModel::marksChanged, this, &TraceView::showFlags);
    connect(controls_, &TraceControls::alignmentChanged, this, &TraceView::changeAlignment);
    connect(tabs_, &TraceTabs::coloursChanged, this, &TraceView::loadPlots);
    connect(controls_, &TraceControls::contentChanged, this, &TraceView::loadPlots);
    connect(controls_, &TraceControls::lookChanged, this, &TraceView::changeLook);
    connect(controls_, &TraceControls::hostChanged, this, [this] {
        if (canShow(profiles()))
            navigator_->changeHost(shown_);
        changeLook();
    });
    connect(controls_, &TraceControls::programWanted, this,
            [this] { emit reportWanted(QStringLiteral("programs")); });
    connect(navigator_, &TraceNavigator::reportWanted, this, &ReportView::reportWanted);
    connect(navigator_, &TraceNavigator::status, this, &ReportView::status);
    connect(selection_, &TraceSelection::status, this, &ReportView::status);
    connect(controls_, &TraceControls::status, this, &ReportView::status);
    connect(panes_, &TracePanes::status, this, &ReportView::status);
    connect(tabs_, &TraceTabs::status, this, &ReportView::status);
}

void TraceView::resizeEvent(QResizeEvent* event) {
    ReportView::resizeEvent(event);
    tabs_->fit(width());
}

void TraceView::reload() {
    const ProfileView& first = *executedOf(profiles());
    controls_->ipu().setCount(first.machine().ipus);
    selection_->reset();
    tabs_->executions().clear();
    navigator_->reset();
    graphs_.clear();
    queries_->open(nullptr, {});
    read_ = shown_ = {};
    alignQuery_.cancel();
    alignment_.reset();
    context().timeZoom.setOwn(true);
    plot().setLowerName(tr("Cycles"));
    controls_->offerAlignment(false);
    controls_->compilation().hide();
    if (!first.info().hasExecution)
        return showNothing();
    panes_->setNotice(
        !onlyTargetRan(profiles()) ? QString()
        : profiles().source->info().fits
            ? tr("The execution of the source was not recorded: only the target's is shown.")
            : tr("The source does not fit in memory and was not executed: only the target's "
                 "execution is shown."));
    plot().setClock(first.machine().clockHz);
    panel_->load([this, pair = profiles()](const std::stop_token& stop) {
        return [this, execution = readExecution(pair, stop)] { show(execution); };
    });
}

void TraceView::show(const ShownExecution& execution) {
    controls_->setEnabled(true);
    read_ = shown_ = execution;
    controls_->offerAlignment(comparing() && !onlyTargetRan(profiles()) &&
                              profiles().target->info().hasExecution);
    const ProfileView& profile = *executedOf(profiles());
    const double clock = profile.machine().clockHz;
    tabs_->showRecord(shown_.record, clock);
    graphs_ = shown_.record && !onlyTargetRan(profiles()) ? graphTracks(*shown_.record, clock)
                                                          : ValueTracks();
    showTracks();
    tabs_->showCalls(shown_.hosts);
    panes_->showHosts(shown_.hosts);
    controls_->compilation().setVisible(shown_.hosts.firstCycle < 0);
    tabs_->setPossible(shown_.pipelined, comparing() && !onlyTargetRan(profiles()) &&
                                             profiles().target->info().hasExecution);
    navigator_->begin(shown_);
    tabs_->fit(width());
    if (const QString problem = marks().open(profile.file(), clock, shown_.cycles);
        !problem.isEmpty())
        emit status(problem);
    loadPlots();
    navigator_->countMatches();
    navigator_->arrive();
}

void TraceView::showNothing() {
    controls_->setEnabled(false); // there is nothing that they would change
    panes_->clear();
    tabs_->cancel();
    navigator_->countMatches();
    panel_->showMessage(
        comparing() ? tr("Neither profile has an execution trace")
                    : tr("This profile has no execution trace"),
        profiles().source->info().fits
            ? tr("The model was compiled but its execution was not recorded. Run it again with "
                 "the engine option \"autoReport.outputExecutionProfile\": \"true\".")
            : tr("The model does not fit in memory, so it was compiled but could not be "
                 "executed. The Memory report shows which tiles are too full."));
}

void TraceView::changeLook() {
    panes_->setLook(look(), controls_->host());
    loadPlots();
}

void TraceView::loadPlots() {
    if (!canShow(profiles()))
        return;
    panes_->load(question(), tabs_->colours(), shown_.cycles);
    loadStatistics();
}

void TraceView::loadStatistics() {
    tabs_->load(question(), selection_->range());
}

TraceQuestion TraceView::question() const {
    TraceQuestion question = controls_->question(profiles(), shown_.hosts);
    question.axis = selection_->axis();
    question.loss = context().lossFilter.kind();
    return question;
}

void TraceView::showFlags() {
    std::vector<TraceFlag> flags;
    for (const TraceFlag& mark : marks().marks())
        flags.push_back(onAxis(mark, selection_->axis()));
    plot().setFlags(flags);
    tiles().plot().setFlags(flags);
    for (TrackPlot* track : tracks().plots())
        track->setFlags(flags);
}

void TraceView::changeAlignment() {
    alignQuery_.cancel();
    if (!controls_->aligned())
        return setAxis({});
    if (alignment_)
        return setAxis(TraceAxis(*alignment_));
    emit status(tr("Aligning the operations of both executions…"));
    alignQuery_.start([this, pair = profiles()](const std::stop_token& stop) {
        return [this, aligned = alignCycles(pair, stop)] {
            alignment_ = aligned;
            setAxis(TraceAxis(aligned));
            emit status(tr("Aligned by operation: %1 % of the parts have a counterpart")
                            .arg(100 * aligned.matched(), 0, 'f', 0));
        };
    });
}

// What is in sight of the source stays there.
void TraceView::setAxis(const TraceAxis& axis) {
    if (!axis.aligned() && !selection_->axis().aligned())
        return;
    ZoomRange& zoom = context().timeZoom;
    std::optional<CycleRange> inSight;
    if (!zoom.showsAll())
        inSight = axis.placesOf(
            selection_->axis().cyclesAt(wholeCycles(zoom, zoom.from(), zoom.to()), false), false);
    selection_->setAxis(axis);
    shown_ = onAxis(read_, axis);
    zoom.setOwn(!axis.aligned());
    plot().setLowerName(axis.aligned() ? tr("Aligned") : tr("Cycles"));
    tabs_->showRecord(axis.aligned() ? nullptr : read_.record,
                      executedOf(profiles())->machine().clockHz);
    navigator_->changeAxis(shown_, inSight);
    showFlags();
    loadPlots();
}

void TraceView::goToOperation(OperationId operation, bool target) {
    navigator_->goToOperation(operation, target, panel_->query().running());
}

void TraceView::followSelection() {
    navigator_->follow(selection_->shared());
}

} // namespace tilescope::views
