#include "views/insights/losses_panel.h"

#include <QGridLayout>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "core/base/units.h"
#include "core/options/option_table.h"
#include "views/insights/meter.h"
#include "views/insights/short_button.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"
#include "views/widgets/short_label.h"

namespace tilescope::views {
namespace {

enum Columns { Kind, Bar, Share, Amount, Place, Remedy, Rest };

// Smaller losses are folded, but at least a few are shown: a list of one says little.
constexpr double smallShare = 0.02;
constexpr std::size_t leastShown = 3;
// Pixels. Names and buttons are shortened before the page scrolls sideways.
constexpr int widestBar = 110;
constexpr int leastPlace = 90;
constexpr int widestPlace = 300;
constexpr int leastRemedy = 196;
constexpr int widestRemedy = 420;

QColor colourOf(const Theme& theme, LossKind kind) {
    switch (kind) {
    case LossKind::Compute:
        return theme.good;
    case LossKind::Memory:
        return theme.bad;
    default:
        return theme.accent;
    }
}

// In a narrow window the time after the cycles goes on a second line.
QLabel* numberLabel(QString text, const char* look) {
    const qsizetype time = text.indexOf(QLatin1String(" ("));
    text.replace(QLatin1Char(' '), QChar(QChar::Nbsp));
    if (time >= 0)
        text[time] = QLatin1Char(' ');
    QLabel* label = wrappedLabel(text, look);
    label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return label;
}

std::size_t shownOf(const std::vector<Loss>& losses) {
    std::size_t shown = 0;
    while (shown < losses.size() && (shown < leastShown || losses[shown].share >= smallShare))
        ++shown;
    // A single row is not worth folding.
    return shown + 1 >= losses.size() ? losses.size() : shown;
}

} // namespace

LossesPanel::LossesPanel(ViewContext& context, const QString& title,
                         const std::vector<Loss>& losses, ProfileViewPtr profile, bool ofSource,
                         QWidget* parent)
    : Card(title, parent)
    , context_(context)
    , profile_(std::move(profile))
    , ofSource_(ofSource)
    , clockHz_(profile_ ? profile_->machine().clockHz : 0) {
    auto* rows = new QWidget;
    grid_ = new QGridLayout(rows);
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(12);
    grid_->setVerticalSpacing(5);
    grid_->setColumnStretch(Rest, 1);
    for (const Loss& loss : losses)
        longest_ = std::max(longest_, loss.share);
    addHeadings(std::any_of(losses.begin(), losses.end(),
                            [](const Loss& loss) { return loss.cycles > 0; }));
    const std::size_t shown = shownOf(losses);
    for (std::size_t i = 0; i < shown; ++i)
        addRow(losses[i]);
    if (shown < losses.size())
        addFolded(std::span(losses).subspan(shown));
    addWidget(rows);
    if (!suggestionsOf(losses).empty())
        addWidget(makeTryAll());
}

void LossesPanel::addHeadings(bool runs) {
    const int row = grid_->rowCount();
    const bool severalIpus = profile_ && profile_->machine().ipus > 1;
    grid_->addWidget(textLabel(tr("Lost to"), "muted"), row, Kind);
    if (runs)
        grid_->addWidget(numberLabel(tr("Of the run"), "muted"), row, Share);
    grid_->addWidget(numberLabel(!runs         ? tr("Missing")
                                 : severalIpus ? tr("Mean over the IPUs")
                                               : tr("Cycles"),
                                 "muted"),
                     row, Amount);
    grid_->addWidget(textLabel(tr("Most of it"), "muted"), row, Place);
    // What an imported profile ran is not known.
    const bool canTry = profile_ && profile_->info().has(ProfilePart::Options);
    if (!canTry)
        return;
    grid_->addWidget(
        wrappedLabel(runs ? tr("To try, with the gain predicted at most") : tr("To try"), "muted"),
        row, Remedy, 1, 2);
}

void LossesPanel::addRow(const Loss& loss) {
    const Theme& theme = context_.theme.current();
    const int row = grid_->rowCount();
    const QString name = QString::fromLatin1(nameOf(loss).data());
    const QString cause = QString::fromStdString(loss.cause);
    QLabel* kind = wrappedLabel(name, loss.kind == LossKind::Compute ? "muted" : "");
    kind->setToolTip(cause);
    kind->setAccessibleDescription(cause);
    auto* bar = new Meter(longest_ > 0 ? loss.share / longest_ : 0, colourOf(theme, loss.kind),
                          theme.border);
    bar->setMaximumWidth(widestBar);
    bar->setToolTip(cause);
    const bool memory = loss.kind == LossKind::Memory;
    grid_->addWidget(kind, row, Kind);
    grid_->addWidget(bar, row, Bar, Qt::AlignVCenter);
    if (!memory) {
        QLabel* share = textLabel(QString::fromStdString(formatPercent(loss.share, 1)), "");
        share->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        grid_->addWidget(share, row, Share);
    }
    grid_->addWidget(numberLabel(memory ? context_.preferences.bytes(loss.bytes)
                                        : context_.preferences.cycles(loss.cycles, clockHz_),
                                 memory ? "error" : "muted"),
                     row, Amount);
    if (QWidget* place = placeOf(loss))
        grid_->addWidget(place, row, Place);
    if (QWidget* remedy = remedyOf(loss))
        grid_->addWidget(remedy, row, Remedy);
}

QWidget* LossesPanel::placeOf(const Loss& loss) {
    const QString place = shownName(loss.place);
    if (place.isEmpty())
        return nullptr;
    if (!ofSource_)
        return new ShortLabel(place, leastPlace, widestPlace);
    auto* go = new ShortButton(place, leastPlace, widestPlace);
    go->setFlat(true);
    go->setObjectName(QStringLiteral("nameOfProfile")); // the text comes from the profile
    go->setToolTip(tr("Shows %1 in its report").arg(place));
    go->setAccessibleName(tr("Show %1").arg(place));
    connect(go, &QPushButton::clicked, this, [this, link = loss.link] { emit followed(link); });
    return go;
}

QWidget* LossesPanel::remedyOf(const Loss& loss) {
    const auto usable = std::find_if(loss.remedies.begin(), loss.remedies.end(),
                                     [](const Advice& a) { return a.option != Advice::model; });
    if (usable == loss.remedies.end() || !profile_ || !profile_->info().has(ProfilePart::Options))
        return nullptr;
    const QString flag = QString::fromStdString(findOption(usable->option)->flag);
    QString text = flag + QLatin1Char(' ') +
                   (usable->value.empty() ? QStringLiteral("…")
                                          : shownText(QString::fromStdString(usable->value)));
    const double share = loss.cycles > 0 ? static_cast<double>(usable->gain) * loss.share /
                                               static_cast<double>(loss.cycles)
                                         : 0;
    if (share > 0)
        text += tr("   −%1").arg(QString::fromStdString(formatPercent(share, 1)));
    auto* button = new ShortButton(text, leastRemedy, widestRemedy);
    button->setToolTip(tr("%1 Opens the options of this run with %2.")
                           .arg(QString::fromStdString(sentenceOf(*usable)),
                                shownText(QString::fromStdString(changeOf(*usable)))));
    connect(button, &QPushButton::clicked, this, [this, advice = *usable] {
        emit runAgainWanted(profile_, advice.option, advice.value, advice.with);
    });
    return button;
}

void LossesPanel::addFolded(std::span<const Loss> losses) {
    double share = 0;
    for (const Loss& loss : losses)
        share += loss.share;
    more_ = foldingHeading(tr("%n more: %1 of the run", nullptr, static_cast<int>(losses.size()))
                               .arg(QString::fromStdString(formatPercent(share, 1))),
                           tr("Hides or shows the smaller ones"));
    grid_->addWidget(more_, grid_->rowCount(), Kind, 1, Rest);
    std::vector<QWidget*> hidden;
    const int before = grid_->count();
    for (const Loss& loss : losses)
        addRow(loss);
    for (int i = before; i < grid_->count(); ++i)
        hidden.push_back(grid_->itemAt(i)->widget());
    const auto fold = [toggle = more_, hidden](bool shown) {
        toggle->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
        for (QWidget* widget : hidden)
            widget->setVisible(shown);
    };
    fold(false);
    connect(more_, &QToolButton::clicked, this,
            [fold, first = hidden.front()] { fold(first->isHidden()); });
}

QWidget* LossesPanel::makeTryAll() {
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 8, 0, 0);
    auto* button = new QPushButton(tr("Try all…"));
    button->setObjectName(QStringLiteral("tryAll"));
    button->setToolTip(tr("Simulates each suggestion and shows the gains beside the predicted "
                          "ones"));
    connect(button, &QPushButton::clicked, this, [this] { emit tryAllWanted(profile_); });
    layout->addWidget(button);
    layout->addWidget(
        textLabel(tr("Runs each suggestion by itself, everything else as it was."), "muted"));
    layout->addStretch();
    return row;
}

} // namespace tilescope::views
