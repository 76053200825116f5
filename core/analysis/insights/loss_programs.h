// Which steps of a program a loss counts.
#pragma once

#include <array>
#include <stop_token>

#include "core/analysis/insights/losses.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// What findLosses() reads the cycles of a loss from. Utilisation, imbalance of tiles and the
/// matrix units' own cycles are parts of the same steps: all that compute except copies.
struct LossPrograms {
    ProgramSet programs; ///< by id
    /// The steps without a program: syncs, in which IPUs wait for a stage or another IPU too.
    bool syncs = false;
    /// Kinds of steps, all of whose programs are counted: a merged step need not be looked into.
    std::array<bool, programKinds.size()> wholly{};
    /// Those some of whose programs are counted, and others not.
    std::array<bool, programKinds.size()> partly{};

    [[nodiscard]] bool counts(ProgramId program) const {
        return program.valid() ? program.index() < programs.size() && programs[program.index()]
                               : syncs;
    }
};

/// Throws UserError for a damaged profile, Cancelled after a stop.
LossPrograms programsOf(LossKind kind, const ProfileView& profile,
                        const std::stop_token& stop = {});

} // namespace tilescope
