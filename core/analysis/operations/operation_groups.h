// What the parts of a model cost, at the level of detail one asks for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/operations/operations.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// What program steps are gathered by.
enum class OperationLayer {
    Operation, ///< of the model
    Scope,     ///< the first parts of the operation's debug path
    Type,      ///< operator of the model
    Library,   ///< the PopLibs call: debug path of the step without its last part
    Step,      ///< each program step
};

/// Costs of a group. Cycles are the slowest tile's. The estimate is of one execution of each
/// operation, with its serial parts (see repeatsInOperation()); measured cycles are those of the
/// trace, every execution in all runs.
struct OperationGroup {
    std::string name;
    OperationId operation; ///< if all steps belong to one, and that to no other group
    std::string type;      ///< operator, if all operations have the same
    std::int32_t operations = 0;
    std::vector<ProgramId> steps; ///< leaves of the program tree, in their order
    std::int64_t executions = 0;  ///< of all steps together
    std::int64_t computeCycles = 0;
    std::int64_t exchangeCycles = 0;
    std::int64_t measuredCycles = 0;
    double flops = 0; ///< one execution of each operation; 0 where steps share an operation
    /// What the IPUs that work on it could have done in its compute and exchange cycles.
    double peakFlops = 0;
    /// flops / peakFlops, 0 to 1.
    double utilisation = 0;
    double balance = 0; ///< tile cycles / (compute cycles x tiles of these IPUs), 0 to 1
    std::int64_t vertexCode = 0;
    std::int64_t vertexState = 0;
    std::int64_t exchangeCode = 0;
    std::int64_t controlCode = 0;
    std::int64_t variableBytes = 0; ///< variables and constants of the operations
    [[nodiscard]] std::int64_t cycles() const { return computeCycles + exchangeCycles; }
    [[nodiscard]] std::int64_t code() const { return vertexCode + exchangeCode + controlCode; }
};

/// What to gather from; all references must outlive the call.
struct GroupSources {
    const OperationSources& profile; ///< with its vertex types
    const Target& target;
    std::span<const ProgramExecutions> executions; ///< by program; empty without a trace
};

/// Groups in the order of the model. Steps without an operation are in a group "(no operation)".
/// `depth`: parts of the path that make a scope. Vertex code that groups share counts in each.
std::vector<OperationGroup> operationGroups(const GroupSources& sources, OperationLayer layer,
                                            int depth = 1);

/// The most parts that an operation's path has.
int scopeDepth(const IdVector<OperationId, Operation>& operations);

/// Floating point operations in a cycle that the matrix units of one tile can do: twice the
/// multiply-accumulates, with half or single precision operands.
double peakFlopsPerCycle(const Target& target, bool half);

} // namespace tilescope
