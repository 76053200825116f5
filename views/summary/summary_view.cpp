#include "views/summary/summary_view.h"

#include <QDateTime>
#include <QGridLayout>
#include <QPushButton>
#include <array>
#include <numeric>

#include "core/report/run_fields.h"
#include "views/memory/memory_content.h"
#include "views/session/profile_texts.h"
#include "views/session/time_texts.h"
#include "views/tables/cell_text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

constexpr int histogramBuckets = 24;

// "2024-05-01T12:00:00Z" in a readable form; anything else unchanged.
QString timeText(const std::string& utc) {
    const QString text = QString::fromStdString(utc);
    const QDateTime time = QDateTime::fromString(text, Qt::ISODate);
    return time.isValid() ? time.toUTC().toString(QStringLiteral("yyyy-MM-dd HH:mm 'UTC'")) : text;
}

} // namespace

SummaryView::SummaryView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , panel_(new LoadingPanel(context.workers)) {
    auto* scroll = scrolled(readable(makeContent()));
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    panel_->setContent(scroll);
    inColumn(this, {panel_});
}

QWidget* SummaryView::makeContent() {
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(16, 14, 16, 16);
    layout->setSpacing(12);

    verdict_ = new QFrame;
    verdict_->setObjectName(QStringLiteral("panel"));
    auto* verdictLayout = new QVBoxLayout(verdict_);
    verdictLayout->setContentsMargins(14, 10, 14, 10);
    verdictText_ = wrappedLabel({}, "");
    verdictText_->setTextFormat(Qt::RichText);
    verdictLayout->addWidget(verdictText_);
    noJob_ = new QWidget;
    auto* noJob = new QHBoxLayout(noJob_);
    noJob->setContentsMargins(0, 4, 0, 0);
    noJob->addWidget(
        wrappedLabel(tr("What was run is not known: suggestions have no values, and it "
                        "cannot be run again."),
                     "muted"),
        1);
    auto* attach = new QPushButton(tr("Attach its job…"));
    attach->setToolTip(tr("A job file or model of the run; it can also be dropped on the window"));
    connect(attach, &QPushButton::clicked, this, &SummaryView::jobWanted);
    noJob->addWidget(attach);
    verdictLayout->addWidget(noJob_);
    layout->addWidget(verdict_);

    facts_ = new QGridLayout;
    facts_->setSpacing(10);
    // Placed when the width is known; the window may close before.
    modelCard_ = addBlock("model", new Card(tr("Model"), content));
    targetCard_ = addBlock("machine", new Card(tr("Machine"), content));
    graphCard_ = addBlock("program", new Card(tr("Program"), content));
    executionCard_ = addBlock("figures", new Card(tr("Memory and time"), content));
    layout->addLayout(facts_);

    tiles_ = new StepPlot(context(), tr("Tile (software order)"));
    tiles_->setMinimumHeight(230);
    tiles_->setValueTitle(tr("Memory of a tile"));
    layout->addWidget(
        addBlock("tiles", new Card(tr("Memory of each tile, including gaps")), tiles_), 1);
    const auto showTile = [this](std::int32_t tile) {
        context().selection.update([tile](Selected& s) { s.tiles = {TileId(tile)}; });
        emit reportWanted(QStringLiteral("memory"));
    };
    connect(&tiles_->plot(), &PlotWidget::clicked, this,
            [showTile](double x, double) { showTile(static_cast<std::int32_t>(x)); });
    tiles_->plot().setReadOut([this](double x, double) {
        return x < 0 ? QString()
                     : tr("Tile %1\n%2")
                           .arg(static_cast<int>(x))
                           .arg(tiles_->valuesAt(static_cast<std::size_t>(x)));
    });
    connect(&tiles_->plot(), &PlotWidget::hovered, this, &ReportView::status);

    auto* charts = new QHBoxLayout;
    charts->setSpacing(12);
    fullest_ = new NamedBars(context());
    connect(fullest_, &NamedBars::clicked, this, showTile);
    histogram_ = new Histogram(context());
    Card* fullest = addBlock("fullest", new Card(tr("Fullest tiles")), fullest_);
    fullest->addStretch();
    charts->addWidget(fullest, 1);
    charts->addWidget(addBlock("histogram", new Card(tr("Tiles by memory")), histogram_), 1);
    layout->addLayout(charts);

    messages_ = new TablePanel(context(), tr("Filter messages"));
    messages_->setMinimumHeight(170);
    messagesCard_ = addBlock("messages", new Card(tr("Messages")), messages_);
    layout->addWidget(messagesCard_);
    options_ = new TablePanel(context(), tr("Filter options"));
    options_->setMinimumHeight(260);
    layout->addWidget(addBlock("options", new Card(tr("Options")), options_));
    compilerCard_ = addBlock("compiler", new Card(tr("Compiler")));
    filesCard_ = addBlock("files", new Card(tr("Files")));
    layout->addWidget(compilerCard_);
    layout->addWidget(filesCard_);
    return content;
}

