#include "views/insights/insights_view.h"

#include <QGridLayout>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "core/base/units.h"
#include "core/options/option_form.h"
#include "core/options/option_table.h"
#include "views/insights/card_columns.h"
#include "views/insights/largest_panel.h"
#include "views/insights/losses_panel.h"
#include "views/insights/meter.h"
#include "views/insights/short_button.h"
#include "views/plot/axes/axis_labels.h"
#include "views/session/time_texts.h"
#include "views/tables/cell_text.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"
#include "views/widgets/short_label.h"
#include "views/widgets/thing_places.h"

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

// As texts for the command line write it.
const QRegularExpression& powerOfTwo() {
    static const QRegularExpression power(QStringLiteral("\\b2\\^(-?\\d{1,4})"));
    return power;
}

/// Powers of two with their exponents raised, as in plots.
QString withPowers(const std::string& text) {
    QString shown = QString::fromStdString(text);
    for (auto found = powerOfTwo().match(shown); found.hasMatch();
         found = powerOfTwo().match(shown))
        shown.replace(found.capturedStart(), found.capturedLength(),
                      powerText(2, found.captured(1).toInt()));
    return shown;
}

/// Whether a text is a number: 0.4 (a proportion), 1 (a factor), a power of two.
bool isNumber(const std::string& text) {
    const QString shown = QString::fromStdString(text);
    const auto power = powerOfTwo().match(shown);
    bool good = power.hasMatch() && power.capturedLength() == shown.size();
    if (!good)
        shown.toDouble(&good);
    return good;
}

/// A value that may be wider than the window: names may break after their separators.
QLabel* longValue(const std::string& text) {
    constexpr qsizetype fits = 40; // letters that the narrowest window has room for
    static const QRegularExpression parts(QStringLiteral("([/,_:])(?=[^/,_: ])"));
    QString broken = shownText(withPowers(text), mostOfParagraph);
    if (broken.size() > fits)
        broken.replace(parts, QStringLiteral("\\1\u200b"));
    auto* label = new WrappedLabel(broken);
    label->setMinimumWidth(0);
    return label;
}

/// A name, shortened in its middle if it is long, as names of copies list all they move.
QLabel* nameLabel(const QString& text) {
    constexpr int least = 120; // pixels
    constexpr int most = 480;
    return new ShortLabel(shownText(text), least, most);
}

QString evidenceText(const Evidence& item, const Preferences& preferences, double clockHz) {
    return item.unit == Unit::None ? withPowers(item.text)
                                   : cellText(cellOf(item, clockHz), item.unit, preferences);
}

