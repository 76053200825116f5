#include "app/gui/window/header_strip.h"

#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "views/session/profile_texts.h"
#include "views/session/time_texts.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {

using views::countText;
using views::durationText;
using views::ReportPair;

namespace {

constexpr int stripEdge = 14;    // pixels left and right
constexpr int partGap = 22;      // between two parts
constexpr int leastGiving = 120; // pixels that a shortened part keeps
constexpr int around = 12;       // of the text of a button; a label needs less
constexpr std::size_t mostChanges = 3;

QString pathOf(const ProfileView& profile) {
    return views::shownName(profile.file().string());
}

/// Samples a second as the time of one; none without an execution.
std::optional<double> sampleSeconds(const ProfileInfo& info) {
    return info.hasExecution && info.throughput > 0 ? std::optional(1 / info.throughput)
                                                    : std::nullopt;
}

} // namespace

HeaderStrip::HeaderStrip(views::ViewContext& context, QWidget* parent)
    : QFrame(parent)
    , context_(context)
    , query_(context.workers) {
    setObjectName(QStringLiteral("headerStrip"));
    setAccessibleName(tr("What is open"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&context_.reports, &ReportPair::changed, this, &HeaderStrip::reload);
    connect(&context_.preferences, &views::Preferences::unitsChanged, this, &HeaderStrip::show);
    connect(&context_.theme, &views::ThemeSource::changed, this, &HeaderStrip::show);
    // Whoever shows the tiles says what is wrong with them.
    connect(&query_, &views::BackgroundQuery::failed, this, [] {});
}

QSize HeaderStrip::sizeHint() const {
    constexpr int above = 16; // and below
    return {400, fontMetrics().height() + above};
}

void HeaderStrip::reload() {
    fullest_.reset();
    show();
    if (!context_.reports.source())
        return query_.cancel();
    query_.start([this, pair = context_.reports.profiles()](const std::stop_token& stop) {
        const auto fullest = [&stop](const ProfileView& profile) {
            return summariseMemory(profile.machine(), *profile.tileMemory(stop), {});
        };
        Fullest read{fullest(*pair.source), std::nullopt};
        if (pair.target)
            read.target = fullest(*pair.target);
        return [this, read = std::move(read)] {
            fullest_ = read;
            show();
        };
    });
}

void HeaderStrip::clear() {
    for (const Part& part : parts_)
        part.widget->deleteLater();
    for (const Part& part : parts_)
        part.widget->hide();
    parts_.clear();
    changes_ = nullptr;
}

void HeaderStrip::show() {
    const bool hadFocus = changes_ != nullptr && changes_->hasFocus();
    clear();
    if (context_.reports.target())
        showTwo();
    else if (context_.reports.source())
        showOne();
    QStringList texts;
    for (const Part& part : parts_)
        texts << part.text;
    setAccessibleDescription(texts.join(QStringLiteral("; ")));
    layOut();
    if (hadFocus && changes_ != nullptr)
        changes_->setFocus();
}

void HeaderStrip::showOne() {
    const ProfileView& profile = *context_.reports.source();
    const ProfileInfo& info = profile.info();
    addName(views::shownName(info.model), pathOf(profile));
    addFits();
    addText(views::batchText(info), Look::Muted,
            tr("Samples of a micro-batch, micro-batches of a weight update, device iterations and "
               "replicas: the samples of a run"));
    addText(views::machineText(info), Look::Muted,
            views::shownName(info.target.description, views::mostOfOne));
    addTimes();
}

void HeaderStrip::showTwo() {
    const ProfileView& source = *context_.reports.source();
    const ProfileView& target = *context_.reports.target();
    const QString before = views::shownName(source.info().model);
    const QString after = views::shownName(target.info().model);
    // Two runs of one model are told apart by their folders.
    const auto [one, other] = views::shortNames(source.file(), target.file());
    const QString name = before != after ? tr("%1 \u2192 %2").arg(before, after)
                                         : tr("%1: %2 \u2192 %3").arg(before, one, other);
    addName(name, tr("Source: %1\nTarget: %2").arg(pathOf(source), pathOf(target)));
    addChanges();
    addFits();
    addTimes();
}

void HeaderStrip::addName(const QString& text, const QString& toolTip) {
    QLabel* label = views::textLabel({}, "heading");
    label->setParent(this);
    label->setToolTip(toolTip);
    parts_.push_back({label, text.simplified(), true}); // one line, whatever a file says
}

void HeaderStrip::addText(const QString& text, Look look, const QString& toolTip) {
    if (text.isEmpty())
        return;
    const char* const looks[] = {"", "muted", "good", "error"};
    QLabel* label = views::textLabel(text, looks[static_cast<std::size_t>(look)]);
    label->setParent(this);
    label->setToolTip(toolTip);
    parts_.push_back({label, text, false});
}

void HeaderStrip::addChanges() {
    std::vector<OptionChange> changes =
        leadingChanges(context_.reports.source()->info(), context_.reports.target()->info());
    // The name says so already.
    const bool otherModel =
        std::erase_if(changes, [](const OptionChange& each) { return each.option == "model"; }) > 0;
    const QString text = otherModel && changes.empty()
                             ? tr("nothing else differs")
                             : views::changesText(changes, mostChanges).simplified();
    changes_ = new QPushButton(this);
    changes_->setObjectName(QStringLiteral("nameOfProfile")); // no text of ours
    changes_->setFlat(true);
    changes_->setFocusPolicy(Qt::TabFocus); // a click leads elsewhere
    changes_->setCursor(Qt::PointingHandCursor);
    const QString tip = views::changesTip(changes);
    changes_->setToolTip(tip.isEmpty() ? tr("Shows the comparison")
                                       : tr("%1\n\nShows the comparison").arg(tip));
    changes_->setAccessibleName(tr("What differs: %1").arg(text));
    connect(changes_, &QPushButton::clicked, this, &HeaderStrip::compareWanted);
    QStringList shorter;
    for (std::size_t most = std::min(mostChanges, changes.size()); most-- > 1;)
        shorter << views::changesText(changes, most).simplified();
    if (changes.size() > 1)
        shorter << tr("%1 differences").arg(countText(static_cast<std::int64_t>(changes.size())));
    parts_.push_back({changes_, text, true, shorter});
}

void HeaderStrip::addFits() {
    const bool two = context_.reports.target() != nullptr;
    const auto text = [this, two](const ProfileInfo& info, const MemorySummary* memory) {
        const QString mark(info.fits ? QChar(0x2714) : QChar(0x2718));
        if (memory == nullptr)
            return mark + (info.fits ? tr(" fits") : tr(" does not fit"));
        const std::int64_t most = memory->maxTile.includingGaps;
        if (!info.fits)
            return mark + (two ? tr(" %1 over") : tr(" %1 over on a tile"))
                              .arg(context_.preferences.bytes(most - memory->limitPerTile));
        return mark +
               (two ? tr(" fits, %1") : tr(" fits, fullest tile %1"))
                   .arg(QString::fromStdString(formatPercent(
                       static_cast<double>(most), static_cast<double>(memory->limitPerTile))));
    };
    const ProfileInfo& source = context_.reports.source()->info();
    const MemorySummary* memory = fullest_ ? &fullest_->source : nullptr;
    const QString tip = tr("The bytes of the fullest tile, gaps included, against what a tile has");
    addText(text(source, memory), source.fits ? Look::Good : Look::Bad, tip);
    if (!two)
        return;
    const ProfileInfo& target = context_.reports.target()->info();
    const MemorySummary* other = fullest_ && fullest_->target ? &*fullest_->target : nullptr;
    addText(QStringLiteral("\u2192  ") + text(target, other), target.fits ? Look::Good : Look::Bad,
            tip);
    parts_.back().follows = true;
}

void HeaderStrip::addTimes() {
    const ProfileInfo& source = context_.reports.source()->info();
    if (!context_.reports.target()) {
        if (!source.hasExecution)
            return addText(tr("not executed"), Look::Muted, tr("There is no run to measure"));
        const bool withCall = source.hostCallSeconds > 0;
        addText(withCall
                    ? tr("%1 a run, %2 with the host's call")
                          .arg(durationText(source.seconds()), durationText(source.callSeconds()))
                    : tr("%1 a run").arg(durationText(source.seconds())),
                Look::Muted,
                tr("One run of the main program on the machine, and from one call of the host to "
                   "the next"));
        if (source.throughput > 0)
            addText(tr("%1 samples/s").arg(QString::fromStdString(formatRate(source.throughput))),
                    Look::Muted, tr("The samples of a run over its time with the host's call"));
        return;
    }
    const std::optional<double> before = sampleSeconds(source);
    const std::optional<double> after = sampleSeconds(context_.reports.target()->info());
    if (!before && !after)
        return;
    const auto time = [](const std::optional<double>& seconds) {
        return seconds ? durationText(*seconds) : QStringLiteral("\u2013");
    };
    QString text = tr("%1 \u2192 %2 a sample").arg(time(before), time(after));
    Look look = Look::Muted;
    if (before && after && *before != *after) {
        text += QStringLiteral(" (%1)").arg(views::relativeText(*before, *after));
        look = *after < *before ? Look::Good : Look::Bad;
    }
    addText(text, look,
            tr("Time of a sample, with the host's call: a second divided by the samples that "
               "it has"));
}

int HeaderStrip::widthOf(const Part& part) {
    return metricsOf(part).horizontalAdvance(part.text) + around;
}

// The style sheet makes headings bold when they are first shown.
QFontMetrics HeaderStrip::metricsOf(const Part& part) {
    QFont font = part.widget->font();
    font.setWeight(part.widget->objectName() == QLatin1String("heading") ? QFont::DemiBold
                                                                         : QFont::Normal);
    return QFontMetrics(font);
}

QString HeaderStrip::fitted(const Part& part, int width) {
    if (width >= widthOf(part))
        return part.text;
    const QFontMetrics metrics = metricsOf(part);
    const int room = std::max(1, width - around);
    for (const QString& text : part.shorter)
        if (metrics.horizontalAdvance(text) <= room)
            return text;
    return metrics.elidedText(part.shorter.isEmpty() ? part.text : part.shorter.back(),
                              Qt::ElideMiddle, room);
}

void HeaderStrip::place(const Part& part, const QString& text, int left, int width) const {
    if (auto* label = qobject_cast<QLabel*>(part.widget))
        label->setText(text);
    else // no letter of a name is a key
        static_cast<QPushButton*>(part.widget)
            ->setText(QString(text).replace(QLatin1Char('&'), QLatin1String("&&")));
    constexpr int forRing = 4; // pixels around a button that has the focus
    const bool isButton = part.widget == changes_;
    part.widget->setGeometry(left, isButton ? forRing : 0, width,
                             height() - 1 - (isButton ? 2 * forRing : 0));
    part.widget->show();
}

// What fits stands from left to right; the last that are not the name are left out, and those that
// may be are shortened in their middle.
void HeaderStrip::layOut() {
    const int room = width() - 2 * stripEdge;
    const auto least = [](const Part& part) {
        return part.gives ? std::min(leastGiving, widthOf(part)) : widthOf(part);
    };
    std::size_t shown = 0;
    int rigid = 0;
    for (int used = 0; shown < parts_.size(); ++shown) {
        used += least(parts_[shown]) + (shown > 0 ? partGap : 0);
        if (used > room && shown > 0)
            break;
        rigid = used;
    }
    int spare = std::max(0, room - rigid);
    int left = stripEdge;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        if (i >= shown) {
            part.widget->hide();
            continue;
        }
        const int more = std::min(spare, widthOf(part) - least(part));
        spare -= more;
        const int width = std::min(least(part) + more, std::max(1, room));
        const QString text = fitted(part, width);
        const int needed = metricsOf(part).horizontalAdvance(text) + around;
        const int used = text == part.text ? width : std::min(width, needed);
        place(part, text, left, used);
        const bool together = i + 1 < parts_.size() && parts_[i + 1].follows;
        left += used + (together ? 0 : partGap);
    }
}

void HeaderStrip::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    layOut();
}

} // namespace tilescope::gui
