#include "app/gui/window/header_strip.h"

#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/units.h"
#include "core/profile/run_samples.h"
#include "views/session/profile_texts.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::gui {

using views::countText;
using views::durationText;
using views::ReportPair;

namespace {

constexpr int stripEdge = 14;    // pixels left and right
constexpr int partGap = 22;      // between two parts
constexpr int leastGiving = 120; // minimum width of a shortened part, pixels
constexpr int around = 12;       // around the text of a button; a label needs less
constexpr std::size_t mostChanges = 3;

QString pathOf(const ProfileView& profile) {
    return views::shownName(openedFrom(profile.file()).string());
}

QString originName(const ProfileInfo& info) {
    return QString::fromUtf8(displayName(info.origin.kind).data());
}

/// The time of one sample, from the throughput; none without an execution.
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
    // The report that shows the tiles reports the error.
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
        return [this, read] {
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
    addOrigin(info);
    if (views::knowsNoMachine(info))
        return addText(tr("a program on the host"), Rank::Machine, Look::Muted,
                       tr("Nothing is known of the machine"));
    addFits();
    const QStringList shorter =
        info.has(ProfilePart::Run)
            ? QStringList{tr("%1 samples").arg(countText(runSamplesOf(info).samples()))}
            : QStringList();
    addText(views::batchText(info), Rank::Batch, Look::Muted,
            tr("Samples of a micro-batch, micro-batches of a weight update, device iterations and "
               "replicas: the samples of a run"),
            shorter);
    addText(views::machineText(info), Rank::Machine, Look::Muted,
            views::shownName(info.target.description, views::mostOfOne));
    addTimes();
}

void HeaderStrip::showTwo() {
    const ProfileView& source = *context_.reports.source();
    const ProfileView& target = *context_.reports.target();
    const QString before = views::shownName(source.info().model);
    const QString after = views::shownName(target.info().model);
    // Two runs of one model are distinguished by their folders.
    const auto [one, other] = views::shortNames(source.file(), target.file());
    const QString name = before != after ? tr("%1 \u2192 %2").arg(before, after)
                                         : tr("%1: %2 \u2192 %3").arg(before, one, other);
    addName(name, tr("Source: %1\nTarget: %2").arg(pathOf(source), pathOf(target)));
    if (source.info().origin.kind != target.info().origin.kind)
        addText(tr("%1 \u2192 %2").arg(originName(source.info()), originName(target.info())),
                Rank::Origin, Look::Muted, tr("Where the figures come from"));
    if (views::knowsNoMachine(source.info()) && views::knowsNoMachine(target.info()))
        return;
    addChanges();
    addFits();
    addTimes();
}

void HeaderStrip::addName(const QString& text, const QString& toolTip) {
    QLabel* label = views::textLabel({}, "heading");
    label->setParent(this);
    label->setToolTip(toolTip);
    parts_.push_back(
        {label, text.simplified(), Rank::Name, {}, true}); // one line, whatever the file contains
}

void HeaderStrip::addOrigin(const ProfileInfo& info) {
    if (info.origin.kind == OriginKind::Simulated && info.origin.tool.empty())
        return;
    addText(originName(info), Rank::Origin, Look::Muted,
            tr("Where the figures come from: %1")
                .arg(views::shownName(originText(info.origin), views::mostOfOne)));
}

void HeaderStrip::addText(const QString& text, Rank rank, Look look, const QString& toolTip,
                          const QStringList& shorter) {
    if (text.isEmpty())
        return;
    constexpr auto looks = std::to_array<const char*>({"", "muted", "good", "error"});
    QLabel* label = views::textLabel(text, looks[static_cast<std::size_t>(look)]);
    label->setParent(this);
    label->setToolTip(toolTip);
    parts_.push_back({label, text, rank, shorter});
}

void HeaderStrip::addChanges() {
    std::vector<OptionChange> changes =
        leadingChanges(context_.reports.source()->info(), context_.reports.target()->info());
    // The name already shows it.
    const bool otherModel =
        std::erase_if(changes, [](const OptionChange& each) { return each.option == "model"; }) > 0;
    const QString text = otherModel && changes.empty()
                             ? tr("nothing else differs")
                             : views::changesText(changes, mostChanges).simplified();
    changes_ = new QPushButton(this);
    changes_->setObjectName(QStringLiteral("nameOfProfile")); // text from a file
    changes_->setFlat(true);
    changes_->setFocusPolicy(Qt::TabFocus); // a click goes to the comparison
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
    parts_.push_back({changes_, text, Rank::Differences, shorter, true});
}

void HeaderStrip::addFits() {
    const bool two = context_.reports.target() != nullptr;
    const auto shortly = [](const ProfileInfo& info) {
        const QString mark(info.fits ? QChar(0x2714) : QChar(0x2718));
        return mark + (info.fits ? tr(" fits") : tr(" does not fit"));
    };
    const auto text = [&](const ProfileInfo& info, const MemorySummary* memory) {
        if (memory == nullptr)
            return shortly(info);
        const QString mark = shortly(info).left(1);
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
    const auto add = [&](const QString& before, const ProfileInfo& info,
                         const MemorySummary* fullest) {
        addText(before + text(info, fullest), Rank::Fits, info.fits ? Look::Good : Look::Bad, tip,
                {before + shortly(info)});
    };
    add({}, source, memory);
    if (!two)
        return;
    const ProfileInfo& target = context_.reports.target()->info();
    const MemorySummary* other = fullest_ && fullest_->target ? &*fullest_->target : nullptr;
    add(QStringLiteral("\u2192  "), target, other);
    parts_.back().follows = true;
}

void HeaderStrip::addTimesOf(const ProfileInfo& info) {
    if (!info.hasExecution)
        return addText(tr("not executed"), Rank::Time, Look::Muted,
                       tr("There is no run to measure"));
    const QString run = tr("%1 a run").arg(durationText(info.seconds()));
    const QString tip = tr("One run of the main program on the machine, and from one call of the "
                           "host to the next");
    if (info.hostCallSeconds > 0)
        addText(tr("%1, %2 with the host's call").arg(run, durationText(info.callSeconds())),
                Rank::Time, Look::Muted, tip, {run});
    else
        addText(run, Rank::Time, Look::Muted, tip);
    if (info.throughput > 0)
        addText(tr("%1 samples/s").arg(QString::fromStdString(formatRate(info.throughput))),
                Rank::Rate, Look::Muted,
                tr("The samples of a run over its time with the host's "
                   "call"));
}

void HeaderStrip::addTimes() {
    const ProfileInfo& source = context_.reports.source()->info();
    if (!context_.reports.target())
        return addTimesOf(source);
    const ProfileInfo& target = context_.reports.target()->info();
    std::optional<double> before = sampleSeconds(source);
    std::optional<double> after = sampleSeconds(target);
    // What was measured elsewhere may not say its samples.
    const bool ofRun = !(before && after) && source.seconds() > 0 && target.seconds() > 0;
    if (ofRun) {
        before = source.seconds();
        after = target.seconds();
    }
    if (!before && !after)
        return;
    const auto time = [](const std::optional<double>& seconds) {
        return seconds ? durationText(*seconds) : QStringLiteral("\u2013");
    };
    QString text = (ofRun ? tr("%1 \u2192 %2 a run") : tr("%1 \u2192 %2 a sample"))
                       .arg(time(before), time(after));
    Look look = Look::Muted;
    if (before && after && *before != *after) {
        text += QStringLiteral(" (%1)").arg(views::relativeText(*before, *after));
        look = *after < *before ? Look::Good : Look::Bad;
    }
    addText(text, Rank::Rate, look,
            ofRun
                ? tr("Time of a run on the machine; how many samples it takes is not known of both")
                : tr("Time of a sample, with the host's call: a second divided by its samples"));
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
    else
        static_cast<QPushButton*>(part.widget)->setText(views::menuText(text));
    constexpr int forRing = 4; // pixels around a button that has the focus
    const bool isButton = part.widget == changes_;
    part.widget->setGeometry(left, isButton ? forRing : 0, width,
                             height() - 1 - (isButton ? 2 * forRing : 0));
    part.widget->show();
}

int HeaderStrip::leastWidthOf(const Part& part) {
    int least = widthOf(part);
    for (const QString& text : part.shorter)
        least = std::min(least, metricsOf(part).horizontalAdvance(text) + around);
    return part.gives ? std::min(leastGiving, least) : least;
}

std::vector<HeaderStrip::Part*> HeaderStrip::byRank() {
    std::vector<Part*> order;
    for (Part& part : parts_)
        order.push_back(&part);
    std::stable_sort(order.begin(), order.end(),
                     [](const Part* a, const Part* b) { return a->rank < b->rank; });
    return order;
}

// A part that does not fit is not replaced by a less important one.
void HeaderStrip::share(int room) {
    const std::vector<Part*> order = byRank();
    for (Part* part : order)
        part->width = 0;
    int spare = room;
    for (Part* part : order) {
        const int gap = part == order.front() ? 0 : partGap;
        const int least = leastWidthOf(*part);
        if (gap > 0 && least + gap > spare)
            break;
        part->width = std::clamp(least, 1, std::max(1, room));
        spare -= part->width + gap;
    }
    for (Part* part : order)
        if (part->width > 0)
            widen(*part, spare);
}

void HeaderStrip::widen(Part& part, int& spare) {
    const int room = part.width + std::max(0, spare);
    int best = part.width;
    const auto offer = [&](int width) {
        if (width <= room)
            best = std::max(best, width);
    };
    offer(widthOf(part));
    for (const QString& text : part.shorter)
        offer(metricsOf(part).horizontalAdvance(text) + around);
    if (part.gives && part.shorter.isEmpty())
        offer(std::min(room, widthOf(part)));
    spare -= best - part.width;
    part.width = best;
}

void HeaderStrip::layOut() {
    share(width() - 2 * stripEdge);
    int left = stripEdge;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        if (part.width == 0) {
            part.widget->hide();
            continue;
        }
        const QString text = fitted(part, part.width);
        const int used = std::min(part.width, metricsOf(part).horizontalAdvance(text) + around);
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
