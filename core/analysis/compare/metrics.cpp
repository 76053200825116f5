#include "core/analysis/compare/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "core/analysis/compare/costs.h"
#include "core/base/error.h"
#include "core/base/suggest.h"

namespace tilescope {
namespace {

using Better = MetricBetter;
using Value = std::optional<double>;

/// What several metrics are taken from, computed once a profile.
struct Source {
    const ProfileParts& parts;
    MemorySummary memory;
    std::array<std::int64_t, cycleUses> cyclesByUse{}; ///< executed, all operations

    explicit Source(const ProfileParts& from)
        : parts(from)
        , memory(from.memory()) {
        if (executed())
            for (const auto& [piece, cycles] : cyclePieces(from, CycleBasis::Executed))
                cyclesByUse.at(static_cast<std::size_t>(piece.second)) += cycles;
    }
    [[nodiscard]] bool executed() const { return parts.info.hasExecution; }
};

struct Definition {
    Metric metric;
    Value (*value)(const Source&);
};

double number(std::int64_t value) {
    return static_cast<double>(value);
}
double size(std::size_t value) {
    return static_cast<double>(value);
}

Value usedFor(const Source& s, CycleUse use) {
    return s.executed() ? Value(number(s.cyclesByUse.at(static_cast<std::size_t>(use)))) : Value();
}

const std::vector<Definition>& definitions() {
    static const std::vector<Definition> all{
        {{"maxTile", "Fullest tile", "Bytes of the fullest tile, including gaps", Unit::Bytes,
          Better::Less, true, true},
         [](const Source& s) -> Value { return number(s.memory.maxTile.includingGaps); }},
        {{"maxTileExcludingGaps", "Fullest tile, excluding gaps",
          "Bytes of the same tile, excluding gaps", Unit::Bytes, Better::Less, false, true},
         [](const Source& s) -> Value { return number(s.memory.maxTile.excludingGaps); }},
        {{"tilesOverLimit", "Tiles over the limit", "Tiles that need more than they have",
          Unit::Count, Better::Less, true},
         [](const Source& s) -> Value { return number(s.memory.tilesOverLimit); }},
        {{"totalMemory", "Memory of all tiles", "Bytes of all tiles, including gaps", Unit::Bytes,
          Better::Less, true},
         [](const Source& s) -> Value { return number(s.memory.total.includingGaps); }},
        {{"totalMemoryExcludingGaps", "Memory of all tiles, excluding gaps",
          "Bytes of all tiles, excluding gaps", Unit::Bytes, Better::Less},
         [](const Source& s) -> Value { return number(s.memory.total.excludingGaps); }},
        {{"alwaysLive", "Always live", "Always-live bytes of all tiles", Unit::Bytes, Better::Less,
          true},
         [](const Source& s) -> Value { return number(s.memory.alwaysLive); }},
        {{"maxNotAlwaysLive", "Peak not always live",
          "The most not-always-live bytes of all tiles at any step", Unit::Bytes, Better::Less,
          true},
         [](const Source& s) -> Value { return number(s.memory.maxNotAlwaysLive); }},
        {{"cycles", "Cycles of a run", "Cycles of one run of the main program, longest IPU",
          Unit::Cycles, Better::Less, true},
         [](const Source& s) -> Value {
             return s.executed() ? Value(number(s.parts.info.cycles)) : Value();
         }},
        {{"seconds", "Time of a run", "The same at the target's clock", Unit::Seconds, Better::Less,
          true},
         [](const Source& s) -> Value {
             return s.executed() ? Value(s.parts.info.seconds()) : Value();
         }},
        {{"throughput", "Samples a second", "Samples per second", Unit::Rate, Better::More, true},
         [](const Source& s) -> Value {
             return s.executed() ? Value(s.parts.info.throughput) : Value();
         }},
        {{"computeCycles", "Compute cycles",
          "Cycles of compute sets in a run, without strided copies, slowest IPU of each step",
          Unit::Cycles, Better::Less},
         [](const Source& s) { return usedFor(s, CycleUse::Compute); }},
        {{"copyCycles", "Strided copy cycles", "Cycles of strided copies in a run", Unit::Cycles,
          Better::Less},
         [](const Source& s) { return usedFor(s, CycleUse::StridedCopy); }},
        {{"exchangeCycles", "Exchange cycles", "Cycles of exchanges within an IPU in a run",
          Unit::Cycles, Better::Less},
         [](const Source& s) { return usedFor(s, CycleUse::Exchange); }},
        {{"globalExchangeCycles", "Cycles between IPUs",
          "Cycles of exchanges between IPUs in a run", Unit::Cycles, Better::Less},
         [](const Source& s) { return usedFor(s, CycleUse::BetweenIpus); }},
        {{"hostCycles", "Host cycles", "Cycles of stream copies in a run", Unit::Cycles,
          Better::Less},
         [](const Source& s) { return usedFor(s, CycleUse::Host); }},
        {{"syncCycles", "Sync cycles", "Cycles of syncs in a run", Unit::Cycles, Better::Less},
         [](const Source& s) { return usedFor(s, CycleUse::Sync); }},
        {{"vertices", "Vertices", "Vertices of all compute sets", Unit::Count},
         [](const Source& s) -> Value { return number(s.parts.info.vertices); }},
        {{"edges", "Edges", "Edges of all vertices", Unit::Count},
         [](const Source& s) -> Value { return number(s.parts.info.edges); }},
        {{"operations", "Operations", "Operations of the model", Unit::Count},
         [](const Source& s) -> Value { return size(s.parts.operations->size()); }},
        {{"variables", "Variables", "Lowered variables; one on many tiles counts once",
          Unit::Count},
         [](const Source& s) -> Value { return size(s.parts.variables->size()); }},
        {{"computeSets", "Compute sets", "Compute sets", Unit::Count},
         [](const Source& s) -> Value { return size(s.parts.computeSets->size()); }},
        {{"exchanges", "Exchanges", "Exchanges within an IPU", Unit::Count},
         [](const Source& s) -> Value { return size(s.parts.exchanges->size()); }},
        {{"steps", "Program steps",
          "Leaves of the program tree, those of a function at each of its calls", Unit::Count},
         [](const Source& s) -> Value { return size(s.parts.steps->size()); }},
        {{"warnings", "Warnings", "Warnings and errors of the compiler", Unit::Count, Better::Less},
         [](const Source& s) -> Value {
             return number(std::count_if(
                 s.parts.messages->begin(), s.parts.messages->end(),
                 [](const Message& message) { return message.severity != Severity::Info; }));
         }},
    };
    return all;
}

double bytesOf(const ProfileParts& parts, MemoryCategory category) {
    std::int64_t sum = 0;
    for (const CategoryMemory& memory : *parts.categoryMemory)
        if (memory.category == category)
            sum += memory.bytes.sum();
    return number(sum);
}

std::vector<Metric> makeMetrics() {
    std::vector<Metric> metrics;
    for (const Definition& definition : definitions())
        metrics.push_back(definition.metric);
    for (const MemoryCategory category : memoryCategories)
        metrics.push_back(
            {fmt::format("memory.{}", toString(category)),
             fmt::format("Memory: {}", displayName(category)),
             fmt::format("Bytes of all tiles of this category ({}), excluding gaps; shared bytes "
                         "count once",
                         displayName(category)),
             Unit::Bytes, Better::Less});
    return metrics;
}

} // namespace

const std::vector<Metric>& allMetrics() {
    static const std::vector<Metric> metrics = makeMetrics();
    return metrics;
}

std::vector<std::optional<double>> metricValues(const ProfileParts& parts) {
    const Source source(parts);
    std::vector<std::optional<double>> values;
    for (const Definition& definition : definitions())
        values.push_back(definition.value(source));
    for (const MemoryCategory category : memoryCategories)
        values.emplace_back(bytesOf(parts, category));
    return values;
}

std::size_t metricNamed(std::string_view name) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < allMetrics().size(); ++i) {
        if (allMetrics()[i].name == name)
            return i;
        names.push_back(allMetrics()[i].name);
    }
    throw UserError(fmt::format("unknown metric '{}'.{} The metrics are {}", name,
                                didYouMean(std::string(name), names), fmt::join(names, ", ")));
}

} // namespace tilescope
