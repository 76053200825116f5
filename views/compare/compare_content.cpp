#include "views/compare/compare_content.h"

#include <cmath>

#include "core/base/units.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

// Growth by more than this is written as a multiple, as in the tables.
constexpr double mostAsPercent = 10; // times the source

QString percentText(double share) {
    return QStringLiteral("%1 %").arg(100 * std::abs(share), 0, 'f', 1);
}

VerdictLine fitLine(const QString& who, const ProfileInfo& info, const MemorySummary& memory,
                    ByteUnits units) {
    const QString most = QString::fromStdString(formatBytes(memory.maxTile.includingGaps, units));
    const QString limit = QString::fromStdString(formatBytes(memory.limitPerTile, units));
    if (info.fits)
        return {VerdictLine::Level::Good, Text::tr("%1 fits: the fullest tile (%2) uses %3 of %4.")
                                              .arg(who)
                                              .arg(memory.maxTileId.value())
                                              .arg(most, limit)};
    const QString tiles = memory.tilesOverLimit == 1
                              ? Text::tr("1 tile is")
                              : Text::tr("%1 tiles are").arg(countText(memory.tilesOverLimit));
    return {VerdictLine::Level::Bad,
            Text::tr("%1 does not fit: %2 over the limit, the fullest (%3) needs %4 of %5.")
                .arg(who, tiles)
                .arg(memory.maxTileId.value())
                .arg(most, limit)};
}

ComparedMetric metricOf(const Comparison& comparison, const char* name) {
    return comparison.metrics[metricNamed(name)];
}

QString rateText(double rate) {
    return QString::fromStdString(textOf(rate, Unit::Rate));
}

// "A run takes 12.0 % more time: 2 ms instead of 1.8 ms"; of a sample likewise.
QString timeText(const Comparison& comparison, double source, double target) {
    const QString what = comparison.perSample ? Text::tr("A sample") : Text::tr("A run");
    const QString before = durationText(source);
    const QString after = durationText(target);
    if (source == target)
        return Text::tr("%1 takes %2 in both").arg(what, before);
    const double share = source > 0 ? target / source - 1 : 0;
    if (share >= mostAsPercent)
        return Text::tr("%1 takes %2 times as long: %3 instead of %4")
            .arg(what, countText(std::llround(1 + share)), after, before);
    const QString change = share < 0 ? Text::tr("%1 takes %2 less time: %3 instead of %4")
                                     : Text::tr("%1 takes %2 more time: %3 instead of %4");
    return change.arg(what, percentText(share), after, before);
}

// Runs of different numbers of samples are judged by their samples a second.
VerdictLine speedLine(const Comparison& comparison) {
    const ComparedMetric seconds = metricOf(comparison, "seconds");
    const ComparedMetric rate = metricOf(comparison, "throughput");
    const double samples = samplesOfRun(comparison.target) / samplesOfRun(comparison.source);
    QString text = timeText(comparison, *seconds.source, *seconds.target);
    double gain = *seconds.source - *seconds.target;
    constexpr double sameWork = 1e-6;
    const bool moreWork = std::abs(samples - 1) > sameWork;
    if (moreWork && *rate.source > 0) {
        gain = *rate.target - *rate.source;
        const double share = *rate.target / *rate.source - 1;
        const QString change = share < 0 ? Text::tr("%1 fewer samples a second: %2 instead of %3")
                                         : Text::tr("%1 more samples a second: %2 instead of %3");
        if (!comparison.perSample)
            text += Text::tr(", for %1 times the samples").arg(samples, 0, 'g', 3);
        text += Text::tr("; %1").arg(
            change.arg(percentText(share), rateText(*rate.target), rateText(*rate.source)));
    }
    return {gain > 0   ? VerdictLine::Level::Good
            : gain < 0 ? VerdictLine::Level::Bad
                       : VerdictLine::Level::Plain,
            text + QLatin1Char('.')};
}