Card* SummaryView::addBlock(const char* name, Card* card, QWidget* content) {
    card->setCollapsible();
    if (content != nullptr)
        card->addWidget(content, 1);
    blocks_.insert(QLatin1String(name), card);
    connect(card, &Card::collapsedChanged, this, [this] { emit collapsedChanged(collapsed()); });
    return card;
}

QStringList SummaryView::collapsed() const {
    QStringList names;
    for (auto it = blocks_.begin(); it != blocks_.end(); ++it)
        if (it.value()->collapsed())
            names.append(it.key());
    return names;
}

void SummaryView::setCollapsed(const QStringList& names) {
    for (auto it = blocks_.begin(); it != blocks_.end(); ++it)
        it.value()->setCollapsed(names.contains(it.key()));
}

void SummaryView::reload() {
    source_.reset();
    target_.reset();
    panel_->load([this, pair = profiles()](const std::stop_token& stop) {
        ProfileFigures source = readFigures(*pair.source, stop);
        std::optional<ProfileFigures> target;
        if (pair.comparing())
            target = readFigures(*pair.target, stop);
        const KeptSource keptOfSource = keptSource(*pair.source, stop);
        const KeptSource keptOfTarget =
            pair.comparing() ? keptSource(*pair.target, stop) : KeptSource();
        return [this, source = std::move(source), target = std::move(target), keptOfSource,
                keptOfTarget]() mutable {
            source_ = std::move(source);
            target_ = std::move(target);
            keptOfSource_ = keptOfSource;
            keptOfTarget_ = keptOfTarget;
            restyle();
        };
    });
}

// Texts contain colours and units: after a change of either, all are shown again.
void SummaryView::restyle() {
    if (source_)
        show(*source_, comparing() && target_ ? &*target_ : nullptr);
}

void SummaryView::show(const ProfileFigures& source, const ProfileFigures* target) {
    showVerdict();
    showCards(source, target);
    placeCards();
    showBars();
    options_->setTable(optionsTable(profiles()));
    messages_->setTable(messagesTable(profiles(), source, target));
    messagesCard_->setVisible(!messages_->model().table().rows.empty());
    showFiles();
}

void SummaryView::showVerdict() {
    const Theme& theme = context().theme.current();
    const ByteUnits units = context().preferences.byteUnits();
    const auto line = [&](const ProfileInfo& info, const ProfileFigures& figures,
                          const QString& who) {
        if (knowsNoMachine(info))
            return (who + tr("A program on a host: nothing is known of the machine."))
                .toHtmlEscaped();
        return verdictHtml(theme, info.fits, who + verdictText(info, figures.memory, units));
    };
    QString html =
        line(profiles().source->info(), *source_, comparing() ? tr("Source: ") : QString());
    if (comparing() && target_)
        html += QStringLiteral("<br>") + line(profiles().target->info(), *target_, tr("Target: "));
    verdictText_->setText(html);
    const auto lacksJob = [](const ProfileViewPtr& profile) {
        return profile && !profile->info().has(ProfilePart::Options) &&
               !knowsNoMachine(profile->info());
    };
    noJob_->setVisible(lacksJob(profiles().source) || lacksJob(profiles().target));
}

