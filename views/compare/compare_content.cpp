#include "views/compare/compare_content.h"

#include <cmath>

#include "core/base/units.h"
#include "views/plot/axes/axis_labels.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

// Growth by more than this is told as a multiple, as in the tables.
constexpr double mostAsPercent = 10; // times the source

QString timesText(double share) {
    return QString::fromStdString(withThousands(std::llround(1 + share)));
}

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
    const QString tiles =
        memory.tilesOverLimit == 1
            ? Text::tr("1 tile is")
            : Text::tr("%1 tiles are")
                  .arg(QString::fromStdString(withThousands(memory.tilesOverLimit)));
    return {VerdictLine::Level::Bad,
            Text::tr("%1 does not fit: %2 over the limit, the fullest (%3) needs %4 of %5.")
                .arg(who, tiles)
                .arg(memory.maxTileId.value())
                .arg(most, limit)};
}

VerdictLine speedLine(const ProfileInfo& source, const ProfileInfo& target) {
    const QString before = durationText(source.seconds());
    const QString after = durationText(target.seconds());
    const double share = source.seconds() > 0 ? target.seconds() / source.seconds() - 1 : 0;
    if (target.seconds() == source.seconds())
        return {VerdictLine::Level::Plain, Text::tr("A run takes %1 in both.").arg(before)};
    if (target.seconds() < source.seconds())
        return {VerdictLine::Level::Good, Text::tr("A run takes %1 less time: %2 instead of %3.")
                                              .arg(percentText(share), after, before)};
    if (share >= mostAsPercent)
        return {VerdictLine::Level::Bad, Text::tr("A run takes %1 times as long: %2 instead of %3.")
                                             .arg(timesText(share), after, before)};
    return {VerdictLine::Level::Bad, Text::tr("A run takes %1 more time: %2 instead of %3.")
                                         .arg(percentText(share), after, before)};
}

QString moved(const QString& what, std::int64_t before, std::int64_t after, ByteUnits units) {
    const auto text = [units](std::int64_t bytes) {
        return QString::fromStdString(formatBytes(bytes, units));
    };
    if (before == after)
        return Text::tr("%1 stayed at %2").arg(what, text(before));
    const double share =
        before > 0 ? static_cast<double>(after - before) / static_cast<double>(before) : 0;
    const QString percent = share >= mostAsPercent
                                ? Text::tr(" (\u00d7\u00a0%1)").arg(timesText(share))
                            : before > 0 ? Text::tr(" (%1)").arg(percentText(share))
                                         : QString();
    const QString change = after < before ? Text::tr("%1 fell by %2%3, from %4 to %5")
                                          : Text::tr("%1 rose by %2%3, from %4 to %5");
    return change.arg(what, text(std::abs(after - before)), percent, text(before), text(after));
}

VerdictLine memoryLine(const Comparison& comparison, ByteUnits units) {
    const MemorySummary& a = comparison.sourceMemory;
    const MemorySummary& b = comparison.targetMemory;
    return {VerdictLine::Level::Plain,
            Text::tr("%1. %2.").arg(
                moved(Text::tr("The peak of what is not always live"), a.maxNotAlwaysLive,
                      b.maxNotAlwaysLive, units),
                moved(Text::tr("What is always live"), a.alwaysLive, b.alwaysLive, units))};
}

VerdictLine optionsLine(const Comparison& comparison) {
    // More would be a table, which has a tab of its own.
    constexpr std::size_t most = 4;
    QStringList changes;
    const auto text = [](const std::string& value) {
        return value.empty() ? QStringLiteral("\u2013") : QString::fromStdString(value);
    };
    for (std::size_t i = 0; i < std::min(most, comparison.options.size()); ++i) {
        const OptionChange& change = comparison.options[i];
        changes << Text::tr("%1 %2 \u2192 %3")
                       .arg(QString::fromStdString(change.option), text(change.source),
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

ValueTree headlineFigures(const Comparison& comparison, ValueScale scale) {
    ValueTree tree{
        Text::tr("Figure"), {Text::tr("Source"), Text::tr("Target"), Text::tr("Difference")}, {}};
    // The rows begin with the metric's name and title.
    for (const Row& row : metricsTable(comparison, MetricRows::Headline, scale).rows)
        tree.roots.push_back({translated(std::get<std::string>(row.cells[1])),
                              {row.cells.begin() + 2, row.cells.begin() + 5},
                              {},
                              row.unit});
    return tree;
}

Table largestCauses(const Comparison& comparison, Unit unit, std::size_t most, ValueScale scale) {
    Table table = onlyColumns(causesTable(comparison, unit, most, scale),
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
        lines.push_back(speedLine(comparison.source, comparison.target));
    lines.push_back(memoryLine(comparison, units));
    lines.push_back(optionsLine(comparison));
    return lines;
}

} // namespace tilescope::views
