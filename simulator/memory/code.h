// Code and bookkeeping as always-live variables, one a category.
#pragma once

#include "core/options/engine_options.h"
#include "core/options/machine_options.h"
#include "simulator/lowering/program/builder.h"

namespace tilescope::sim {

/// Where the cycles of compute sets are counted; a word for each count.
enum class ComputeCounters {
    Vertex, ///< of each vertex
    Tile,   ///< of each compute set on each of its tiles
    Ipu,    ///< of each compute set on the first tile of its IPUs
    Device, ///< of each compute set on tile 0
    Off,
};
struct Instrumentation {
    ComputeCounters compute = ComputeCounters::Vertex;
    /// Of each exchange with the host or other IPUs, a word on each tile.
    bool externalExchange = false;
};
/// The instrumentation requested by debug.instrument and related options. Vertex and no exchanges
/// are the default, as in a published profile; the number of words of other counters is *assumed*.
Instrumentation instrumentationOf(const EngineOptions& options);

/// Adds vertexCode, vertexInstanceState, vertexFieldData, controlCode, internalExchangeCode,
/// hostExchangeCode, hostExchangePacketHeader, copyDescriptor, stack, controlId and
/// instrumentationResults, each with its bytes by tile. The IPU Model has no code and no
/// stacks, unless it compiles for the IPU.
void addCodeVariables(ProgramBuilder& builder, const MachineOptions& machine,
                      const EngineOptions& options);

} // namespace tilescope::sim