void SummaryView::showCards(const ProfileFigures& source, const ProfileFigures* target) {
    const bool two = target != nullptr;
    const Preferences& preferences = context().preferences;
    using InfoText = std::function<QString(const ProfileInfo&)>;
    using FigureText = std::function<QString(const ProfileFigures&)>;
    const auto fromInfo = [&](const QString& name, const InfoText& text) {
        return Card::Fact{name, text(profiles().source->info()),
                          two ? text(profiles().target->info()) : QString()};
    };
    const auto fromFigures = [&](const QString& name, const FigureText& text) {
        return Card::Fact{name, text(source), two ? text(*target) : QString()};
    };
    using Info = ProfileInfo;
    using Figures = ProfileFigures;
    const QString notKnown = QStringLiteral("\u2013");
    // Figures of a part that one of the profiles may lack.
    const auto fromParts = [&](const QString& name, ProfilePart part, const FigureText& text) {
        Card::Fact fact = fromFigures(name, text);
        if (!profiles().source->info().has(part))
            fact.source = notKnown;
        if (two && !profiles().target->info().has(part))
            fact.target = notKnown;
        return fact;
    };
    const auto fromFields = [&](const auto& fieldsOf) {
        std::vector<Card::Fact> facts;
        const std::vector<Field> target =
            two ? fieldsOf(profiles().target->info()) : std::vector<Field>();
        for (const Field& field : fieldsOf(profiles().source->info()))
            facts.push_back(
                {translated(field.label), cellText(field.value, field.unit, preferences),
                 two ? cellText(target[facts.size()].value, field.unit, preferences) : QString()});
        return facts;
    };
    std::vector<Card::Fact> model{
        fromInfo(tr("Name"), [](const Info& i) { return QString::fromStdString(i.model); }),
        fromInfo(
            tr("Origin"),
            [](const Info& i) { return QString::fromUtf8(displayName(i.origin.kind).data()); }),
        fromInfo(tr("Mode"), [&](const Info& i) {
            return i.has(ProfilePart::Run) ? QString::fromStdString(i.mode) : notKnown;
        })};
    for (Card::Fact& fact : fromFields(runSampleFields))
        model.push_back(std::move(fact));
    model.push_back(fromInfo(tr("Compiled"), [&](const Info& i) {
        return i.createdAt.empty() ? notKnown : timeText(i.createdAt);
    }));
    modelCard_->setFacts(model, two);
    targetCard_->setFacts(
        {fromInfo(tr("Type"),
                  [](const Info& i) { return QString::fromStdString(i.target.description); }),
         fromInfo(tr("IPUs"),
                  [&](const Info& i) {
                      return i.replicas > 1
                                 ? tr("%1 (%2 replicas of %3)")
                                       .arg(countText(i.target.ipus * i.replicas),
                                            countText(i.replicas), countText(i.target.ipus))
                                 : countText(i.target.ipus);
                  }),
         fromInfo(tr("Tiles per IPU"),
                  [&](const Info& i) { return countText(i.target.tilesPerIpu); }),
         fromInfo(tr("Memory per tile"),
                  [&](const Info& i) { return preferences.bytes(i.target.bytesPerTile); }),
         fromInfo(tr("Memory per IPU"),
                  [&](const Info& i) { return preferences.bytes(i.target.bytesPerIpu()); }),
         fromInfo(
             tr("Clock"),
             [](const Info& i) { return tr("%1 GHz").arg(i.target.clockHz / 1e9, 0, 'g', 4); })},
        two);
    graphCard_->setFacts(
        {fromParts(tr("Operations"), ProfilePart::Operations,
                   [](const Figures& f) { return countText(f.operations); }),
         fromFigures(tr("Compute sets"), [](const Figures& f) { return countText(f.computeSets); }),
         fromFigures(tr("Program steps"), [](const Figures& f) { return countText(f.steps); }),
         fromParts(tr("Variables"), ProfilePart::Variables,
                   [](const Figures& f) { return countText(f.variables); }),
         fromInfo(tr("Vertices"), [&](const Info& i) { return countText(i.vertices); }),
         fromInfo(tr("Edges"),
                  [&](const Info& i) {
                      return i.has(ProfilePart::Edges) ? countText(i.edges) : notKnown;
                  })},
        two);
    const QString none = QStringLiteral("\u2013");
    Card::Fact fullest = fromFigures(tr("Fullest tile"), [&](const Figures& f) {
        return preferences.bytes(f.memory.maxTile.includingGaps);
    });
    fullest.sourceIsBad = !profiles().source->info().fits;
    fullest.targetIsBad = two && !profiles().target->info().fits;
    std::vector<Card::Fact> figures{
        fullest,
        fromFigures(
            tr("Total, including gaps"),
            [&](const Figures& f) { return preferences.bytes(f.memory.total.includingGaps); }),
        fromFigures(
            tr("Total, excluding gaps"),
            [&](const Figures& f) { return preferences.bytes(f.memory.total.excludingGaps); }),
        fromFigures(tr("Always live"),
                    [&](const Figures& f) { return preferences.bytes(f.memory.alwaysLive); }),
        fromFigures(tr("Not always live, most at a step"),
                    [&](const Figures& f) { return preferences.bytes(f.memory.maxNotAlwaysLive); }),
        fromInfo(tr("Cycles of a run"),
                 [&](const Info& i) { return i.hasExecution ? countText(i.cycles) : none; })};
    for (Card::Fact& fact : fromFields(runTimeFields))
        figures.push_back(std::move(fact));
    executionCard_->setFacts(figures, two);
}

