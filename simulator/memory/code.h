// Code and bookkeeping as always-live variables, one a category.
#pragma once

#include "simulator/lowering/program/builder.h"

namespace tilescope::sim {

/// Adds vertexCode, vertexInstanceState, vertexFieldData, controlCode, internalExchangeCode,
/// hostExchangeCode, hostExchangePacketHeader, copyDescriptor, stack, controlId and
/// instrumentationResults, each with its bytes by tile. The IPU Model has no code and no
/// stacks.
void addCodeVariables(ProgramBuilder& builder, bool instrumented, bool ipuModel = false);

} // namespace tilescope::sim
