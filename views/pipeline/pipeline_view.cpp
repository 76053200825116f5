#include "views/pipeline/pipeline_view.h"

#include <QSignalBlocker>
#include <QSpinBox>
#include <QTableView>
#include <algorithm>

#include "views/plot/trace/box_colours.h"
#include "views/widgets/control_states.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

bool trains(const PipelineReport& report) {
    return std::any_of(report.stages.begin(), report.stages.end(),
                       [](const PipelineStage& stage) { return stage.backwardCycles > 0; });
}

// The words of `tilescope report PROFILE pipeline`.
std::vector<ShareBar::Part> sharesOf(const PipelineReport& report) {
    return {{ShareBar::tr("Runs a stage"),
             ShareBar::tr("Utilisation: the mean over the IPUs. With equally long stages this "
                          "schedule allows %1 %.")
                 .arg(100 * report.scheduleUtilisation, 0, 'f', 1),
             report.utilisation, [](const Theme& t) { return t.series(0); }},
            {ShareBar::tr("Bubbles: no stage to run"),
             ShareBar::tr("Slots of ramp-up and ramp-down in which an IPU has nothing to run"),
             report.bubbleShare, [](const Theme& t) { return t.series(5); }},
            {ShareBar::tr("Waits for a longer stage"),
             ShareBar::tr("An IPU is done with its part of a slot before the slowest one"),
             report.imbalanceShare, [](const Theme& t) { return t.series(6); }},
            {trains(report) ? ShareBar::tr("Copies, host, weight update")
                            : ShareBar::tr("Copies and host"),
             ShareBar::tr("Between the slots: copies between IPUs, streams of the host, and in "
                          "training the weight update"),
             report.overheadShare,
             [](const Theme& t) { return mixed(t.mutedText, t.surface, 0.3); }}};
}

// One profile: figures, then its slots. Two: both schedules in sight, then the longer figures.
void placeCards(QWidget& cards, bool comparing) {
    auto* column = static_cast<QVBoxLayout*>(cards.parentWidget()->layout());
    column->removeWidget(&cards);
    const int last = column->count() - 1; // before the stretch
    column->insertWidget(comparing ? last : 0, &cards);
}

} // namespace

PipelineView::PipelineView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , panel_(new LoadingPanel(context.workers)) {
    ToolRow* const tools = makeTools(); // its choices decide what is shown
    stages_ = new TablePanel(context, tr("Filter stages"));
    auto* splitter = splitOf(Qt::Vertical, makeTop(), stages_, 3, 1);
    splitter->setSizes({3000, 1200}); // only their proportion counts
    panel_->setContent(splitter);
    inColumn(this, {tools, panel_});
    connect(&context.theme, &ThemeSource::changed, this, &PipelineView::updateLegend);
}

ToolRow* PipelineView::makeTools() {
    auto* tools = new ToolRow;
    widths_ = tools->addChoice(tr("Slot widths"), {tr("Equal"), tr("Cycles")});
    widths_->setCurrentIndex(static_cast<int>(SlotWidths::Cycles));
    widths_->setToolTip(tr("All slots alike, or as wide as their slowest IPU takes"));
    numbers_ = tools->addChoice(tr("Number by"), {tr("Micro-batch"), tr("Stage")});
    numbers_->setToolTip(tr("F1, B1 is the first micro-batch, every slot is drawn; or F0, B0 the "
                            "first stage, and main slots are drawn once, with their count above"));
    colours_ = tools->addChoice(tr("Colour by"), {tr("Pass"), tr("Micro-batch")});
    colours_->setToolTip(tr("Forward and backward, or a colour for each micro-batch"));
    follow_ = new QSpinBox;
    follow_->setSpecialValueText(tr("none"));
    follow_->setAccessibleName(tr("Follow"));
    follow_->setButtonSymbols(QAbstractSpinBox::NoButtons); // arrow keys and the wheel do it
    follow_->setRange(0, 0);
    follow_->setToolTip(tr("The micro-batch whose way through the stages is marked here and in "
                           "the Execution Trace"));
    leaveOutOfState(*follow_);
    tools->addNamed(tr("Follow"), follow_);
    tools->addStretch();
    toTrace_ = tools->addButton(tr("Show in Execution Trace"),
                                tr("Where the chosen program first runs (double click, Enter)"));
    toTree_ = tools->addButton(tr("Show in Program Tree"), tr("The call of the chosen program"));
    connect(widths_, &QComboBox::currentIndexChanged, this,
            [this](int index) { setWidths(static_cast<SlotWidths>(index)); });
    connect(numbers_, &QComboBox::currentIndexChanged, this,
            [this](int index) { setNumbers(static_cast<SlotNumbers>(index)); });
    connect(colours_, &QComboBox::currentIndexChanged, this,
            [this](int index) { setColours(static_cast<SlotColours>(index)); });
    connect(follow_, &QSpinBox::valueChanged, this, [this](int number) {
        this->context().selection.update([&](Selected& s) {
            s.microBatch = number > 0 ? MicroBatchId(std::int32_t{number}) : MicroBatchId();
        });
    });
    connect(toTrace_, &QToolButton::clicked, this, [this] { goTo(QStringLiteral("trace")); });
    connect(toTree_, &QToolButton::clicked, this, [this] { goTo(QStringLiteral("programs")); });
    return tools;
}

