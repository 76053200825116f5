#include "views/session/profile_texts.h"

#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/profile/run_samples.h"
#include "core/target/target_file.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

// Growth by more than this is written as a multiple, as in the tables.
constexpr double mostAsPercent = 10; // times the old value

QString valueText(const std::string& value) {
    constexpr qsizetype most = 40; // letters: a change is read at a glance
    return value.empty() ? QStringLiteral("\u2013") : shownName(value, most);
}

} // namespace

bool knowsNoMachine(const ProfileInfo& info) {
    return std::ranges::none_of(profileParts,
                                [&](ProfilePart part) { return info.coverage.has(part); });
}

QString batchText(const ProfileInfo& info) {
    if (!info.has(ProfilePart::Run))
        return info.replicas > 1 ? Text::tr("%1 replicas").arg(countText(info.replicas))
                                 : QString();
    const RunSamples run = runSamplesOf(info);
    QString text = Text::tr("batch %1").arg(countText(run.microBatch));
    if (run.accumulation > 1)
        text += Text::tr(" \u00d7 %1 accumulated").arg(countText(run.accumulation));
    if (run.iterations > 1)
        text += Text::tr(" \u00d7 %1 iterations").arg(countText(run.iterations));
    if (run.replicas > 1)
        text += Text::tr(" \u00d7 %1 replicas").arg(countText(run.replicas));
    if (run.samples() != run.microBatch)
        text += Text::tr(" = %1 samples").arg(countText(run.samples()));
    return text;
}

QString machineText(const ProfileInfo& info) {
    const std::int64_t ipus = info.target.ipus;
    const QString size =
        ipus == 1 ? Text::tr("1 IPU \u00d7 %1 tiles")
                  : Text::tr("%2 IPUs \u00d7 %1 tiles").arg(QStringLiteral("%1"), countText(ipus));
    const QString machine = shownName(machineName(info.target), mostOfOne);
    const QString tiles = size.arg(countText(info.target.tilesPerIpu));
    return machine.isEmpty() ? tiles : machine + QStringLiteral(", ") + tiles;
}

std::pair<QString, QString> shortNames(const std::filesystem::path& source,
                                       const std::filesystem::path& target) {
    // Scripts write before/training/profile.pop and after/training/profile.pop.
    std::filesystem::path one = source;
    std::filesystem::path other = target;
    const auto up = [&] {
        one = one.parent_path();
        other = other.parent_path();
    };
    if (one.parent_path() != other.parent_path()) {
        up();
        while (one.filename() == other.filename() && one != other && one.has_relative_path())
            up();
        if (one.filename().empty() || other.filename().empty()) { // one is in the other's folder
            one = source.parent_path();
            other = target.parent_path();
        }
    }
    const auto name = [](const std::filesystem::path& of) {
        return shownName(of.filename().string(), mostOfOne);
    };
    return {name(one), name(other)};
}

QString changeText(const OptionChange& change) {
    return Text::tr("%1 %2 \u2192 %3")
        .arg(shownName(change.option, mostOfOne), valueText(change.source),
             valueText(change.target));
}

QString changesText(const std::vector<OptionChange>& changes, std::size_t most) {
    if (changes.empty())
        return Text::tr("nothing differs in model, machine and options");
    QStringList texts;
    for (std::size_t i = 0; i < std::min(most, changes.size()); ++i)
        texts << changeText(changes[i]);
    if (changes.size() > most)
        texts << Text::tr("%1 more").arg(
            countText(static_cast<std::int64_t>(changes.size() - most)));
    return texts.join(QStringLiteral(", "));
}

QString changesTip(const std::vector<OptionChange>& changes) {
    QStringList lines;
    for (const OptionChange& change : changes)
        lines << changeText(change);
    return shownLines(lines.join(QLatin1Char('\n')));
}

QString relativeText(double before, double after) {
    if (before <= 0 || before == after)
        return {};
    const double share = after / before - 1;
    if (share >= mostAsPercent)
        return QStringLiteral("\u00d7\u00a0%1").arg(countText(std::llround(1 + share)));
    return QStringLiteral("%1%2\u00a0%")
        .arg(share < 0 ? QStringLiteral("\u2212") : QStringLiteral("+"))
        .arg(100 * std::abs(share), 0, 'f', 1);
}

QDateTime createdAt(const ProfileInfo& info) {
    return QDateTime::fromString(QString::fromStdString(info.createdAt), Qt::ISODate);
}

QString ageText(const QDateTime& then, const QDateTime& now) {
    constexpr qint64 minute = 60;
    constexpr qint64 hour = 60 * minute;
    constexpr qint64 day = 24 * hour;
    constexpr qint64 mostDays = 14;
    if (!then.isValid())
        return {};
    const qint64 age = then.secsTo(now);
    if (age < 0 || age >= mostDays * day)
        return QLocale::c().toString(then.toLocalTime().date(), QStringLiteral("yyyy-MM-dd"));
    if (age < minute)
        return Text::tr("just now");
    if (age < hour)
        return Text::tr("%1 min ago").arg(age / minute);
    if (age < day)
        return Text::tr("%1 h ago").arg(age / hour);
    return age < 2 * day ? Text::tr("1 day ago") : Text::tr("%1 days ago").arg(age / day);
}

} // namespace tilescope::views
