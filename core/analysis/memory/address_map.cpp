#include "core/analysis/memory/address_map.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/damaged_profile.h"

namespace tilescope {

std::vector<AddressBlock> addressBlocks(const Placement& placement,
                                        const IdVector<VariableId, Variable>& variables,
                                        TileId tile) {
    std::vector<AddressBlock> blocks;
    blocks.reserve(placement.variables.size());
    for (const PlacedVariable& placed : placement.variables) {
        if (!placed.variable.valid() || placed.variable.index() >= variables.size())
            throw DamagedProfile(
                fmt::format("tile {} holds a variable that does not exist", tile.value()));
        const std::int64_t bytes = variables[placed.variable].bytes.at(tile);
        if (bytes > 0)
            blocks.push_back({placed.offset, placed.offset + bytes, placed.variable});
    }
    std::stable_sort(
        blocks.begin(), blocks.end(),
        [](const AddressBlock& a, const AddressBlock& b) { return a.begin < b.begin; });
    return blocks;
}

std::vector<AddressRange> addressGaps(const std::vector<AddressBlock>& blocks) {
    std::vector<AddressRange> gaps;
    std::int64_t covered = 0;
    for (const AddressBlock& block : blocks) {
        if (block.begin > covered)
            gaps.push_back({covered, block.begin});
        covered = std::max(covered, block.end);
    }
    return gaps;
}

AddressSharing addressSharing(const std::vector<AddressBlock>& blocks) {
    AddressSharing result;
    std::int64_t covered = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const AddressBlock& block = blocks[i];
        const bool meetsNext = i + 1 < blocks.size() && blocks[i + 1].begin < block.end;
        result.sharing += block.begin < covered || meetsNext ? 1 : 0;
        result.variableBytes += block.end - block.begin;
        result.addressBytes +=
            std::max<std::int64_t>(0, block.end - std::max(covered, block.begin));
        covered = std::max(covered, block.end);
    }
    return result;
}

std::string AddressSharing::text(ByteUnits units) const {
    return sharing == 0 ? std::string()
                        : fmt::format("{} of variables at {} of addresses: {} share addresses at "
                                      "different times",
                                      formatBytes(variableBytes, units),
                                      formatBytes(addressBytes, units), withThousands(sharing));
}

std::vector<AddressSpan> addressSpans(const std::vector<AddressBlock>& blocks,
                                      const IdVector<VariableId, Variable>& variables,
                                      const IdVector<LivenessClassId, LivenessClass>& classes,
                                      std::size_t steps) {
    const auto end = StepId(steps);
    std::vector<AddressSpan> spans;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const Variable& variable = variables[blocks[i].variable];
        if (variable.alwaysLive) {
            spans.push_back({i, {StepId(0), end}});
            continue;
        }
        if (!variable.liveness.valid() || variable.liveness.index() >= classes.size())
            continue;
        for (const StepInterval& interval : classes[variable.liveness].intervals)
            if (interval.first < end)
                spans.push_back({i, {interval.first, std::min(interval.end, end)}});
    }
    return spans;
}

} // namespace tilescope
