#include "views/compare/compare_content.h"

#include <QCoreApplication>
#include <cmath>
#include <optional>

#include "core/base/units.h"
#include "views/plot/axes/axis_labels.h"

namespace tilescope::views {
namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Compare)
};

using Figure = std::optional<std::int64_t>;

ValueNode line(const QString& name, Figure source, Figure target, CellKind kind) {
    const auto cell = [](Figure figure) { return figure ? Cell(*figure) : Cell(); };
    return {
        name,
        {cell(source), cell(target), source && target ? Cell(Change{*source, *target}) : Cell()},
        {},
        kind};
}

VerdictLine fitLine(const QString& who, const ProfileInfo& info, const MemorySummary& memory,
                    ByteUnits units) {
    const QString most = QString::fromStdString(formatBytes(memory.maxTile.includingGaps, units));
    const QString limit = QString::fromStdString(formatBytes(memory.limitPerTile, units));
    if (info.fits)
        return {VerdictLine::Level::Good,
                Text::tr("%1 fits: the fullest tile uses %2 of %3.").arg(who, most, limit)};
    const QString tiles =
        memory.tilesOverLimit == 1
            ? Text::tr("1 tile is")
            : Text::tr("%1 tiles are")
                  .arg(QString::fromStdString(withThousands(memory.tilesOverLimit)));
    return {VerdictLine::Level::Bad,
            Text::tr("%1 does not fit: %2 over the limit, the fullest needs %3 of %4.")
                .arg(who, tiles, most, limit)};
}

VerdictLine speedLine(const ProfileInfo& source, const ProfileInfo& target) {
    const QString before = durationText(source.seconds());
    const QString after = durationText(target.seconds());
    const double share = source.seconds() > 0 ? target.seconds() / source.seconds() - 1 : 0;
    const QString percent = QStringLiteral("%1 %").arg(100 * std::abs(share), 0, 'f', 1);
    if (target.seconds() == source.seconds())
        return {VerdictLine::Level::Plain, Text::tr("A run takes %1 in both.").arg(before)};
    if (target.seconds() < source.seconds())
        return {
            VerdictLine::Level::Good,
            Text::tr("A run takes %1 less time: %2 instead of %3.").arg(percent, after, before)};
    return {VerdictLine::Level::Bad,
            Text::tr("A run takes %1 more time: %2 instead of %3.").arg(percent, after, before)};
}

VerdictLine optionsLine(const ProfilePair& profiles) {
    // More would be a table, which stands below.
    constexpr std::size_t most = 4;
    QStringList changes;
    std::size_t more = 0;
    const Preferences preferences;
    for (const DataRow& row : optionsTable(profiles).rows) {
        if (!row.emphasised)
            continue;
        const auto text = [&](std::size_t column) {
            return cellText(row.cells[column], CellKind::Text, preferences);
        };
        if (static_cast<std::size_t>(changes.size()) < most)
            changes << Text::tr("%1 %2 \u2192 %3").arg(text(0), text(1), text(2));
        else
            ++more;
    }
    if (changes.isEmpty())
        return {VerdictLine::Level::Plain, Text::tr("All options are the same.")};
    const QString list = changes.join(QStringLiteral(", "));
    return {VerdictLine::Level::Plain,
            more > 0 ? Text::tr("Changed: %1, and %2 more.").arg(list).arg(more)
                     : Text::tr("Changed: %1.").arg(list)};
}

} // namespace

ValueTree headlineFigures(const ProfilePair& profiles, const ProfileFigures& source,
                          const ProfileFigures& target) {
    const ProfileInfo& ia = profiles.source->info();
    const ProfileInfo& ib = profiles.target->info();
    const MemorySummary& a = source.memory;
    const MemorySummary& b = target.memory;
    const auto executed = [&](const QString& name, auto value, CellKind kind) {
        const auto of = [&](const ProfileInfo& info) {
            return info.hasExecution ? Figure(value(info)) : Figure();
        };
        return line(name, of(ia), of(ib), kind);
    };
    const auto count = [](const QString& name, auto first, auto second) {
        return line(name, static_cast<std::int64_t>(first), static_cast<std::int64_t>(second),
                    CellKind::Count);
    };
    const auto bytes = [](const QString& name, std::int64_t first, std::int64_t second) {
        return line(name, first, second, CellKind::Bytes);
    };
    ValueTree tree{
        Text::tr("Figure"), {Text::tr("Source"), Text::tr("Target"), Text::tr("Difference")}, {}};
    tree.roots = {
        bytes(Text::tr("Fullest tile, including gaps"), a.maxTile.includingGaps,
              b.maxTile.includingGaps),
        bytes(Text::tr("Fullest tile, excluding gaps"), a.maxTile.excludingGaps,
              b.maxTile.excludingGaps),
        bytes(Text::tr("Total, including gaps"), a.total.includingGaps, b.total.includingGaps),
        bytes(Text::tr("Total, excluding gaps"), a.total.excludingGaps, b.total.excludingGaps),
        bytes(Text::tr("Always live"), a.alwaysLive, b.alwaysLive),
        bytes(Text::tr("Peak not always live"), a.maxNotAlwaysLive, b.maxNotAlwaysLive),
        count(Text::tr("Tiles over the limit"), a.tilesOverLimit, b.tilesOverLimit),
        executed(
            Text::tr("Cycles of a run"), [](const ProfileInfo& i) { return i.cycles; },
            CellKind::Cycles),
        executed(
            Text::tr("Time of a run"),
            [](const ProfileInfo& i) { return std::llround(i.seconds() * 1e9); },
            CellKind::Nanoseconds),
        executed(
            Text::tr("Samples a second"),
            [](const ProfileInfo& i) { return std::llround(i.throughput); }, CellKind::Count),
        count(Text::tr("Variables"), source.variables, target.variables),
        count(Text::tr("Compute sets"), source.computeSets, target.computeSets),
        count(Text::tr("Program steps"), source.steps, target.steps),
        count(Text::tr("Vertices"), ia.vertices, ib.vertices),
        count(Text::tr("Edges"), ia.edges, ib.edges)};
    return tree;
}

std::vector<VerdictLine> comparisonVerdict(const ProfilePair& profiles,
                                           const ProfileFigures& source,
                                           const ProfileFigures& target, ByteUnits units) {
    const ProfileInfo& first = profiles.source->info();
    const ProfileInfo& second = profiles.target->info();
    std::vector<VerdictLine> lines{fitLine(Text::tr("Source"), first, source.memory, units),
                                   fitLine(Text::tr("Target"), second, target.memory, units)};
    if (first.hasExecution && second.hasExecution)
        lines.push_back(speedLine(first, second));
    lines.push_back(optionsLine(profiles));
    return lines;
}

} // namespace tilescope::views
