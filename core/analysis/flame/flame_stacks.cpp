#include "core/analysis/flame/flame_stacks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tilescope {

std::int64_t flameWeightOf(const CostRow& row, FlameWeight weight, bool executed) {
    switch (weight) {
    case FlameWeight::Cycles:
        return executed ? row.measuredCycles : row.cyclesOnce();
    case FlameWeight::Flops:
        return std::llround(executed ? row.flops : row.flopsOnce);
    case FlameWeight::Code:
        return row.memory.code();
    case FlameWeight::AlwaysLive:
        break;
    }
    return row.memory.alwaysLive;
}

namespace {

std::vector<std::string> partsOf(const std::string& path) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        parts.push_back(path.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

std::vector<std::string> framesOf(const SourceNames& names, const CostRow& row) {
    if (!row.kind.empty())
        return {row.path};
    std::vector<std::string> frames;
    for (const SourceFrameId frame : names.stackOf(row.source))
        frames.push_back(fmt::format("{} ({})", names.code().frames[frame].function,
                                     names.name(frame, SourceGrain::Line)));
    if (frames.empty())
        frames = names.recorded() ? std::vector<std::string>{row.path} : partsOf(row.path);
    return frames;
}

/// Adds a stack for each pass of a row's measured cycles, or one for another weight.
void addStacks(std::vector<FlameStack>& stacks, const SourceNames& names, const CostRow& row,
               FlameWeight weight, bool executed) {
    const auto add = [&](std::vector<std::string> frames, std::int64_t own) {
        if (own > 0)
            stacks.push_back({row.ipu, std::move(frames), own});
    };
    std::vector<std::string> frames = framesOf(names, row);
    if (weight != FlameWeight::Cycles || !executed || !row.kind.empty())
        return add(std::move(frames), flameWeightOf(row, weight, executed));
    for (const ModelPhase pass : valuesUpTo<ModelPhase::Update>) {
        frames.emplace_back(toString(pass));
        add(frames, row.measured(pass));
        frames.pop_back();
    }
}

} // namespace

std::vector<FlameStack> flameStacks(const ProfileView& profile, FlameWeight weight,
                                    const std::stop_token& stop) {
    const SourceNames names(profile, SourceReach::Mine, stop);
    const auto accounting = accountingOf(profile, stop);
    const CostLayer layer = names.recorded() ? CostLayer::Stack : CostLayer::Place;
    std::vector<FlameStack> stacks;
    for (const CostRow& row : costRows(profile, *accounting, layer, 1, stop))
        addStacks(stacks, names, row, weight, accounting->totals().run >= 0);
    return stacks;
}

} // namespace tilescope
