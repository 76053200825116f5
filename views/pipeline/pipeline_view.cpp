#include "views/pipeline/pipeline_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPushButton>
#include <QTableView>
#include <algorithm>

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
    stages_ = new TablePanel(context, tr("Filter stages"));
    auto* splitter = splitOf(Qt::Vertical, makeTop(), stages_, 3, 1);
    splitter->setSizes({3000, 1200}); // only their proportion counts
    panel_->setContent(splitter);
    inColumn(this, {makeTools(), panel_});
    connect(&context.theme, &ThemeSource::changed, this, &PipelineView::updateLegend);
}

ToolRow* PipelineView::makeTools() {
    auto* tools = new ToolRow;
    widths_ = tools->addChoice(tr("Slot widths"), {tr("Equal"), tr("Cycles")});
    widths_->setCurrentIndex(static_cast<int>(SlotWidths::Cycles));
    widths_->setToolTip(tr("All slots alike, or as wide as their slowest IPU takes. Main slots "
                           "are drawn once, with their count above."));
    tools->addStretch();
    toTrace_ = tools->addButton(tr("Show in Execution Trace"),
                                tr("Where the chosen program first runs (double click, Enter)"));
    toTree_ = tools->addButton(tr("Show in Program Tree"), tr("The call of the chosen program"));
    connect(widths_, &QComboBox::currentIndexChanged, this,
            [this](int index) { setWidths(static_cast<SlotWidths>(index)); });
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
                [this, i](int piece) { pieceChosen(i, piece); });
        connect(side.diagram, &SlotDiagram::pieceActivated, this, [this, i](int piece) {
            pieceChosen(i, piece);
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

QWidget* PipelineView::makeCards() {
    auto* cards = new QWidget;
    cards->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* row = new QHBoxLayout(cards);
    row->setContentsMargins(12, 10, 12, 4);
    row->setSpacing(10);
    facts_ = new Card(tr("Schedule"));
    auto* time = new Card(tr("Time of the IPUs"));
    for (Side& side : sides_) {
        side.shares = new ShareBar(context());
        time->addWidget(side.shares);
    }
    time->addStretch();
    row->addWidget(facts_, 4);
    row->addWidget(time, 4);
    row->addWidget(makeSplitCard(), 4);
    return cards;
}

Card* PipelineView::makeSplitCard() {
    auto* card = new Card(tr("Balance of the stages"));
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        Side& side = sides_[i];
        side.split = new QWidget;
        auto* column = new QVBoxLayout(side.split);
        column->setContentsMargins(0, 0, 0, 0);
        side.splitText = wrappedLabel({}, "advice");
        side.splitOption = wrappedLabel({}, "heading");
        side.actions = makeSplitActions(i);
        column->addWidget(side.splitText);
        column->addWidget(side.splitOption);
        column->addWidget(side.actions);
        card->addWidget(side.split);
    }
    card->addStretch();
    return card;
}

QWidget* PipelineView::makeSplitActions(std::size_t side) {
    auto* actions = new QWidget;
    auto* row = new QHBoxLayout(actions);
    row->setContentsMargins(0, 0, 0, 0);
    auto* again = new QPushButton(tr("Run again with it …"));
    again->setToolTip(tr("Opens the options of this run with this split; the result is compared"));
    auto* copy = new QPushButton(tr("Copy option"));
    copy->setToolTip(tr("Copies the option for the command line"));
    row->addWidget(again);
    row->addWidget(copy);
    row->addStretch();
    connect(again, &QPushButton::clicked, this, [this, side] { runWithSplit(side); });
    connect(copy, &QPushButton::clicked, this, [this, label = sides_[side].splitOption] {
        const QString option = label->property("option").toString();
        QGuiApplication::clipboard()->setText(option);
        emit status(tr("Copied %1").arg(option));
    });
    return actions;
}

void PipelineView::runWithSplit(std::size_t side) {
    const ProfileViewPtr& profile = side == 0 ? profiles().source : profiles().target;
    const std::optional<PipelineSide>& shown = side == 0 ? source_ : target_;
    if (profile && shown)
        emit runAgainWanted(profile, "split", splitValue(shown->report).toStdString(), {});
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
    widths_->setEnabled(!none);
    if (none) {
        toTrace_->setEnabled(false);
        toTree_->setEnabled(false);
        const bool known = profiles().source->info().has(ProfilePart::Pipeline);
        panel_->showMessage(!known    ? tr("Stages are not in this profile")
                            : target_ ? tr("Neither profile is pipelined")
                                      : tr("This profile is not pipelined"),
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

void PipelineView::shareScale() {
    SlotDiagram& source = *sides_[0].diagram;
    SlotDiagram& target = *sides_[1].diagram;
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
    if (canGo)
        context().selection.update([&](Selected& s) { s.program = call; });
}

void PipelineView::goTo(const QString& report) {
    const bool possible =
        report == QLatin1String("trace") ? toTrace_->isEnabled() : toTree_->isEnabled();
    if (possible)
        emit reportWanted(report);
}

// A Call that was chosen elsewhere is marked here too.
void PipelineView::followSelection() {
    const ProgramId program = context().selection.current().program;
    SlotDiagram& diagram = *sides_[0].diagram;
    if (!source_ || !program.valid())
        return;
    const auto& pieces = diagram.schedule().pieces;
    const int now = diagram.chosen();
    if (now >= 0 && pieces[static_cast<std::size_t>(now)].call == program)
        return;
    for (std::size_t i = 0; i < pieces.size(); ++i)
        if (pieces[i].call == program) {
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
    std::vector<LegendBar::Entry> entries;
    for (const SlotWork work : shown)
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