QString moved(const QString& what, const ComparedMetric& metric, ByteUnits units) {
    const std::int64_t before = std::llround(metric.source.value_or(0));
    const std::int64_t after = std::llround(metric.target.value_or(0));
    const auto text = [units](std::int64_t bytes) {
        return QString::fromStdString(formatBytes(bytes, units));
    };
    if (before == after)
        return Text::tr("%1 stayed at %2").arg(what, text(before));
    const double share =
        before > 0 ? static_cast<double>(after - before) / static_cast<double>(before) : 0;
    const QString percent =
        share >= mostAsPercent
            ? Text::tr(" (\u00d7\u00a0%1)").arg(countText(std::llround(1 + share)))
        : before > 0 ? Text::tr(" (%1)").arg(percentText(share))
                     : QString();
    const QString change = after < before ? Text::tr("%1 fell by %2%3, from %4 to %5")
                                          : Text::tr("%1 rose by %2%3, from %4 to %5");
    return change.arg(what, text(std::abs(after - before)), percent, text(before), text(after));
}

VerdictLine memoryLine(const Comparison& comparison, ByteUnits units) {
    const QString text = Text::tr("%1. %2.").arg(
        moved(Text::tr("The peak of what is not always live"),
              metricOf(comparison, "maxNotAlwaysLive"), units),
        moved(Text::tr("What is always live"), metricOf(comparison, "alwaysLive"), units));
    return {VerdictLine::Level::Plain,
            comparison.perSample ? Text::tr("Per sample of a micro-batch: %1").arg(text) : text};
}

VerdictLine optionsLine(const Comparison& comparison) {
    // More would be a table, which has a tab of its own.
    constexpr std::size_t most = 4;
    QStringList changes;
    const auto text = [](const std::string& value) {
        return value.empty() ? QStringLiteral("\u2013") : shownName(value, mostOfOne);
    };
    for (std::size_t i = 0; i < std::min(most, comparison.options.size()); ++i) {
        const OptionChange& change = comparison.options[i];
        changes << Text::tr("%1 %2 \u2192 %3")
                       .arg(shownName(change.option, mostOfOne), text(change.source),
                            text(change.target));
    }
    if (changes.isEmpty())
        return {VerdictLine::Level::Plain, Text::tr("All options are the same.")};
    const QString list = changes.join(QStringLiteral(", "));
    const std::size_t more = comparison.options.size() - std::min(most, comparison.options.size());
    return {VerdictLine::Level::Plain,
            more > 0 ? Text::tr("Changed: %1, and %2 more.").arg(list).arg(more)
                     : Text::tr("Changed: %1.").arg(list)};
}

} // namespace

ValueTree headlineFigures(const Comparison& comparison) {
    ValueTree tree{
        Text::tr("Figure"), {Text::tr("Source"), Text::tr("Target"), Text::tr("Difference")}, {}};
    // The rows begin with the metric's name and title.
    for (const Row& row : metricsTable(comparison, MetricRows::Headline).rows)
        tree.roots.push_back({translated(std::get<std::string>(row.cells[1])),
                              {row.cells.begin() + 2, row.cells.begin() + 5},
                              {},
                              row.unit});
    return tree;
}

Table largestCauses(const Comparison& comparison, Unit unit, std::size_t most) {
    Table table = onlyColumns(causesTable(comparison, unit, most),
                              {"operation", "use", "difference", "share"});
    table.columns[2].difference = false; // with its percentage, which has no column here
    return table;
}

ComparisonPtr comparisonOf(const ProfilePair& profiles, const std::stop_token& stop) {
    return std::make_shared<const Comparison>(compareProfiles(profiles, stop));
}

std::vector<VerdictLine> comparisonVerdict(const Comparison& comparison, ByteUnits units) {
    std::vector<VerdictLine> lines{
        fitLine(Text::tr("Source"), comparison.source, comparison.sourceMemory, units),
        fitLine(Text::tr("Target"), comparison.target, comparison.targetMemory, units)};
    if (comparison.source.hasExecution && comparison.target.hasExecution)
        lines.push_back(speedLine(comparison));
    lines.push_back(memoryLine(comparison, units));
    lines.push_back(optionsLine(comparison));
    return lines;
}

} // namespace tilescope::views
