#include "core/analysis/compare/metrics.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/compare/costs.h"
#include "core/analysis/memory/summary.h"
#include "core/analysis/memory/tile_quantity.h"
#include "core/base/error.h"
#include "core/base/suggest.h"

namespace tilescope {
namespace {

using Better = MetricBetter;
using Value = std::optional<double>;

/// Intermediate results that several metrics use, computed once per profile.
struct Source {
    const ProfileView& profile;
    Stop stop;
    const ProfileInfo& info;
    MemorySummary memory;
    std::array<std::int64_t, enumTitles<CycleUse>.size()>
        cyclesByUse{}; ///< executed, all operations

    Source(const ProfileView& from, Stop stopped)
        : profile(from)
        , stop(stopped)
        , info(from.info())
        , memory(memorySummary(from, stopped)) {
        if (executed())
            for (const auto& [piece, cycles] : cyclePieces(from, CycleBasis::Executed, stop))
                cyclesByUse.at(static_cast<std::size_t>(piece.second)) += cycles;
    }
    [[nodiscard]] bool executed() const { return info.hasExecution; }
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
        {{"maxNotAlwaysLive", "Not always live, at a step",
          "The most not-always-live bytes of all tiles at one step of the program", Unit::Bytes,
          Better::Less, true},
         [](const Source& s) -> Value { return number(s.memory.maxNotAlwaysLive); }},
        {{"cycles", "Cycles of a run", "Cycles of one run of the main program, longest IPU",
          Unit::Cycles, Better::Less, true},
         [](const Source& s) -> Value {
             return s.executed() ? Value(number(s.info.cycles)) : Value();
         }},
        {{"seconds", "Time of a run", "The same at the target's clock", Unit::Seconds, Better::Less,
          true},
         [](const Source& s) -> Value { return s.executed() ? Value(s.info.seconds()) : Value(); }},
        {{"throughput", "Samples a second", "Samples per second", Unit::Rate, Better::More, true},
         [](const Source& s) -> Value {
             return s.executed() && s.info.has(ProfilePart::HostTimes) ? Value(s.info.throughput)
                                                                       : Value();
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
         [](const Source& s) -> Value { return number(s.info.vertices); }},
        {{"edges", "Edges", "Edges of all vertices", Unit::Count},
         [](const Source& s) -> Value {
             return s.info.has(ProfilePart::Edges) ? Value(number(s.info.edges)) : Value();
         }},
        {{"operations", "Operations", "Operations of the model", Unit::Count},
         [](const Source& s) -> Value {
             return s.info.has(ProfilePart::Operations)
                        ? Value(size(s.profile.operations(s.stop)->size()))
                        : Value();
         }},
        {{"variables", "Variables", "Lowered variables; one on many tiles counts once",
          Unit::Count},
         [](const Source& s) -> Value {
             return s.info.has(ProfilePart::Variables)
                        ? Value(size(s.profile.variables(s.stop)->size()))
                        : Value();
         }},
        {{"computeSets", "Compute sets", "Compute sets", Unit::Count},
         [](const Source& s) -> Value { return size(s.profile.computeSets(s.stop)->size()); }},
        {{"exchanges", "Exchanges", "Exchanges within an IPU", Unit::Count},
         [](const Source& s) -> Value { return size(s.profile.exchanges(s.stop)->size()); }},
        {{"steps", "Program steps",
          "Leaves of the program tree, those of a function at each of its calls", Unit::Count},
         [](const Source& s) -> Value { return size(s.profile.steps(s.stop)->size()); }},
        {{"warnings", "Warnings", "Warnings and errors of the compiler", Unit::Count, Better::Less},
         [](const Source& s) -> Value {
             return number(std::count_if(
                 s.profile.messages(s.stop)->begin(), s.profile.messages(s.stop)->end(),
                 [](const Message& message) { return message.severity != Severity::Info; }));
         }},
    };
    return all;
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

std::vector<std::optional<double>> metricValues(const ProfileView& profile, Stop stop) {
    const Source source(profile, stop);
    std::vector<std::optional<double>> values;
    for (const Definition& definition : definitions())
        values.push_back(definition.value(source));
    for (const MemoryCategory category : memoryCategories)
        values.emplace_back(
            number(categoryBytesByTile(*profile.categoryMemory(stop), category).sum()));
    return values;
}

std::string titleOf(const Metric& metric, bool perSample) {
    const bool divided =
        metric.unit == Unit::Bytes || metric.unit == Unit::Cycles || metric.unit == Unit::Seconds;
    if (!perSample || !divided || metric.ofTile)
        return metric.title;
    // Shorter than the time that the rate is of, which includes the host's share of each run.
    if (metric.unit == Unit::Seconds)
        return "Time of a sample, on the machine";
    constexpr std::string_view ofRun = " of a run";
    return metric.title.ends_with(ofRun)
               ? metric.title.substr(0, metric.title.size() - ofRun.size()) + " of a sample"
               : metric.title + ", a sample";
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
