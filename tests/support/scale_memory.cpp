#include "tests/support/scale_memory.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/store/placement_codec.h"

namespace tilescope::test {
namespace {

constexpr std::int32_t tileGroups = 4; // that hold more or less of each variable
constexpr std::int32_t layersLive = 2; // of an activation
constexpr std::int64_t stackBytes = 1024;
constexpr std::int64_t codeBytes = 48 * 1024;
constexpr std::int64_t weightRoom = 250 * 1024;
constexpr std::int64_t activationRoom = 200 * 1024;

/// Bytes of a variable on the tiles of a group.
std::int64_t ofGroup(std::int64_t bytes, std::int32_t group) {
    return bytes * (2 * tileGroups - group) / (2 * tileGroups);
}

class MemoryBuilder {
public:
    MemoryBuilder(Profile& profile, const ScaleMemory& shape)
        : p_(profile)
        , shape_(shape)
        , tiles_(profile.info.target.tilesPerIpu)
        , perIpu_(std::max(2, shape.variables / profile.info.target.ipus))
        , weights_(perIpu_ * 2 / 5)
        , activations_(perIpu_ - weights_)
        , slots_(std::max(1, (layersLive + 1) * ((activations_ - 1) / shape.layers + 1)))
        , weightBytes_(std::max<std::int64_t>(8, weightRoom / std::max(1, weights_) / 8 * 8))
        , activationBytes_(std::max<std::int64_t>(8, activationRoom / slots_ / 8 * 8)) {}

    void build() {
        common(MemoryCategory::Stack, stackBytes);
        common(MemoryCategory::VertexCode, codeBytes);
        for (std::int32_t ipu = 0; ipu < p_.info.target.ipus; ++ipu)
            addIpu(ipu);
        p_.placementOfTile = TileSeries::fromRuns(std::move(placementRuns_));
        p_.placements = packedPlacements(placements_);
        addCategories();
    }

private:
    void common(MemoryCategory category, std::int64_t bytes) {
        Variable v;
        v.name = std::string(toString(category));
        v.category = category;
        v.alwaysLive = true;
        v.bytes = TileSeries(TileId(0), p_.info.target.totalTiles(), bytes);
        common_.push_back(p_.variables.add(std::move(v)));
    }

    [[nodiscard]] std::int32_t firstTile(std::int32_t group) const {
        return tiles_ * group / tileGroups;
    }

    VariableId variable(std::string name, std::int32_t ipu, std::int32_t layer,
                        std::int64_t bytes) {
        Variable v;
        v.name = std::move(name);
        v.operation = p_.programs[p_.steps[StepId(stepOf(ipu, layer))]].operation;
        v.type = "half";
        v.shape = "[8,512,1024]";
        const std::int32_t first = ipu * tiles_;
        for (std::int32_t g = 0; g < tileGroups; ++g)
            v.bytes.append(first + firstTile(g), first + firstTile(g + 1), ofGroup(bytes, g));
        return p_.variables.add(std::move(v));
    }

    [[nodiscard]] std::int32_t stepOf(std::int32_t ipu, std::int32_t layer) const {
        return shape_
            .firstStep[static_cast<std::size_t>(ipu) * static_cast<std::size_t>(shape_.layers) +
                       static_cast<std::size_t>(std::min(layer, shape_.layers - 1))];
    }

    void addIpu(std::int32_t ipu) {
        std::vector<VariableId> weights;
        std::vector<VariableId> activations;
        for (std::int32_t k = 0; k < weights_; ++k) {
            const std::int32_t layer = k * shape_.layers / weights_;
            weights.push_back(
                variable(fmt::format("stage{}/weights{}", ipu, k), ipu, layer, weightBytes_));
            p_.variables[weights.back()].alwaysLive = true;
        }
        for (std::int32_t k = 0; k < activations_; ++k) {
            const auto layer =
                static_cast<std::int32_t>(std::int64_t{k} * shape_.layers / activations_);
            activations.push_back(variable(fmt::format("stage{}/layer{}/out{}", ipu, layer, k), ipu,
                                           layer, activationBytes_));
            const std::int32_t first = stepOf(ipu, layer);
            p_.variables[activations.back()].liveness = classOf(
                {StepId(first), StepId(std::max(first + 1, stepOf(ipu, layer + layersLive)))});
            use(ipu, layer, weights, activations);
        }
        for (std::int32_t g = 0; g < tileGroups; ++g)
            addGroup(ipu, g, weights, activations);
    }

    LivenessClassId classOf(StepInterval interval) {
        if (p_.livenessClasses.empty() || p_.livenessClasses.back().intervals.front() != interval)
            p_.livenessClasses.add({{interval}});
        return LivenessClassId(p_.livenessClasses.size() - 1);
    }

