#include "views/insights/insights_view.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QVBoxLayout>
#include <map>

#include "core/options/option_form.h"
#include "views/insights/largest_panel.h"

namespace tilescope::views {
namespace {

QColor levelColour(const Theme& theme, InsightLevel level) {
    switch (level) {
    case InsightLevel::Good:
        return theme.good;
    case InsightLevel::Note:
        return theme.accent;
    case InsightLevel::Warning:
        return theme.warning;
    case InsightLevel::Problem:
        break;
    }
    return theme.bad;
}

QLabel* textLabel(const std::string& text, const char* look) {
    auto* label = new QLabel(QString::fromStdString(text));
    label->setObjectName(QLatin1String(look));
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

/// A value that may be longer than the window is wide: names break after what parts them.
QLabel* longValue(const std::string& text) {
    constexpr qsizetype fits = 80; // letters that the narrowest window has room for
    static const QRegularExpression parts(QStringLiteral("([/,_:])(?=[^/,_: ])"));
    QString broken = QString::fromStdString(text);
    if (broken.size() > fits)
        broken.replace(parts, QStringLiteral("\\1\u200b"));
    auto* label = new QLabel(broken);
    label->setWordWrap(true);
    label->setMinimumWidth(0);
    return label;
}

/// A name, shortened in its middle if it is long: copies are named for all that they move.
QLabel* nameLabel(const QString& text) {
    constexpr int most = 480; // pixels: half of the narrowest window that is looked at
    auto* label = new QLabel;
    const QString shown = label->fontMetrics().elidedText(text, Qt::ElideMiddle, most);
    label->setText(shown);
    if (shown != text) {
        label->setToolTip(text);
        label->setAccessibleName(text);
    }
    return label;
}

QString numberOf(const Evidence& item, const Preferences& preferences, double clockHz) {
    const auto value = static_cast<std::int64_t>(item.value);
    switch (item.unit) {
    case Evidence::Unit::Bytes:
        return preferences.bytes(value);
    case Evidence::Unit::Cycles:
        return preferences.cycles(value, clockHz);
    default:
        return QString::fromStdString(formatEvidence(item));
    }
}

QWidget* evidenceGrid(const std::vector<Evidence>& evidence, const Preferences& preferences,
                      double clockHz) {
    auto* widget = new QWidget;
    auto* grid = new QGridLayout(widget);
    grid->setContentsMargins(0, 4, 0, 0);
    grid->setHorizontalSpacing(18);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(2, 1);
    int row = 0;
    for (const Evidence& item : evidence) {
        QLabel* name = nameLabel(QString::fromStdString(item.label));
        name->setObjectName(QStringLiteral("muted"));
        const bool isText = item.unit == Evidence::Unit::Text;
        auto* value = isText ? longValue(formatEvidence(item))
                             : new QLabel(numberOf(item, preferences, clockHz));
        value->setAlignment(isText ? Qt::AlignLeft : Qt::AlignRight);
        grid->addWidget(name, row, 0);
        // Texts may be longer than numbers and must not push them to the right.
        if (isText)
            grid->addWidget(value, row++, 1, 1, 2);
        else
            grid->addWidget(value, row++, 1);
    }
    return widget;
}

// Sections of the command line's report, by the view that has them.
QString reportTitle(const std::string& section) {
    static const std::map<std::string, QString> titles{
        {"memory", InsightsView::tr("Memory")},
        {"vertices", InsightsView::tr("Memory: vertices")},
        {"exchanges", InsightsView::tr("Memory: exchanges")},
        {"liveness", InsightsView::tr("Liveness")},
        {"operations", InsightsView::tr("Operations")},
        {"trace", InsightsView::tr("Execution Trace")},
        {"pipeline", InsightsView::tr("Pipeline")}};
    const auto found = titles.find(section);
    return found == titles.end() ? QString::fromStdString(section) : found->second;
}

// What the run had for an option; a batch size may come from the model.
std::string inForce(const ProfileInfo& info, const std::string& key) {
    const auto given = info.options.find(key);
    if (given != info.options.end())
        return given->second;
    return key == "batchSize" ? std::to_string(info.batchSize) : std::string();
}

// Parts that other reports show too are loaded once for all of them.
std::vector<Insight> insightsOf(const OpenProfile& profile, const std::stop_token& stop) {
    return findInsights({profile.info(), *profile.operations(stop), *profile.livenessClasses(stop),
                         *profile.variables(stop), *profile.vertexTypes(stop),
                         *profile.computeSets(stop), *profile.exchanges(stop),
                         *profile.copies(stop), *profile.streams(stop), *profile.tileMemory(stop),
                         *profile.steps(stop), *profile.trace(stop),
                         pipelineReport(profile.reader(stop)), *profile.programs(stop)});
}

} // namespace

InsightsView::InsightsView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , panel_(new LoadingPanel(context.workers))
    , content_(new QWidget)
    , layout_(new QVBoxLayout)
    , largest_(new LargestPanel(context)) {
    constexpr int spacing = 10;
    layout_->setSpacing(spacing);
    auto* page = new QVBoxLayout(content_);
    page->setContentsMargins(16, 14, 16, 16);
    page->setSpacing(spacing);
    page->addLayout(layout_);
    page->addWidget(largest_);
    page->addStretch();
    connect(largest_, &LargestPanel::followed, this, &InsightsView::follow);
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(content_);
    panel_->setContent(scroll);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(panel_);
}

void InsightsView::reload() {
    panel_->load([this, pair = profiles()](const std::stop_token& stop) {
        std::vector<Found> found;
        found.push_back({pair.comparing() ? tr("Source: %1").arg(pair.source->title()) : QString(),
                         insightsOf(*pair.source, stop), true});
        if (pair.comparing())
            found.push_back({tr("Target: %1").arg(pair.target->title()),
                             insightsOf(*pair.target, stop), false});
        return [this, pair, found = std::move(found)]() mutable {
            found_ = std::move(found);
            show();
            largest_->setProfiles(pair);
        };
    });
}

void InsightsView::show() {
    while (QLayoutItem* item = layout_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const Found& found : found_) {
        if (!found.heading.isEmpty())
            layout_->addWidget(textLabel(found.heading.toStdString(), "heading"));
        for (const Insight& insight : found.insights)
            layout_->addWidget(makeCard(insight, found.ofSource));
    }
}

QWidget* InsightsView::makeCard(const Insight& insight, bool ofSource) {
    const Theme& theme = context().theme.current();
    const QColor colour = levelColour(theme, insight.level);
    const OpenProfilePtr& profile = ofSource ? profiles().source : profiles().target;
    auto* card = new QFrame;
    card->setObjectName(QStringLiteral("panel"));
    card->setStyleSheet(QStringLiteral("#panel { border-left: 4px solid %1; "
                                       "border-top-left-radius: 0; border-bottom-left-radius: 0; }")
                            .arg(colour.name()));
    auto* layout = new QHBoxLayout(card);
    layout->setContentsMargins(14, 10, 14, 10);
    auto* text = new QVBoxLayout;
    text->setSpacing(4);
    auto* title = textLabel(insight.title, "heading");
    text->addWidget(title);
    if (!insight.advice.empty())
        text->addWidget(textLabel(insight.advice, "advice"));
    if (!insight.evidence.empty())
        text->addWidget(evidenceGrid(insight.evidence, context().preferences,
                                     profile ? profile->machine().clockHz : 0));
    if (QWidget* again = makeRunAgain(insight, profile))
        text->addWidget(again);
    layout->addLayout(text, 1);
    if (ofSource && !insight.link.report.empty())
        layout->addLayout(makeLinks(insight.link));
    return card;
}

QLayout* InsightsView::makeLinks(const InsightLink& link) {
    auto* column = new QVBoxLayout;
    column->setSpacing(6);
    std::vector<std::string> places{link.report};
    places.insert(places.end(), link.also.begin(), link.also.end());
    for (const std::string& report : places) {
        auto* go = new QPushButton(tr("Show in %1").arg(reportTitle(report)));
        InsightLink place = link;
        place.report = report;
        connect(go, &QPushButton::clicked, this, [this, place] { follow(place); });
        column->addWidget(go);
    }
    column->addStretch();
    return column;
}

QWidget* InsightsView::makeRunAgain(const Insight& insight, const OpenProfilePtr& profile) {
    const std::vector<OptionMention> mentions = optionsNamedIn(insight.advice);
    // No option puts an operand in order: the model has to change.
    const bool ofModel = insight.kind == InsightKind::StridedCopies && !insight.advice.empty();
    if ((mentions.empty() && !ofModel) || !profile)
        return nullptr;
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addWidget(textLabel(tr("Run again with").toStdString(), "muted"));
    for (const OptionMention& mention : mentions) {
        const std::string value = suggestedValue(mention, inForce(profile->info(), mention.key));
        const QString flag = QString::fromStdString(findOption(mention.key)->flag);
        auto* button = new QPushButton(value.empty() ? flag + QStringLiteral(" …")
                                                     : flag + QLatin1Char(' ') +
                                                           QString::fromStdString(value));
        button->setToolTip(
            tr("Opens the options of this run with this one changed; the result is compared"));
        button->setAccessibleName(tr("Run again with %1").arg(button->text()));
        connect(button, &QPushButton::clicked, this, [this, profile, key = mention.key, value] {
            emit runAgainWanted(profile, key, value);
        });
        layout->addWidget(button);
    }
    if (ofModel) {
        auto* button = new QPushButton(tr("another model …"));
        button->setToolTip(tr("Opens the options of this run to choose the changed model; the "
                              "result is compared"));
        button->setAccessibleName(tr("Run again with %1").arg(button->text()));
        connect(button, &QPushButton::clicked, this,
                [this, profile] { emit runAgainWanted(profile, "model", {}); });
        layout->addWidget(button);
    }
    layout->addStretch();
    return row;
}

void InsightsView::follow(const InsightLink& link) {
    context().selection.update([&](Selected& s) {
        if (link.tile.valid())
            s.tiles = {link.tile};
        if (link.step.valid())
            s.step = link.step;
        if (link.operation.valid())
            s.operation = link.operation;
        if (link.variable.valid())
            s.variable = link.variable;
        if (link.vertexType.valid())
            s.vertexType = link.vertexType;
        if (link.exchange.valid())
            s.exchange = link.exchange;
        if (link.program.valid())
            s.program = link.program;
    });
    emit reportWanted(QString::fromStdString(link.report));
}

} // namespace tilescope::views
