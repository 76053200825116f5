// Names of programs as places in the flame of a trace. Internal to it.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// The place of a step in the flame: boxes that it shares with others, and its own.
struct FlamePath {
    std::vector<std::string_view> groups;
    std::string_view leaf;
};

/// The parts of a name between slashes; the last is the leaf.
FlamePath splitPath(std::string_view name);

/// An exchange is named after the compute set or the copy that needs it, with a number in front of
/// the path; without it the exchange is next to what it is for. Its own name is kept in full.
FlamePath pathOf(std::string_view name);

/// The paths of programs, parsed once each: a merged span has two of them, and a lane has a few
/// programs over and over.
class ProgramPaths {
public:
    explicit ProgramPaths(const IdVector<ProgramId, Program>& programs)
        : programs_(programs) {}
    /// The reference stays valid.
    const FlamePath& of(ProgramId program) {
        const auto [at, isNew] = known_.try_emplace(program);
        if (isNew)
            at->second = pathOf(programs_[program].name);
        return at->second;
    }

private:
    const IdVector<ProgramId, Program>& programs_;
    std::unordered_map<ProgramId, FlamePath> known_;
};

} // namespace tilescope