QWidget* PipelineView::makeTop() {
    QWidget* content = tabPage();
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 8);
    layout->setSpacing(4);
    layout->addWidget(makeCards());
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        Side& side = sides_[i];
        side.title = wrappedLabel({}, "muted");
        side.title->setContentsMargins(14, 6, 14, 0);
        side.empty = wrappedLabel({}, "muted");
        side.empty->setContentsMargins(14, 2, 14, 8);
        side.diagram = new SlotDiagram(context());
        layout->addWidget(side.title);
        layout->addWidget(side.empty);
        layout->addWidget(side.diagram);
        connect(side.diagram, &SlotDiagram::pieceChosen, this,
                [this, i](int piece) { select(i, piece); });
        connect(side.diagram, &SlotDiagram::scrolled, this, [this, i] {
            if (scrolling_)
                return;
            scrolling_ = true; // both show the same slots
            if (target_)
                sides_[1 - i].diagram->scrollTo(sides_[i].diagram->window().first);
            scrolling_ = false;
            shareScale();
        });
        connect(side.diagram, &SlotDiagram::pieceActivated, this, [this, i](int piece) {
            select(i, piece);
            goTo(QStringLiteral("trace"));
        });
    }
    legend_ = new LegendBar(context());
    legend_->setLeft(SlotDiagram::leftMargin);
    layout->addWidget(legend_);
    chosen_ = wrappedLabel({}, "advice");
    chosen_->setContentsMargins(14, 0, 14, 0);
    layout->addWidget(chosen_);
    layout->addStretch();
    auto* scroll = scrolled(content);
    updateLegend();
    return scroll;
}

void PipelineView::reload() {
    panel_->load([this, pair = profiles()](const std::stop_token& stop) {
        PipelineSide source = readPipeline(*pair.source, stop);
        std::optional<PipelineSide> target;
        if (pair.comparing())
            target = readPipeline(*pair.target, stop);
        if (target)
            tellApart(source, *target, *pair.source, *pair.target);
        return [this, source = std::move(source), target = std::move(target)]() mutable {
            show(std::move(source), std::move(target));
        };
    });
}

void PipelineView::show(PipelineSide source, std::optional<PipelineSide> target) {
    const bool none = source.report.stages.empty() && (!target || target->report.stages.empty());
    source_ = std::move(source);
    target_ = std::move(target);
    for (QWidget* control : {static_cast<QWidget*>(widths_), static_cast<QWidget*>(numbers_),
                             static_cast<QWidget*>(colours_), static_cast<QWidget*>(follow_)})
        control->setEnabled(!none);
    {
        const QSignalBlocker quiet(follow_);
        const std::int64_t most =
            std::max(source_->report.microBatches, target_ ? target_->report.microBatches : 0);
        follow_->setMaximum(static_cast<int>(
            std::min<std::int64_t>(most, std::numeric_limits<std::int32_t>::max() - 1)));
    }
    if (none) {
        toTrace_->setEnabled(false);
        toTree_->setEnabled(false);
        const bool known = profiles().source->info().has(ProfilePart::Pipeline);
        panel_->showMessage(!known    ? tr("Stages are not in this profile")
                            : target_ ? tr("Neither profile is pipelined")
                                      : tr("No pipeline"),
                            QString::fromStdString(source_->report.hint));
        return;
    }
    placeCards(*facts_->parentWidget(), target_ && !target_->report.stages.empty());
    showSide(sides_[0], &*source_);
    showSide(sides_[1], target_ ? &*target_ : nullptr);
    shareScale();
    stages_->setTable(stageTable(*source_, target_ ? &*target_ : nullptr));
    updateTexts();
    pieceChosen(0, -1);
    updateLegend();
    followSelection();
}

