// Samples of tiles become programs of a control program, and steps of the IPU.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/import/ipu_stack_parts.h"

namespace tilescope {
namespace {

// Bytes and pointers of the structs of profile.capnp: each field's place follows from the order in
// which the schema numbers them.
namespace cyclePlace {
constexpr std::size_t version = 0, clock = 8, tiles = 0; // Profile
constexpr std::size_t physicalTile = 0, samples = 0;     // TileProfile
constexpr std::size_t step = 0, start = 0, end = 4;      // CycleSample
constexpr std::size_t phase = 4, epoch = 8, kind = 12;   // ProfileStep
constexpr std::size_t operation = 0, kernel = 1;         // its pointers
} // namespace cyclePlace

/// Cycles: more than an hour of any machine.
constexpr std::int64_t latestSample = TileSeries::largestStored;

/// Samples of all tiles that belong together.
struct Group {
    std::uint32_t epoch = 0, phase = 0;
    IpuStackKind kind = IpuStackKind::Compute;
    std::int64_t begin = 0, end = 0;
    std::map<std::int32_t, std::int64_t> cycles;                              ///< by tile
    std::map<std::string_view, std::int64_t> operations;                      ///< cycles of all
    std::map<std::string_view, std::map<std::int32_t, std::int64_t>> kernels; ///< calls by tile