    /// The layer's compute set writes the newest activation and reads the one before.
    void use(std::int32_t ipu, std::int32_t layer, const std::vector<VariableId>& weights,
             const std::vector<VariableId>& activations) {
        Program& program = p_.programs[p_.steps[StepId(stepOf(ipu, layer) + 1)]];
        program.variablesWritten.push_back(activations.back());
        if (activations.size() > 1)
            program.variablesRead.push_back(activations[activations.size() - 2]);
        if (!weights.empty())
            program.variablesRead.push_back(
                weights[static_cast<std::size_t>(layer) % weights.size()]);
    }

    void addGroup(std::int32_t ipu, std::int32_t g, const std::vector<VariableId>& weights,
                  const std::vector<VariableId>& activations) {
        Placement placement;
        std::int64_t at = 0;
        for (const VariableId id : common_) {
            placement.variables.push_back({id, at});
            at += p_.variables[id].bytes.runs().front().value;
        }
        for (const VariableId id : weights) {
            placement.variables.push_back({id, at});
            at += ofGroup(weightBytes_, g);
        }
        const std::int64_t bytes = ofGroup(activationBytes_, g);
        for (std::size_t slot = 0; slot < static_cast<std::size_t>(slots_); ++slot)
            for (std::size_t k = slot; k < activations.size(); k += std::size_t(slots_))
                placement.variables.push_back(
                    {activations[k], at + static_cast<std::int64_t>(slot) * bytes});
        placements_.push_back(std::move(placement));
        const std::int64_t used = std::min<std::int64_t>(slots_, activations_);
        const TileMemory memory = memoryOf(at, at + used * bytes, bytes);
        const std::int32_t first = ipu * tiles_ + firstTile(g);
        const std::int32_t end = ipu * tiles_ + firstTile(g + 1);
        placementRuns_.push_back({first, end, static_cast<std::int64_t>(placements_.size())});
        for (std::int32_t tile = first; tile < end; ++tile)
            p_.tileMemory.add(memory);
    }

    [[nodiscard]] TileMemory memoryOf(std::int64_t always, std::int64_t all,
                                      std::int64_t bytes) const {
        TileMemory m;
        m.includingGaps = m.excludingGaps = all;
        m.nonInterleaved = std::min(all, p_.info.target.interleavedOffset);
        m.interleaved = all - m.nonInterleaved;
        m.alwaysLive = always;
        // As many as live in the layers that an activation lives for.
        const std::int64_t together = std::min<std::int64_t>(
            activations_, layersLive * ((activations_ - 1) / shape_.layers + 1));
        m.maxNotAlwaysLive = together * bytes;
        return m;
    }

    void addCategories() {
        const std::int64_t edge = p_.info.target.interleavedOffset;
        std::array<TileSeries, 4> parts; // non-interleaved and interleaved, always live and not
        std::int32_t tile = 0;
        for (const TileMemory& m : p_.tileMemory) {
            const std::int64_t fixed = stackBytes + codeBytes;
            const auto within = [&](std::int64_t from, std::int64_t to, bool low) {
                return low ? std::max<std::int64_t>(0, std::min(to, edge) - from)
                           : std::max<std::int64_t>(0, to - std::max(from, edge));
            };
            const std::array<std::int64_t, 4> bytes{within(fixed, m.alwaysLive, true),
                                                    within(fixed, m.alwaysLive, false),
                                                    within(m.alwaysLive, m.includingGaps, true),
                                                    within(m.alwaysLive, m.includingGaps, false)};
            for (std::size_t i = 0; i < parts.size(); ++i)
                if (bytes[i] > 0)
                    parts[i].append(tile, tile + 1, bytes[i]);
            ++tile;
        }
        for (std::size_t i = 0; i < parts.size(); ++i)
            p_.categoryMemory.push_back(
                {MemoryCategory::Variable,
                 i % 2 == 0 ? MemoryRegion::NonInterleaved : MemoryRegion::Interleaved, i >= 2,
                 std::move(parts[i])});
        for (const VariableId id : common_)
            p_.categoryMemory.push_back({p_.variables[id].category, MemoryRegion::NonInterleaved,
                                         false, p_.variables[id].bytes});
    }

    Profile& p_;
    const ScaleMemory& shape_;
    std::int32_t tiles_;
    std::int32_t perIpu_;
    std::int32_t weights_;
    std::int32_t activations_;
    std::int32_t slots_;
    std::int64_t weightBytes_;
    std::int64_t activationBytes_;
    std::vector<VariableId> common_;
    std::vector<Placement> placements_;
    std::vector<TileRun> placementRuns_;
};

} // namespace

void addScaleMemory(Profile& profile, const ScaleMemory& shape) {
    MemoryBuilder(profile, shape).build();
}

} // namespace tilescope::test