void PipelineView::showSide(Side& side, const PipelineSide* shown) {
    const bool piped = shown != nullptr && !shown->report.stages.empty();
    const bool named = shown != nullptr && target_.has_value();
    const bool isTarget = &side == &sides_[1];
    side.title->setVisible(named);
    side.empty->setVisible(shown != nullptr && !piped);
    side.diagram->setVisible(piped);
    side.shares->setVisible(piped);
    side.split->setVisible(shown != nullptr);
    if (shown == nullptr)
        return;
    const QString name =
        isTarget ? tr("Target: %1").arg(shown->title) : tr("Source: %1").arg(shown->title);
    side.title->setText(name);
    side.empty->setText(QString::fromStdString(shown->report.hint));
    side.diagram->setSide(*shown);
    side.diagram->setAccessibleName(named ? tr("Slots of the pipeline, %1").arg(name)
                                          : tr("Slots of the pipeline"));
    side.shares->setParts(named ? name : QString(), sharesOf(shown->report));
    const QString option = splitOption(shown->report);
    side.splitOption->setProperty("option", option);
    // A long option may break after a comma or a slash.
    QString breakable = option;
    breakable.replace(QLatin1Char(','), QStringLiteral(",\u200b"));
    breakable.replace(QLatin1Char('/'), QStringLiteral("/\u200b"));
    side.splitOption->setText(breakable);
    side.splitOption->setVisible(!option.isEmpty());
    side.actions->setVisible(!option.isEmpty());
}

void PipelineView::setWidths(SlotWidths widths) {
    widths_->setCurrentIndex(static_cast<int>(widths));
    for (const Side& side : sides_)
        side.diagram->setWidths(widths);
    shareScale();
    pieceChosen(0, -1);
    followSelection();
}

void PipelineView::setNumbers(SlotNumbers numbers) {
    numbers_->setCurrentIndex(static_cast<int>(numbers));
    for (const Side& side : sides_)
        side.diagram->setNumbers(numbers);
    shareScale();
    pieceChosen(0, -1);
    followSelection();
}

void PipelineView::setColours(SlotColours colours) {
    colours_->setCurrentIndex(static_cast<int>(colours));
    for (const Side& side : sides_)
        side.diagram->setColours(colours);
    updateLegend();
}

// A micro-batch has no place where main slots are drawn once.
void PipelineView::follow(std::int64_t microBatch) {
    const QSignalBlocker quiet(follow_);
    follow_->setValue(static_cast<int>(microBatch));
    if (microBatch > 0 && numbers_->currentIndex() != static_cast<int>(SlotNumbers::MicroBatches))
        setNumbers(SlotNumbers::MicroBatches);
    for (const Side& side : sides_)
        side.diagram->follow(microBatch);
}

void PipelineView::shareScale() {
    SlotDiagram& source = *sides_[0].diagram;
    SlotDiagram& target = *sides_[1].diagram;
    source.setBeside(target_ ? &target.own() : nullptr);
    target.setBeside(target_ ? &source.own() : nullptr);
    SlotDiagram::Scale ofSource = source.ownScale();
    SlotDiagram::Scale ofTarget = target.ownScale();
    const bool alike = source.schedule().byCycles == target.schedule().byCycles;
    if (alike && target_ && ofSource.units > 0 && ofTarget.units > 0)
        ofSource = ofTarget = {std::max(ofSource.units, ofTarget.units),
                               std::max(ofSource.gaps, ofTarget.gaps),
                               std::max(ofSource.right, ofTarget.right)};
    source.setScale(ofSource);
    target.setScale(ofTarget);
}

void PipelineView::pieceChosen(std::size_t side, int piece) {
    if (side == 0 || piece >= 0)
        sides_[1 - side].diagram->choose(-1);
    const SlotDiagram& diagram = *sides_[side].diagram;
    const bool chosen = piece >= 0;
    const ProgramId call =
        chosen ? diagram.schedule().pieces[static_cast<std::size_t>(piece)].call : ProgramId();
    const bool canGo = side == 0 && call.valid();
    toTrace_->setEnabled(canGo && source_ && source_->stepCycles > 0);
    toTree_->setEnabled(canGo);
    QString text = tr("Click a program of a slot to see its cycles, and where it is in the "
                      "trace and in the program tree.");
    if (chosen) {
        text = pieceText(diagram.side(), diagram.schedule(),
                         diagram.schedule().pieces[static_cast<std::size_t>(piece)],
                         context().preferences);
        text.replace(QLatin1Char('\n'), QStringLiteral("  \u00b7  "));
    }
    chosen_->setText(text);
}

