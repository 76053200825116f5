// Cycles and bytes of single steps, wherever they are in the program. Internal to the timing.
#pragma once

#include <map>
#include <vector>

#include "simulator/engine/timing.h"

namespace tilescope::sim {

/// Which of an IPU's tiles a step runs on, where I/O tiles have a clock of their own.
enum class TileSet {
    Others, ///< all steps of programs without such tiles
    Io,
    Both, ///< an exchange between them, or with other IPUs
};

/// Cycles and bytes of the leaves of a program. Looked up once for each.
class StepWork {
public:
    StepWork(const Profile& profile, const Target& target, const Feeding& feeding)
        : profile_(profile)
        , target_(target)
        , feeding_(feeding) {}

    /// A leaf's work on each IPU, as if it started at cycle 0; IPUs that take no part have no
    /// cycles. The Begin of a stream copy has its sync only where the wait depends on what was
    /// before.
    const std::vector<StepOnIpu>& of(ProgramId leaf);
    [[nodiscard]] TileSet tileSet(const Program& leaf) const;
    /// Whether a leaf's wait depends on what the host did before.
    [[nodiscard]] bool waitsForInput(const Program& leaf) const;
    /// Whether it moves such an input.
    [[nodiscard]] bool movesInput(const Program& leaf) const;

private:
    [[nodiscard]] std::vector<StepOnIpu> workOf(const Program& leaf) const;
    [[nodiscard]] StepOnIpu onIpu(std::size_t ipu, const TileSeries& cycles) const;
    [[nodiscard]] std::int64_t bytesOn(std::size_t ipu, const TileSeries& bytes) const;
    void stream(StepOnIpu& on, const Program& leaf, std::size_t ipu) const;
    [[nodiscard]] bool isVaryingInput(const Program& leaf) const;
    /// Whether a series has something on I/O tiles, or on others.
    [[nodiscard]] bool touches(const TileSeries& series, bool ioTiles) const;

    const Profile& profile_;
    const Target& target_;
    const Feeding& feeding_;
    std::map<ProgramId, std::vector<StepOnIpu>> known_;
};

} // namespace tilescope::sim