/// Bytes of a tile beyond `limit` are in red.
QWidget* evidenceGrid(const std::vector<Evidence>& evidence, const Preferences& preferences,
                      double clockHz, std::int64_t limit) {
    auto* widget = new QWidget;
    auto* grid = new QGridLayout(widget);
    grid->setContentsMargins(0, 4, 0, 0);
    grid->setHorizontalSpacing(18);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(2, 1);
    int row = 0;
    for (const Evidence& item : evidence) {
        QLabel* name = nameLabel(shownName(item.label));
        name->setObjectName(QStringLiteral("muted"));
        const bool isText = item.unit == Unit::None && !isNumber(item.text);
        auto* value =
            isText ? longValue(item.text) : new QLabel(evidenceText(item, preferences, clockHz));
        const Cell cell = cellOf(item, clockHz);
        if (item.tile.valid() && limit > 0 && item.unit == Unit::Bytes &&
            numberOf(cell).value_or(0) > static_cast<double>(limit))
            value->setObjectName(QStringLiteral("error"));
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

QString costText(const InsightCost& cost, const Preferences& preferences, double clockHz) {
    if (cost.elements > 0)
        return InsightsView::tr("%1 of %2\n%3 elements")
            .arg(QString::fromStdString(formatPercent(cost.share, 1)), textOf(wholeOf(cost)),
                 QString::fromStdString(withThousands(cost.elements)));
    const QString amount =
        cost.cycles > 0 ? preferences.cycles(cost.cycles, clockHz) : preferences.bytes(cost.bytes);
    if (cost.share <= 0)
        return amount;
    return InsightsView::tr("%1 of %2\n%3")
        .arg(QString::fromStdString(formatPercent(cost.share, 1)), textOf(wholeOf(cost)), amount);
}

QString kindTitle(InsightKind kind) {
    switch (kind) {
    case InsightKind::Time:
        return InsightsView::tr("Time");
    case InsightKind::Values:
        return InsightsView::tr("Values");
    case InsightKind::Memory:
        break;
    }
    return InsightsView::tr("Memory");
}

// Sections of the command line's report, by the view that has them.
QString sectionTitle(const std::string& section) {
    const bool ofMemory = section == "vertices" || section == "exchanges";
    return placeTitle(ofMemory ? "memory:" + section : section);
}

} // namespace

InsightsView::InsightsView(ViewContext& context, QWidget* parent)
    : ReportView(context, parent)
    , panel_(new LoadingPanel(context.workers))
    , scroll_(nullptr)
    , content_(new CardColumns)
    , largest_(new LargestPanel(context)) {
    content_->setLast(largest_, CardColumns::Side::Left);
    connect(largest_, &LargestPanel::followed, this, &InsightsView::follow);
    scroll_ = scrolled(content_);
    panel_->setContent(scroll_);
    inColumn(this, {panel_});
}

void InsightsView::reload() {
    found_.clear();
    panel_->load([this, pair = profiles()](const std::stop_token& stop) {
        std::vector<Found> found;
        found.push_back(
            {pair.comparing() ? tr("Source: %1").arg(profileTitle(pair, *pair.source)) : QString(),
             findAll(*pair.source, stop), true});
        if (pair.comparing())
            found.push_back({tr("Target: %1").arg(profileTitle(pair, *pair.target)),
                             findAll(*pair.target, stop), false});
        return [this, pair, found = std::move(found)]() mutable {
            found_ = std::move(found);
            show();
            largest_->setProfiles(pair);
            scroll_->verticalScrollBar()->setValue(0);
        };
    });
}

void InsightsView::show() {
    // A removed card must not pass the focus to what is below, which would scroll there.
    if (const QWidget* focused = window()->focusWidget();
        focused && content_->isAncestorOf(focused) && !largest_->isAncestorOf(focused))
        scroll_->setFocus();
    content_->clear();
    using Side = CardColumns::Side;
    // Two profiles are side by side; of one, what it loses is beside what can be done.
    const bool two = found_.size() > 1;
    const bool hasLosses = !two && !found_.empty() && !found_.front().of.losses.empty();
    content_->setShares(two ? 1 : 3, two ? 1 : 2); // the losses are a wide table
    content_->setLast(largest_, two || hasLosses ? Side::Left : Side::Right);
    for (const Found& found : found_) {
        const Side losses = !two || found.ofSource ? Side::Left : Side::Right;
        const Side cards = two ? losses : hasLosses ? Side::Right : Side::Left;
        if (!found.heading.isEmpty())
            content_->add(makeHeading(found), losses);
        if (!found.of.losses.empty())
            content_->add(makeLosses(found), losses);
        auto next = found.of.insights.begin();
        // Problems (a model that does not fit) come before both kinds.
        while (next != found.of.insights.end() && next->level == InsightLevel::Problem)
            content_->add(makeCard(*next++, found.ofSource), cards);
        for (bool open = true; next != found.of.insights.end(); open = false) {
            const auto end = std::find_if(next, found.of.insights.end(),
                                          [&](const Insight& i) { return i.kind != next->kind; });
            content_->add(makeGroup(std::span(next, end), found.ofSource, open), cards);
            next = end;
        }
    }
    orderTabs();
}

// The widgets below were created first: Tab would begin there and scroll to them.
void InsightsView::orderTabs() {
    const auto stopsIn = [this](const QWidget& widget) {
        QList<QWidget*> stops = widget.findChildren<QWidget*>();
        stops.removeIf([this](const QWidget* each) { // the list of a choice is a window
            return (each->focusPolicy() & Qt::TabFocus) == 0 || each->focusProxy() != nullptr ||
                   each->window() != window();
        });
        return stops;
    };
    QWidget* before = scroll_;
    for (const QWidget* card : content_->parts())
        for (QWidget* stop : stopsIn(*card))
            setTabOrder(std::exchange(before, stop), stop);
    for (QWidget* stop : stopsIn(*largest_))
        setTabOrder(std::exchange(before, stop), stop);
}

QWidget* InsightsView::makeHeading(const Found& found) {
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    constexpr int leastHeading = 120; // pixels
    auto* heading = new ShortLabel(found.heading, leastHeading, QWIDGETSIZE_MAX);
    heading->setObjectName(QStringLiteral("heading"));
    layout->addWidget(heading);
    layout->addSpacing(layout->spacing());
    if (found.ofSource)
        layout->addStretch();
    else
        layout->addWidget(wrappedLabel(tr("To follow these to their reports, swap source and "
                                          "target (Ctrl+Shift+X)."),
                                       "muted"),
                          1);
    auto* other = new QPushButton(found.ofSource ? tr("Go to the target") : tr("Go to the source"));
    other->setToolTip(found.ofSource ? tr("The insights of the target, below these")
                                     : tr("The insights of the source, above these"));
    connect(other, &QPushButton::clicked, this, [this, wanted = !found.ofSource] {
        for (const QWidget* at : content_->parts())
            if (at->property("heading") == QVariant(wanted))
                scroll_->verticalScrollBar()->setValue(at->mapTo(content_, QPoint()).y());
    });
    row->setProperty("heading", found.ofSource);
    layout->addWidget(other);
    return row;
}

QWidget* InsightsView::makeLosses(const Found& found) {
    auto* losses =
        new LossesPanel(context(), tr("Where it goes"), found.of.losses,
                        found.ofSource ? profiles().source : profiles().target, found.ofSource);
    connect(losses, &LossesPanel::followed, this, &InsightsView::follow);
    connect(losses, &LossesPanel::runAgainWanted, this, &InsightsView::runAgainWanted);
    connect(losses, &LossesPanel::tryAllWanted, this, &InsightsView::tryAllWanted);
    return losses;
}

QWidget* InsightsView::makeGroup(std::span<const Insight> insights, bool ofSource, bool open) {
    auto* group = new QWidget;
    auto* layout = new QVBoxLayout(group);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(CardColumns::spacing);
    QToolButton* toggle =
        foldingHeading(tr("%1 (%2)").arg(kindTitle(insights.front().kind)).arg(insights.size()),
                       tr("Hides or shows these insights"));
    auto* cards = new QWidget;
    auto* column = new QVBoxLayout(cards);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(CardColumns::spacing);
    for (const Insight& insight : insights)
        column->addWidget(makeCard(insight, ofSource));
    layout->addWidget(toggle, 0, Qt::AlignLeft);
    layout->addWidget(cards);
    const auto fold = [toggle, cards](bool shown) {
        toggle->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
        cards->setVisible(shown);
    };
    fold(open);
    connect(toggle, &QToolButton::clicked, cards, [fold, cards] { fold(cards->isHidden()); });
    return group;
}

QWidget* InsightsView::makeCard(const Insight& insight, bool ofSource) {
    const Theme& theme = context().theme.current();
    const QColor colour = levelColour(theme, insight.level);
    const ProfileViewPtr& profile = ofSource ? profiles().source : profiles().target;
    auto* card = new QFrame;
    card->setObjectName(QStringLiteral("panel"));
    card->setStyleSheet(QStringLiteral("#panel { border-left: 4px solid %1; "
                                       "border-top-left-radius: 0; border-bottom-left-radius: 0; }")
                            .arg(colour.name()));
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(14, 10, 14, 10);
    column->setSpacing(4);
    auto* layout = new QHBoxLayout;
    column->addLayout(layout);
    auto* text = new QVBoxLayout;
    text->setSpacing(4);
    auto* title = wrappedLabel(withPowers(insight.title), "heading");
    text->addWidget(title);
    if (const std::string advice = adviceText(insight); !advice.empty())
        text->addWidget(wrappedLabel(withPowers(advice), "advice"));
    const double clockHz = profile ? profile->machine().clockHz : 0;
    if (!insight.evidence.empty())
        text->addWidget(evidenceGrid(insight.evidence, context().preferences, clockHz,
                                     profile ? profile->machine().bytesPerTile : 0));
    layout->addLayout(text, 1);
    // Equally wide in every card, whatever its buttons' texts, so that bars can be compared.
    constexpr int costWidth = 214; // pixels
    auto* right = new QVBoxLayout;
    right->setSpacing(6);
    right->addStrut(costWidth);
    QLabel* cost = textLabel(costText(insight.cost, context().preferences, clockHz), "value");
    cost->setAlignment(Qt::AlignRight);
    right->addWidget(cost);
    right->addWidget(new Meter(insight.cost.share, colour, theme.border));
    if (ofSource && !insight.link.report.empty())
        addLinks(insight.link, *right);
    right->addStretch();
    layout->addLayout(right);
    // Below both: options have long names.
    if (QWidget* again = makeRunAgain(insight, profile))
        column->addWidget(again);
    return card;
}

void InsightsView::addLinks(const InsightLink& link, QVBoxLayout& column) {
    std::vector<std::string> places{link.report};
    places.insert(places.end(), link.also.begin(), link.also.end());
    for (const std::string& report : places) {
        auto* go = new QPushButton(tr("Show in %1").arg(sectionTitle(report)));
        InsightLink place = link;
        place.report = report;
        connect(go, &QPushButton::clicked, this, [this, place] { follow(place); });
        column.addWidget(go);
    }
}

QWidget* InsightsView::makeRunAgain(const Insight& insight, const ProfileViewPtr& profile) {
    if (insight.advice.empty() || !profile || !profile->info().has(ProfilePart::Options))
        return nullptr;
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addWidget(textLabel(tr("Run again with"), "muted"));
    constexpr int leastButton = 110; // pixels
    constexpr int widestButton = 420;
    for (const Advice& advice : insight.advice) {
        // No option fixes the order of an operand: the model has to change.
        const bool ofModel = advice.option == Advice::model;
        const QString value = shownName(advice.value);
        const QString what =
            ofModel ? tr("another model") : QString::fromStdString(findOption(advice.option)->flag);
        const QString text =
            what + QLatin1Char(' ') + (value.isEmpty() ? QStringLiteral("…") : value);
        auto* button = new ShortButton(text, leastButton, widestButton);
        button->setToolTip(
            ofModel ? tr("Opens the options of this run to choose a changed model; the result "
                         "is compared")
                    : tr("Opens the options of this run with this one changed; the result is "
                         "compared"));
        button->setAccessibleName(tr("Run again with %1").arg(text));
        connect(button, &QPushButton::clicked, this, [this, profile, advice] {
            emit runAgainWanted(profile, advice.option, advice.value, advice.with);
        });
        layout->addWidget(button);
    }
    layout->addStretch();
    return row;
}

void InsightsView::follow(const InsightLink& link) {
    context().selection.update([&](Selected& s) {
        s.take(link.things);
        if (link.things.tensor.valid())
            s.operation = link.things.operation; // a tensor may have none
    });
    emit reportWanted(QString::fromStdString(link.report));
}

} // namespace tilescope::views
