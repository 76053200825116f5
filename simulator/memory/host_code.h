// Code and packet headers of copies with the host and with streaming memory.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "core/profile/profile.h"
#include "simulator/lowering/program/tile_sum.h"

namespace tilescope::sim {

/// Memory of a program's copies on each tile. Consecutive copies are one host phase, whose wrapper
/// every tile of the IPUs in it has; equal phases, and equal copies in different phases, are stored
/// once. Each variable of a copy has addresses and packets of its own; rows of streaming memory
/// that are laid out alike share a stream, and with it these.
class HostCode {
public:
    HostCode(const Profile& profile, const Target& target);
    /// Adds all steps of the profile's programs, and the engine's own exchanges.
    void addPrograms();
    /// Adds words that the host reads after a run, by tile.
    void addResults(const TileSeries& bytes);

    [[nodiscard]] TileSeries code() const { return code_.series(); }
    [[nodiscard]] TileSeries headers() const { return headers_.series(); }

private:
    using Copy = std::pair<StreamId, std::vector<VariableId>>;
    using Phase = std::vector<Copy>;

    void addSequence(const Program& parent);
    void addPhase(const Phase& phase);
    void addCopy(const Copy& copy);
    void addBytes(bool toDevice, const TileSeries& bytes);
    /// The wrapper of a phase: `taking` are the tiles that have a part in it.
    void addWrapper(const TileSeries& taking);

    const Profile& profile_;
    const Target& target_;
    TileSum code_, headers_;
    std::set<Phase> phases_;
    std::set<Copy> copies_;
};

} // namespace tilescope::sim