void PipelineView::select(std::size_t side, int piece) {
    pieceChosen(side, piece);
    const std::vector<SlotPiece>& pieces = sides_[side].diagram->schedule().pieces;
    const SlotPiece none;
    const SlotPiece& chosen = piece < 0 ? none : pieces[static_cast<std::size_t>(piece)];
    context().selection.update([&](Selected& s) {
        if (side == 0 && (chosen.call.valid() || piece < 0))
            s.program = chosen.call;
        if (numbers_->currentIndex() == static_cast<int>(SlotNumbers::MicroBatches))
            s.microBatch = chosen.microBatch > 0
                               ? MicroBatchId(static_cast<std::size_t>(chosen.microBatch))
                               : MicroBatchId();
    });
}

void PipelineView::goTo(const QString& report) {
    const bool possible =
        report == QLatin1String("trace") ? toTrace_->isEnabled() : toTree_->isEnabled();
    if (possible)
        emit reportWanted(report);
}

// A Call or a micro-batch that was chosen elsewhere is marked here too.
void PipelineView::followSelection() {
    const Selected& selected = context().selection.current();
    const ProgramId program = selected.program;
    SlotDiagram& diagram = *sides_[0].diagram;
    if (!source_)
        return;
    follow(std::max(0, selected.microBatch.value()));
    if (!program.valid())
        return;
    const auto& pieces = diagram.schedule().pieces;
    const int now = diagram.chosen();
    if (now >= 0 && pieces[static_cast<std::size_t>(now)].call == program)
        return;
    for (std::size_t i = 0; i < pieces.size(); ++i)
        if (pieces[i].call == program &&
            (diagram.followed() == 0 || pieces[i].microBatch == diagram.followed())) {
            diagram.choose(static_cast<int>(i));
            return pieceChosen(0, static_cast<int>(i));
        }
}

void PipelineView::updateLegend() {
    std::vector<SlotWork> shown;
    for (const Side& side : sides_)
        for (const SlotPiece& piece : side.diagram->schedule().pieces)
            if (std::find(shown.begin(), shown.end(), piece.work) == shown.end())
                shown.push_back(piece.work);
    std::sort(shown.begin(), shown.end());
    const Theme& theme = context().theme.current();
    const bool byBatch = colours_->currentIndex() == static_cast<int>(SlotColours::MicroBatch) &&
                         numbers_->currentIndex() == static_cast<int>(SlotNumbers::MicroBatches);
    std::vector<LegendBar::Entry> entries;
    constexpr int named = 8; // micro-batches; the others have their numbers on them
    for (int number = 1; byBatch && number <= std::min(named, follow_->maximum()); ++number)
        entries.push_back({number == 1 ? tr("Micro-batch 1") : QString::number(number),
                           tintColour(theme, microBatchTint(number, false))});
    if (byBatch && follow_->maximum() > named)
        entries.back().name += QStringLiteral(" \u2026");
    for (const SlotWork work : shown)
        if (!byBatch || work == SlotWork::Update || work == SlotWork::Fifo)
            entries.push_back({workName(work), workColour(theme, work)});
    entries.push_back({tr("Nothing to run, or done early"), idleColour(theme)});
    legend_->setEntries(std::move(entries));
}

// Texts that depend on the preferred units.
void PipelineView::updateTexts() {
    const PipelineSide* second = target_ ? &*target_ : nullptr;
    facts_->setFacts(pipelineFacts(*source_, second, context().preferences), second != nullptr);
    const QString source = splitText(*source_, context().preferences);
    sides_[0].splitText->setText(second == nullptr ? source : tr("Source. %1").arg(source));
    if (second != nullptr)
        sides_[1].splitText->setText(
            tr("Target. %1").arg(splitText(*second, context().preferences)));
}

void PipelineView::restyle() {
    updateLegend();
    if (source_ && widths_->isEnabled()) {
        updateTexts();
        const std::size_t side = sides_[1].diagram->chosen() >= 0 ? 1 : 0;
        pieceChosen(side, sides_[side].diagram->chosen());
    }
}

} // namespace tilescope::views