    void add(const IpuStackSample& sample) {
        begin = cycles.empty() ? sample.begin : std::min(begin, sample.begin);
        end = std::max(end, sample.begin + sample.cycles);
        cycles[sample.tile] += sample.cycles;
        operations[sample.operation] += sample.cycles;
        if (kind == IpuStackKind::Compute)
            ++kernels[sample.kernel][sample.tile];
    }
    /// That of most cycles.
    [[nodiscard]] std::string_view operation() const {
        return std::max_element(operations.begin(), operations.end(),
                                [](const auto& a, const auto& b) { return a.second < b.second; })
            ->first;
    }
};

TileSeries seriesOf(const std::map<std::int32_t, std::int64_t>& values) {
    TileSeries series;
    for (const auto& [tile, value] : values)
        series.append(tile, tile + 1, std::min(value, TileSeries::largestStored));
    return series;
}

/// In the order in which they begin. A sync begins on the tiles that are done first.
std::vector<Group> groupsOf(const std::vector<IpuStackSample>& samples) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, IpuStackKind>, Group> groups;
    for (const IpuStackSample& sample : samples) {
        Group& group = groups[{sample.epoch, sample.phase, sample.kind}];
        group.epoch = sample.epoch;
        group.phase = sample.phase;
        group.kind = sample.kind;
        group.add(sample);
    }
    std::vector<Group> ordered;
    for (auto& [key, group] : groups)
        if (group.kind != IpuStackKind::Idle)
            ordered.push_back(std::move(group));
    std::stable_sort(ordered.begin(), ordered.end(), [](const Group& a, const Group& b) {
        return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    return ordered;
}

class Execution {
public:
    explicit Execution(Profile& profile)
        : profile_(profile) {
        Program main;
        main.name = "main";
        main_ = profile_.programs.add(std::move(main));
        profile_.controlPrograms.push_back(main_);
    }

    std::vector<std::uint32_t> add(const std::vector<Group>& groups) {
        TraceBody body;
        body.name = "main";
        body.program = main_;
        std::int64_t now = 0;
        for (const Group& group : groups) {
            const ProgramId program = programOf(group);
            // Tiles that wait for others do so in the step after.
            const std::int64_t begin = std::max(now, group.begin);
            if (group.end <= begin)
                continue;
            body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
            body.steps.push_back(stepOf(group, program, begin));
            now = group.end;
        }
        const bool executed = !body.items.empty();
        profile_.info.hasExecution = executed;
        profile_.info.cycles = now;
        if (executed)
            profile_.trace.runs.push_back(
                {"run", profile_.trace.bodies.add(std::move(body)), 0, now});
        return phases_;
    }

private:
    static TraceStep stepOf(const Group& group, ProgramId program, std::int64_t begin) {
        StepOnIpu on;
        on.ipu = IpuId(0);
        on.start = begin;
        on.cycles = group.end - begin;
        for (const auto& [tile, cycles] : group.cycles) {
            on.activeTiles += cycles > 0 ? 1 : 0;
            on.activeCycles += std::min(cycles, on.cycles);
        }
        if (group.kind == IpuStackKind::Synchronization)
            on.activeTiles = on.activeCycles = 0; // it waits
        return {kindOf(group), program, {on}};
    }

    static ProgramKind kindOf(const Group& group) {
        return group.kind == IpuStackKind::Compute           ? ProgramKind::OnTileExecute
               : group.kind == IpuStackKind::Synchronization ? ProgramKind::Sync
                                                             : ProgramKind::DoExchange;
    }

    static std::string nameOf(const Group& group) {
        const std::string_view operation = group.operation();
        const std::string name =
            operation.empty() ? fmt::format("phase {}", group.phase) : std::string(operation);
        return group.operations.size() == 1
                   ? name
                   : fmt::format("{} and {} more", name, group.operations.size() - 1);
    }

    OperationId operationOf(const Group& group) {
        const std::string_view name = group.operation();
        if (name.empty())
            return {};
        const auto [found, isNew] = operations_.try_emplace(name);
        if (isNew)
            found->second = profile_.operations.add({std::string(name), {}, 0, {}, {}, {}});
        return found->second;
    }

    /// A sync has none.
    ProgramId programOf(const Group& group) {
        if (group.kind == IpuStackKind::Synchronization)
            return {};
        Program program;
        program.kind = kindOf(group);
        program.name = nameOf(group);
        program.parent = main_;
        program.operation = operationOf(group);
        if (group.kind == IpuStackKind::Compute)
            program.computeSet = addComputeSet(group, program);
        else
            program.exchange = profile_.exchanges.add(
                {program.name, program.operation, {}, {}, {}, seriesOf(group.cycles), 0});
        const ProgramId id = profile_.programs.add(std::move(program));
        profile_.programs[main_].children.push_back(id);
        profile_.steps.add(id);
        phases_.push_back(group.phase);
        return id;
    }

    ComputeSetId addComputeSet(const Group& group, const Program& program) {
        ComputeSet set{program.name, program.operation, seriesOf(group.cycles), {}};
        for (const auto& [kernel, calls] : group.kernels) {
            VertexInstances instances;
            instances.type = kernelOf(kernel);
            instances.count = seriesOf(calls);
            profile_.info.vertices += instances.count.sum();
            set.vertices.push_back(std::move(instances));
        }
        return profile_.computeSets.add(std::move(set));
    }

    VertexTypeId kernelOf(std::string_view name) {
        const auto [found, isNew] = kernels_.try_emplace(name);
        if (isNew)
            found->second = profile_.vertexTypes.add(
                {name.empty() ? std::string("(no kernel)") : std::string(name), {}});
        return found->second;
    }

    Profile& profile_;
    ProgramId main_;
    std::map<std::string_view, OperationId> operations_;
    std::map<std::string_view, VertexTypeId> kernels_;
    std::vector<std::uint32_t> phases_;
};

/// The earliest first sample of all tiles on the machine's counter, which has 32 bits and wraps.
std::uint32_t originOf(const CapnpList& tiles) {
    std::optional<std::uint32_t> origin;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const CapnpList samples = tiles[i].list(cyclePlace::samples);
        if (samples.size() == 0)
            continue;
        const std::uint32_t first = samples[0].u32(cyclePlace::start);
        if (!origin || static_cast<std::int32_t>(first - *origin) < 0)
            origin = first;
    }
    return origin.value_or(0);
}

} // namespace

double clockOf(const CapnpMessage& cycles) {
    return static_cast<double>(cycles.root().u64(cyclePlace::clock));
}

std::uint32_t versionOf(const CapnpMessage& message) {
    return message.root().u32(cyclePlace::version);
}

std::vector<IpuStackSample> readSamples(const CapnpMessage& message, std::int32_t tiles,
                                        const std::function<void(double)>& told) {
    const CapnpList list = message.root().list(cyclePlace::tiles);
    const std::uint32_t origin = originOf(list);
    std::vector<IpuStackSample> all;
    std::set<std::uint32_t> seen;
    for (std::size_t i = 0; i < list.size(); ++i) {
        told(static_cast<double>(i) / static_cast<double>(list.size()));
        const std::uint32_t tile = list[i].u32(cyclePlace::physicalTile);
        if (tile >= static_cast<std::uint32_t>(tiles) || !seen.insert(tile).second)
            message.damaged(
                fmt::format("tile {} is there twice, or is not one of {}", tile, tiles));
        const CapnpList samples = list[i].list(cyclePlace::samples);
        std::uint32_t counter = origin;
        std::int64_t begin = 0;
        for (std::size_t k = 0; k < samples.size(); ++k) {
            const CapnpStruct step = samples[k].child(cyclePlace::step);
            const std::uint32_t start = samples[k].u32(cyclePlace::start);
            begin += std::uint32_t{start - counter};
            counter = start;
            if (begin > latestSample)
                message.damaged(fmt::format("tile {} has a sample hours after the first", tile));
            const std::uint16_t kind = step.u16(cyclePlace::kind);
            if (kind > static_cast<std::uint16_t>(IpuStackKind::Idle))
                message.damaged(
                    fmt::format("tile {} has a step of an unknown kind, {}", tile, kind));
            all.push_back({static_cast<std::int32_t>(tile), step.u32(cyclePlace::phase),
                           step.u32(cyclePlace::epoch), static_cast<IpuStackKind>(kind),
                           step.text(cyclePlace::operation), step.text(cyclePlace::kernel), begin,
                           std::uint32_t{samples[k].u32(cyclePlace::end) - start}});
        }
    }
    if (all.empty())
        message.damaged("it has no samples");
    return all;
}

std::vector<std::uint32_t> addExecution(Profile& profile,
                                        const std::vector<IpuStackSample>& samples) {
    return Execution(profile).add(groupsOf(samples));
}

} // namespace tilescope