// As many cards side by side as fit: values of two profiles need twice the room.
void SummaryView::placeCards() {
    constexpr int around = 44; // pixels of margins and scroll bar
    const auto cards = std::to_array<Card*>({modelCard_, targetCard_, graphCard_, executionCard_});
    const int room = std::min(width(), readableWidth) - around;
    const auto fits = [&](int columns) {
        std::vector<int> widest(static_cast<std::size_t>(columns));
        for (std::size_t i = 0; i < cards.size(); ++i) {
            int& column = widest[i % widest.size()];
            column = std::max(column, cards[i]->minimumSizeHint().width());
        }
        return std::accumulate(widest.begin(), widest.end(),
                               (columns - 1) * facts_->horizontalSpacing()) <= room;
    };
    const int columns = !comparing() && fits(4) ? 4 : fits(2) ? 2 : 1;
    for (int i = 0; i < 4; ++i) {
        facts_->addWidget(cards[i], i / columns, i % columns);
        facts_->setColumnStretch(i, i < columns ? 1 : 0);
    }
}

void SummaryView::resizeEvent(QResizeEvent* event) {
    ReportView::resizeEvent(event);
    placeCards();
}

void SummaryView::showBars() {
    const Theme& theme = context().theme.current();
    std::vector<NamedBars::Bar> bars;
    std::vector<Histogram::Series> series;
    StepPlot::Content plot;
    plot.mode = StepAreaPlottable::Mode::Overlaid;
    const std::int64_t limit = source_->memory.limitPerTile;
    const auto add = [&](const ProfileFigures& figures, const ProfileView& profile,
                         const QColor& colour, const QString& pattern, std::size_t tiles) {
        for (std::size_t i = 0; i < std::min(tiles, figures.fullest.size()); ++i) {
            const TileId tile = figures.fullest[i];
            bars.push_back({pattern.arg(tr("Tile %1")).arg(tile.value()),
                            figures.tileBytes[tile.index()], colour, tile.value()});
        }
        series.push_back(
            {histogramOf(figures.tileBytes, profile.machine().bytesPerTile, histogramBuckets),
             colour});
        plot.areas.push_back({pattern.arg(tr("Tile memory")), colour,
                              MinMaxPyramid(figures.tileBytes), profile.machine().bytesPerTile,
                              plot.areas.empty()}); // the target is an outline
    };
    if (comparing() && target_) {
        add(*source_, *profiles().source, theme.source, tr("%1 (source)"), 3);
        add(*target_, *profiles().target, theme.target, tr("%1 (target)"), 3);
    } else {
        add(*source_, *profiles().source, theme.source, QStringLiteral("%1"), 5);
    }
    plot.limit = PlotWidget::Limit{static_cast<double>(limit),
                                   tr("%1 on a tile").arg(context().preferences.bytes(limit))};
    tiles_->setContent(std::move(plot));
    tiles_->plot().setSections(ipuSections(profiles().source->machine()));
    fullest_->setBars(std::move(bars), limit);
    histogram_->setSeries(std::move(series), limit);
}

} // namespace tilescope::views
