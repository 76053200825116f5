#include "views/compare/compare_content.h"

#include <cmath>

#include "core/base/units.h"
#include "views/session/profile_texts.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

using Level = VerdictFigure::Level;

QString percentText(double share) {
    return QStringLiteral("%1 %").arg(100 * std::abs(share), 0, 'f', 1);
}

ComparedMetric metricOf(const Comparison& comparison, const char* name) {
    return comparison.metrics[metricNamed(name)];
}

QString rateText(double rate) {
    return QString::fromStdString(textOf(rate, Unit::Rate));
}

QString bytesText(double bytes, ByteUnits units) {
    return QString::fromStdString(formatBytes(std::llround(bytes), units));
}

// A change displayed as 0.0 % is neither better nor worse.
Level levelOf(double before, double after) {
    constexpr double leastShare = 0.0005;
    if (std::abs(after - before) < leastShare * before)
        return Level::Plain;
    return after < before ? Level::Good : after > before ? Level::Bad : Level::Plain;
}

VerdictFigure bytesFigure(const QString& title, const ComparedMetric& metric, ByteUnits units) {
    const double before = metric.source.value_or(0);
    const double after = metric.target.value_or(0);
    return {title, bytesText(before, units), bytesText(after, units), relativeText(before, after),
            levelOf(before, after)};
}

QString fitText(const QString& who, const ProfileInfo& info, const MemorySummary& memory) {
    if (info.fits)
        return Text::tr("%1 fits").arg(who);
    return memory.tilesOverLimit == 1 ? Text::tr("%1 does not fit: 1 tile is over").arg(who)
                                      : Text::tr("%1 does not fit: %2 tiles are over")
                                            .arg(who, countText(memory.tilesOverLimit));
}

// Whether a side fits outweighs the change in bytes.
VerdictFigure fullestTile(const Comparison& c, ByteUnits units) {
    VerdictFigure figure = bytesFigure(Text::tr("Fullest tile"), metricOf(c, "maxTile"), units);
    const QString limit = bytesText(static_cast<double>(c.targetMemory.limitPerTile), units);
    figure.sourceIsBad = !c.source.fits;
    figure.targetIsBad = !c.target.fits;
    if (c.source.fits && c.target.fits)
        figure.detail = Text::tr("Both fit in the %1 of a tile.").arg(limit);
    else
        figure.detail = Text::tr("%1, %2 (%3 a tile).")
                            .arg(fitText(Text::tr("Source"), c.source, c.sourceMemory),
                                 fitText(Text::tr("target"), c.target, c.targetMemory), limit);
    if (c.source.fits != c.target.fits)
        figure.level = c.target.fits ? Level::Good : Level::Bad;
    return figure;
}

QString runText(const Comparison& c) {
    const double before = c.source.seconds();
    const double after = c.target.seconds();
    const double samples = samplesOfRun(c.target) / samplesOfRun(c.source);
    const double share = before > 0 ? after / before - 1 : 0;
    constexpr double sameWork = 1e-6;
    if (std::abs(samples - 1) < sameWork && before == after)
        return Text::tr("a run takes %1 in both").arg(durationText(before));
    constexpr double mostAsPercent = 10; // more is a multiple, as in the tables
    QString text = share >= mostAsPercent
                       ? Text::tr("a run takes %1 times as long").arg(timesText(1 + share))
                   : share < 0 ? Text::tr("a run takes %1 less time").arg(percentText(share))
                               : Text::tr("a run takes %1 more time").arg(percentText(share));
    if (std::abs(samples - 1) >= sameWork)
        text += Text::tr(", for %1 times the samples").arg(timesText(samples));
    return text;
}

/// Where a profile does not say how many samples a run takes, such as one measured elsewhere.
VerdictFigure runTime(const Comparison& c) {
    const double before = c.source.seconds();
    const double after = c.target.seconds();
    return {.title = Text::tr("Time of a run"),
            .source = durationText(before),
            .target = durationText(after),
            .change = relativeText(before, after),
            .level = levelOf(before, after),
            .detail = Text::tr("How many samples a run takes is not known of both profiles.")};
}

// Per sample, because runs may process different numbers of samples.
VerdictFigure sampleTime(const Comparison& c) {
    const ComparedMetric rate = metricOf(c, "throughput");
    const auto seconds = [](const std::optional<double>& perSecond) {
        return perSecond && *perSecond > 0 ? std::optional(1 / *perSecond) : std::nullopt;
    };
    const std::optional<double> before = seconds(rate.source);
    const std::optional<double> after = seconds(rate.target);
    const auto text = [](const std::optional<double>& value) {
        return value ? durationText(*value) : QStringLiteral("\u2013");
    };
    VerdictFigure figure{Text::tr("Time of a sample, with the host's call"),
                         text(before),
                         text(after),
                         {},
                         Level::Plain};
    if ((!before || !after) && c.source.seconds() > 0 && c.target.seconds() > 0)
        return runTime(c);
    if (!before || !after) {
        figure.detail = before  ? Text::tr("The target was not executed.")
                        : after ? Text::tr("The source was not executed.")
                                : Text::tr("Neither profile was executed.");
        return figure;
    }
    figure.change = relativeText(*before, *after);
    figure.level = levelOf(*before, *after);
    figure.detail = Text::tr("%1 \u2192 %2 samples a second; %3.")
                        .arg(rateText(*rate.source), rateText(*rate.target), runText(c));
    return figure;
}

VerdictFigure allMemory(const Comparison& c, ByteUnits units) {
    VerdictFigure figure = bytesFigure(c.perSample ? Text::tr("Memory of all tiles, a sample")
                                                   : Text::tr("Memory of all tiles"),
                                       metricOf(c, "totalMemory"), units);
    const auto moved = [&](const char* name) {
        const ComparedMetric metric = metricOf(c, name);
        return Text::tr("%1 \u2192 %2")
            .arg(bytesText(metric.source.value_or(0), units),
                 bytesText(metric.target.value_or(0), units));
    };
    figure.detail = Text::tr("Always live %1, most of the rest at a step %2.")
                        .arg(moved("alwaysLive"), moved("maxNotAlwaysLive"));
    return figure;
}

} // namespace

QString timesText(double times) {
    constexpr double mostWithPoint = 100;
    return times < mostWithPoint ? QString::number(times, 'g', 3) : countText(std::llround(times));
}

ValueTree headlineFigures(const Comparison& comparison) {
    ValueTree tree{
        Text::tr("Figure"), {Text::tr("Source"), Text::tr("Target"), Text::tr("Difference")}, {}};
    // The rows begin with the metric's name and title.
    for (const Row& row : metricsTable(comparison, MetricRows::Headline).rows) {
        const Metric& metric = allMetrics()[metricNamed(std::get<std::string>(row.cells[0]))];
        tree.roots.push_back({translated(titleOf(metric, comparison.perSample)),
                              {row.cells.begin() + 2, row.cells.begin() + 5},
                              {},
                              metric.unit,
                              metric.better});
    }
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

std::array<VerdictFigure, 3> comparisonVerdict(const Comparison& comparison, ByteUnits units) {
    return {fullestTile(comparison, units), sampleTime(comparison), allMemory(comparison, units)};
}

} // namespace tilescope::views
