#include "simulator/planner/plan_table.h"

#include <algorithm>
#include <cmath>
#include <tbb/parallel_for.h>

#include "simulator/planner/planner.h"

namespace tilescope::sim {
namespace {

DataType partialTypeFor(DataType in, const RunOptions& options) {
    // Partials are never narrower than the operands.
    if (in == DataType::Half && options.partialsType == Precision::Half)
        return DataType::Half;
    return DataType::Float;
}

void flattenField(ConvMapping& mapping, std::vector<FieldDim> dims, std::int64_t batch) {
    std::int64_t flat = 1;
    for (std::size_t d = 0; d < dims.size(); ++d) {
        const FieldDim& dim = dims[d];
        const bool trivial = dim.kernel == 1 && dim.stride == 1 && dim.in == dim.out;
        if (trivial) {
            mapping.flattenedDims.push_back(static_cast<int>(d));
            flat *= dim.out;
        } else {
            mapping.ownFieldDims.push_back(static_cast<int>(d));
            mapping.problem.field.push_back(dim);
        }
    }
    mapping.batchFlattened = !mapping.flattenedDims.empty() || dims.empty();
    if (mapping.batchFlattened) {
        FieldDim last;
        last.in = last.out = flat * batch;
        mapping.problem.field.push_back(last);
    } else {
        mapping.problem.batch = batch;
    }
}

ConvMapping mapConv(const Graph& graph, const Op& op, const ConvAttributes& conv) {
    const Shape& in = graph.tensors[op.inputs[0]].shape;
    const Shape& out = graph.tensors[op.outputs[0]].shape;
    ConvMapping mapping;
    mapping.problem.groups = conv.groups;
    mapping.problem.inChans = in[1] / conv.groups;
    mapping.problem.outChans = out[1] / conv.groups;
    std::vector<FieldDim> dims;
    for (std::size_t d = 0; d < conv.kernel.size(); ++d)
        dims.push_back({in[d + 2], out[d + 2], conv.kernel[d], conv.strides[d], conv.dilations[d],
                        conv.padsBegin[d]});
    flattenField(mapping, std::move(dims), in[0]);
    return mapping;
}

ConvMapping mapMatMul(const Graph& graph, const Op& op, const MatMulAttributes& attributes) {
    Shape a = graph.tensors[op.inputs[0]].shape;
    Shape b = graph.tensors[op.inputs[1]].shape;
    if (attributes.transposeA)
        std::swap(a[a.size() - 1], a[a.size() - 2]);
    if (attributes.transposeB)
        std::swap(b[b.size() - 1], b[b.size() - 2]);
    const Shape& out = graph.tensors[op.outputs[0]].shape;
    ConvMapping mapping;
    mapping.problem.matMul = true;
    mapping.problem.inChans = a.back();
    mapping.problem.outChans = b.back();
    const bool plainRight =
        std::all_of(b.begin(), b.end() - 2, [](std::int64_t size) { return size == 1; });
    std::int64_t batch = 1;
    for (std::size_t i = 0; i + 2 < out.size(); ++i)
        batch *= out[i];
    FieldDim field;
    field.in = field.out = a[a.size() - 2] * (plainRight ? batch : 1);
    mapping.problem.field = {field};
    mapping.problem.groups = plainRight ? 1 : batch;
    mapping.batchFlattened = plainRight;
    return mapping;
}

struct Request {
    ConvProblem problem;
    double proportion = 0.6;
    friend bool operator==(const Request&, const Request&) = default;
};

} // namespace

ConvMapping mapToProblem(const Graph& graph, const Op& op, const RunOptions& options) {
    const auto* conv = std::get_if<ConvAttributes>(&op.attributes);
    ConvMapping mapping = conv ? mapConv(graph, op, *conv)
                               : mapMatMul(graph, op, std::get<MatMulAttributes>(op.attributes));
    const DataType in = graph.tensors[op.inputs[0]].type;
    mapping.problem.inType = in == DataType::Half ? DataType::Half : DataType::Float;
    mapping.problem.outType =
        graph.tensors[op.outputs[0]].type == DataType::Half ? DataType::Half : DataType::Float;
    mapping.problem.partialType = partialTypeFor(mapping.problem.inType, options);
    return mapping;
}

PlanTable::PlanTable(const Graph& graph, const RunOptions& options) {
    std::vector<Request> requests;
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        const Op& op = graph.ops[OpId(i)];
        if (!std::holds_alternative<ConvAttributes>(op.attributes) &&
            !std::holds_alternative<MatMulAttributes>(op.attributes))
            continue;
        ConvMapping mapping = mapToProblem(graph, op, options);
        const Request request{mapping.problem, options.memoryProportion(IpuId(0))};
        const auto known = std::find(requests.begin(), requests.end(), request);
        planOfOp_[static_cast<std::int32_t>(i)] =
            static_cast<std::size_t>(known - requests.begin());
        if (known == requests.end())
            requests.push_back(request);
        mappingOfOp_[static_cast<std::int32_t>(i)] = std::move(mapping);
    }
    plans_.resize(requests.size());
    tbb::parallel_for(std::size_t{0}, requests.size(), [&](std::size_t i) {
        plans_[i] = planConv(options.target, requests[i].problem, requests[i].proportion);
    });
}

const ConvPlan& PlanTable::planOf(OpId op) const {
    return plans_.at(planOfOp_.at(op.value()));
}

const ConvMapping& PlanTable::mappingOf(OpId op) const {
    return mappingOfOp_.at(op.value());
}

} // namespace tilescope::sim
