// What one execution of a leaf of the program tree costs on each IPU, by the profile's own figures.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// What an IPU spends cycles on.
enum class CostKind : std::uint8_t {
    Compute,
    Exchange,       ///< between tiles of the IPU
    GlobalExchange, ///< between IPUs
    Host,           ///< stream copies: waiting, transfer and end, also with streaming memory
    Sync,
    Idle,  ///< nothing runs
    Other, ///< steps that take no cycles
};
inline constexpr auto costKinds = valuesUpTo<CostKind::Other>;
template <>
inline constexpr auto enumNames<CostKind> = std::to_array<std::string_view>(
    {"compute", "exchange", "globalExchange", "host", "sync", "idle", "other"});
template <>
inline constexpr auto enumTitles<CostKind> = std::to_array<std::string_view>(
    {"compute", "exchange", "exchange between IPUs", "host", "sync", "idle", "other"});
CostKind costKindOf(ProgramKind kind);

/// One execution on one IPU.
struct StepEstimate {
    IpuId ipu;
    std::int64_t cycles = 0;     ///< slowest tile; 0 for stream copies, whose time is in the trace
    std::int64_t tileCycles = 0; ///< of compute sets, summed over tiles
    std::int64_t bytes = 0;      ///< received by tiles of the IPU
};

/// For each IPU that has tiles of the program; a program without tiles is on IPU 0.
std::vector<StepEstimate> estimatedStep(const Program& program,
                                        const IdVector<ComputeSetId, ComputeSet>& computeSets,
                                        const IdVector<ExchangeId, Exchange>& exchanges,
                                        const IdVector<StreamId, Stream>& streams,
                                        std::int32_t tilesPerIpu);

/// Times that a program runs in one execution of its operation: the product of the counts of
/// enclosing repeats that belong to the operation too, such as those of a convolution's serial
/// parts. 1 for a program without an operation; repeats of batches and calls of functions are not
/// part of an operation.
/// Saturates.
std::int64_t repeatsInOperation(const IdVector<ProgramId, Program>& programs, ProgramId program);

} // namespace tilescope
