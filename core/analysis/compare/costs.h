// What each operation of one profile costs in bytes and cycles, split so that the pieces add up.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/view/profile_view.h"

namespace tilescope {

/// What cycles are spent on.
enum class CycleUse { Compute, StridedCopy, Exchange, BetweenIpus, Host, Sync, Waiting, Overlap };
template <>
inline constexpr auto
    enumTitles<CycleUse> = std::to_array<std::string_view>({"Compute", "Strided copies", "Exchange",
                                                            "Exchange between IPUs", "Host", "Sync",
                                                            "Waiting", "Less overlaps"});

/// Where cycle figures come from: a recorded execution, or the estimates of vertices and exchanges,
/// which also exist for profiles never executed (they do not cover host and syncs).
enum class CycleBasis { Executed, Estimated };

/// Executions of each program in all control programs, through repeats and calls; saturates.
/// Throws UserError if the tree of a damaged profile goes in circles.
std::vector<std::int64_t> executionCounts(const IdVector<ProgramId, Program>& programs,
                                          const std::vector<ProgramId>& controlPrograms);

/// Cycles by program, of all executions, on the IPU that takes longest: of the last run, or as
/// estimated for the main program (the last control program). Throws UserError for a damaged tree,
/// and for CycleBasis::Executed if there is no run.
std::vector<std::int64_t> programCyclesOf(const ProfileView& profile, CycleBasis basis,
                                          Stop stop = {});

/// Cycles by operation (none: syncs, and steps without an operation) and use, on an average IPU.
/// Executed cycles add up to the run's: waits are pieces of their own, and overlaps are subtracted.
using CyclePieces = std::map<std::pair<OperationId, CycleUse>, std::int64_t>;
CyclePieces cyclePieces(const ProfileView& profile, CycleBasis basis, Stop stop = {});

/// One of the kinds of bytes that an operation may cause.
struct MemoryUse {
    MemoryCategory category = MemoryCategory::Variable;
    bool alwaysLive = false; ///< else live at the peak
    friend auto operator<=>(const MemoryUse&, const MemoryUse&) = default;
};
/// Bytes over all tiles by operation (none: the whole program) and use: always-live bytes, and
/// those that are live at the step with the most. They add up to always live plus peak not always
/// live. Exchange code, control code and vertex state belong to the operations that need them.
using MemoryPieces = std::map<std::pair<OperationId, MemoryUse>, std::int64_t>;
MemoryPieces memoryPieces(const ProfileView& profile, Stop stop = {});

} // namespace tilescope
