// What each operation of the model costs: code, state, variables, cycles, floating-point work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// One operation. Bytes are over all tiles. Cycles are those of one execution of it,
/// slowest tile, with its serial parts (see repeatsInOperation()); a function's programs count once
/// however often it is called.
struct OperationRow {
    OperationId operation;
    std::string name;
    std::string type;
    std::string outputShape;
    double flops = 0;
    std::int64_t exchangeCodeBytes = 0;
    std::int64_t controlCodeBytes = 0;
    std::int64_t vertexCodeBytes =
        0; ///< each codelet once on each tile where the operation uses it
    std::int64_t vertexStateBytes = 0;
    std::int64_t variableBytes = 0; ///< variables and constants, not code and state
    std::int64_t computeCycles = 0;
    std::int64_t exchangeCycles = 0;
    std::int64_t copyCycles = 0; ///< strided copies; part of the compute cycles
    std::int32_t steps = 0;      ///< leaves of the program tree
    /// Calls in the program of the function that its steps are in (the most, if in several); 1 for
    /// what is in no function.
    std::int32_t calls = 1;
    double flopsPerCycle = 0; ///< flops / (compute + exchange cycles)
    [[nodiscard]] std::int64_t cycles() const { return computeCycles + exchangeCycles; }
    [[nodiscard]] std::int64_t codeBytes() const { return exchangeCodeBytes + controlCodeBytes; }
};

/// What operationTable() reads; all references must outlive the call.
struct OperationSources {
    const IdVector<OperationId, Operation>& operations;
    const IdVector<VariableId, Variable>& variables;
    const IdVector<ComputeSetId, ComputeSet>& computeSets;
    const IdVector<ExchangeId, Exchange>& exchanges;
    const IdVector<ProgramId, Program>& programs;
    const IdVector<CopyId, Copy>& copies;
    /// Without them, vertex code is left out.
    const IdVector<VertexTypeId, VertexType>* vertexTypes = nullptr;
};

/// Operations in the order of the model. Operations share vertex code, so that its column adds up
/// to more than the program has.
std::vector<OperationRow> operationTable(const OperationSources& sources);

} // namespace tilescope
