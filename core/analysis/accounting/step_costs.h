// What one execution of a leaf of the program tree costs on each IPU, by the profile's own figures.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
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
inline constexpr std::array costKinds{
    CostKind::Compute, CostKind::Exchange, CostKind::GlobalExchange, CostKind::Host,
    CostKind::Sync,    CostKind::Idle,     CostKind::Other};
std::string_view toString(CostKind kind);    ///< "compute", "globalExchange", ...
std::string_view displayName(CostKind kind); ///< "compute", "exchange between IPUs", ...
CostKind costKindOf(ProgramKind kind);

/// One execution on one IPU.
struct StepEstimate {
    IpuId ipu;
    std::int64_t cycles = 0;     ///< slowest tile; 0 for stream copies, whose time the trace knows
    std::int64_t tileCycles = 0; ///< of compute sets, summed over tiles
    std::int64_t bytes = 0;      ///< received by tiles of the IPU
};

/// By IPU, those that a program's tiles are on; a program without tiles is on IPU 0.
std::vector<StepEstimate> estimatedStep(const Program& program,
                                        const IdVector<ComputeSetId, ComputeSet>& computeSets,
                                        const IdVector<ExchangeId, Exchange>& exchanges,
                                        const IdVector<StreamId, Stream>& streams,
                                        std::int32_t tilesPerIpu);

} // namespace tilescope
