#include "core/analysis/operations/operations.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/analysis/operations/operation_repeats.h"
#include "core/analysis/operations/strided_copies.h"
#include "core/analysis/programs/programs.h"
#include "core/base/saturating.h"

namespace tilescope {
namespace {

/// How many calls each function has.
class FunctionCalls {
public:
    explicit FunctionCalls(const IdVector<ProgramId, Program>& programs)
        : programs_(programs) {
        for (const Program& p : programs)
            if (p.kind == ProgramKind::Call)
                ++calls_[p.target];
    }

    /// Of the function that a program is in; 1 outside of functions.
    [[nodiscard]] std::int32_t of(const Program& program) const {
        ProgramId root = program.parent;
        // A damaged file may have parents in a circle.
        for (std::size_t i = 0; i < programs_.size(); ++i) {
            if (!root.valid() || root.index() >= programs_.size() ||
                !programs_[root].parent.valid())
                break;
            root = programs_[root].parent;
        }
        const auto found = calls_.find(root);
        return found == calls_.end() ? 1 : found->second;
    }

private:
    const IdVector<ProgramId, Program>& programs_;
    std::map<ProgramId, std::int32_t> calls_;
};

class OperationSums {
public:
    explicit OperationSums(const OperationSources& from) {
        for (std::size_t i = 0; i < from.operations.size(); ++i) {
            const Operation& op = from.operations[OperationId(i)];
            OperationRow row;
            row.operation = OperationId(i);
            row.name = op.name;
            row.type = op.type;
            row.outputShape = op.outputShape;
            row.flops = op.flops;
            rows_.push_back(std::move(row));
        }
    }

    void addVariables(const IdVector<VariableId, Variable>& variables) {
        for (const Variable& v : variables)
            if (v.category == MemoryCategory::Variable || v.category == MemoryCategory::Constant)
                if (OperationRow* row = find(v.operation))
                    row->variableBytes += v.bytes.sum();
    }

    void addCosts(const IdVector<ComputeSetId, ComputeSet>& computeSets,
                  const IdVector<ExchangeId, Exchange>& exchanges) {
        for (const ComputeSet& set : computeSets)
            if (OperationRow* row = find(set.operation))
                for (const VertexInstances& instances : set.vertices)
                    row->vertexStateBytes += instances.stateBytes.sum();
        for (const Exchange& e : exchanges)
            if (OperationRow* row = find(e.operation))
                row->exchangeCodeBytes += e.codeBytes.sum();
    }

    void addVertexCode(const IdVector<ComputeSetId, ComputeSet>& computeSets,
                       const IdVector<VertexTypeId, VertexType>& types) {
        std::map<std::pair<OperationId, VertexTypeId>, TileSeries> counts;
        for (const ComputeSet& set : computeSets)
            if (find(set.operation) != nullptr)
                for (const VertexInstances& instances : set.vertices)
                    counts[{set.operation, instances.type}] += instances.count;
        for (const auto& [use, count] : counts) {
            // A damaged file may name a type that it does not have.
            if (!use.second.valid() || use.second.index() >= types.size())
                continue;
            find(use.first)->vertexCodeBytes +=
                TileSeries::zip(count, types[use.second].codeBytes,
                                [](std::int64_t n, std::int64_t code) { return n > 0 ? code : 0; })
                    .sum();
        }
    }

    void addPrograms(const OperationSources& from) {
        const FunctionCalls calls(from.programs);
        for (std::size_t i = 0; i < from.programs.size(); ++i) {
            const Program& p = from.programs[ProgramId(i)];
            OperationRow* row = find(p.operation);
            if (row == nullptr)
                continue;
            row->controlCodeBytes += p.controlCode.sum();
            if (isControl(p.kind))
                continue;
            ++row->steps;
            row->calls = std::max(row->calls, calls.of(p));
            const std::int64_t cycles =
                saturatingProduct(repeatsInOperation(from.programs, ProgramId(i)),
                                  programCycles(p, from.computeSets, from.exchanges));
            std::int64_t& sum = p.computeSet.valid() ? row->computeCycles : row->exchangeCycles;
            sum = saturatingSum(sum, cycles);
        }
    }

    void addCopies(const OperationSources& from) {
        for (const StridedOperation& found :
             stridedOperations(from.copies, from.computeSets, from.exchanges))
            if (OperationRow* row = find(found.operation))
                row->copyCycles = found.copyCycles;
    }

    std::vector<OperationRow> finish() {
        for (OperationRow& row : rows_)
            if (row.cycles() > 0)
                row.flopsPerCycle = row.flops / static_cast<double>(row.cycles());
        return std::move(rows_);
    }

private:
    OperationRow* find(OperationId id) {
        return id.valid() && id.index() < rows_.size() ? &rows_[id.index()] : nullptr;
    }
    std::vector<OperationRow> rows_;
};

} // namespace

std::vector<OperationRow> operationTable(const OperationSources& sources) {
    OperationSums sums(sources);
    sums.addVariables(sources.variables);
    sums.addCosts(sources.computeSets, sources.exchanges);
    if (sources.vertexTypes != nullptr)
        sums.addVertexCode(sources.computeSets, *sources.vertexTypes);
    sums.addPrograms(sources);
    sums.addCopies(sources);
    return sums.finish();
}

} // namespace tilescope
