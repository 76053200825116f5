#include "simulator/operations/operations.h"

#include <optional>

#include "simulator/cost/footprint.h"
#include "simulator/engine/timing.h"
#include "simulator/operations/conv_passes.h"
#include "simulator/operations/operation_graph.h"
#include "simulator/planner/plan_table.h"
#include "simulator/planner/planner.h"
#include "simulator/simulate.h"
#include "simulator/transforms/decompose.h"

namespace tilescope::sim {

Graph graphOf(const GeneralMatrixMultiply& multiply, DataType type) {
    OperationGraph g("general_matrix_multiply", type);
    const auto shaped = [&](std::int64_t rows, std::int64_t columns, bool transposed = false) {
        if (transposed)
            std::swap(rows, columns);
        return multiply.groups == 1 ? Shape{rows, columns} : Shape{multiply.groups, rows, columns};
    };
    const Shape result = shaped(multiply.m, multiply.n);
    const TensorId a = g.held("matA", shaped(multiply.m, multiply.k, multiply.transposeA));
    const TensorId b = g.held("matB", shaped(multiply.k, multiply.n, multiply.transposeB));
    const TensorId c = g.held("matC", result);
    MatMulAttributes attributes;
    attributes.transposeA = multiply.transposeA;
    attributes.transposeB = multiply.transposeB;
    // As the tool has it: a transposed operand is that of the passes of a dense layer.
    if (multiply.transposeB)
        attributes.pass = TrainingPass::TrainingBackward;
    else if (multiply.transposeA)
        attributes.pass = TrainingPass::TrainingUpdate;
    const TensorId product = g.op("matMul", "MatMul", attributes, {a, b}, result);
    g.scaledAdd("AddTo", c, product);
    return g.take();
}

namespace {

/// A bias that a layer adds to its result (popops::addInPlace, poplin::addBias), and its update by
/// the sum of the gradients over the result's other dimensions (poplin::convolutionBiasUpdate).
class Bias {
public:
    /// `channels`: dimensions of the result that the bias has.
    Bias(OperationGraph& g, Shape result, const std::vector<std::size_t>& channels)
        : g_(g)
        , result_(std::move(result))
        , shape_(result_.size(), 1) {
        for (const std::size_t dim : channels)
            shape_[dim] = result_[dim];
        biases_ = g_.held("biases", shape_);
    }

    TensorId addTo(TensorId product, const std::string& name) {
        return g_.op(name, "Add", ElementwiseAttributes{ElementwiseFunction::Add},
                     {product, biases_}, result_);
    }

    void update(TensorId gradient, const std::string& name) {
        ReduceAttributes sum;
        sum.function = ReduceFunction::Add;
        sum.keepDims = true;
        for (std::size_t dim = 0; dim < shape_.size(); ++dim)
            if (shape_[dim] != result_[dim])
                sum.axes.push_back(static_cast<std::int64_t>(dim));
        TensorId change = gradient;
        if (!sum.axes.empty())
            change = g_.op(name + "/BiasUpdate", "Reduce", sum, {gradient}, shape_);
        g_.scaledAdd(name + "/UpdateBias/AddTo", biases_, change);
    }

private:
    OperationGraph& g_;
    Shape result_, shape_;
    TensorId biases_;
};

} // namespace

Graph graphOf(const FullyConnectedLayer& layer, DataType type) {
    OperationGraph g("fully_connected_layer", type);
    const auto shaped = [&](std::int64_t rows, std::int64_t columns) {
        return layer.groups == 1 ? Shape{rows, columns} : Shape{layer.groups, rows, columns};
    };
    const TensorId in = g.held("prevAct", shaped(layer.batchSize, layer.inputSize));
    const TensorId weights = g.held("weights", shaped(layer.inputSize, layer.outputSize));
    MatMulAttributes forward;
    forward.pass =
        layer.inferenceOnly ? TrainingPass::InferenceForward : TrainingPass::TrainingForward;
    const Shape result = shaped(layer.batchSize, layer.outputSize);
    const Passes& passes = layer.passes;
    TensorId next;
    if (passes.forward)
        next = g.op("Fwd", "MatMul", forward, {in, weights}, result);
    std::optional<Bias> bias;
    if (layer.bias)
        bias.emplace(g, result,
                     layer.groups == 1 ? std::vector<std::size_t>{1}
                                       : std::vector<std::size_t>{0, 2});
    if (passes.forward)
        g.download(bias ? bias->addTo(next, "Fwd/AddBias") : next);
    if (layer.inferenceOnly)
        return g.take();
    const TensorId delta = g.held("zDeltas", shaped(layer.batchSize, layer.outputSize));
    if (passes.backward) {
        MatMulAttributes backward;
        backward.pass = TrainingPass::TrainingBackward;
        backward.transposeB = true;
        g.download(g.op("Bwd", "MatMul", backward, {delta, weights},
                        shaped(layer.batchSize, layer.inputSize)));
        g.startProgram();
    }
    if (!passes.update)
        return g.take();
    MatMulAttributes update;
    update.pass = TrainingPass::TrainingUpdate;
    update.transposeA = true;
    const TensorId change =
        g.op("Wu", "MatMul", update, {in, delta}, shaped(layer.inputSize, layer.outputSize));
    g.scaledAdd("Wu/UpdateWeights/AddTo", weights, change);
    if (bias)
        bias->update(delta, "Wu");
    return g.take();
}

Graph graphOf(const SingleConvLayer& layer, DataType type) {
    OperationGraph g("single_conv_layer", type);
    const ConvShapes shapes = shapesOf(layer);
    const auto add = [&](const char* name, ConvPass pass, const Shape& shape) {
        return g.op(name, pass.type, std::move(pass.attributes), std::move(pass.operands), shape);
    };
    const TensorId in = g.held("prevAct", shapes.in);
    const TensorId weights = g.held("weights", shapes.weights);
    const Passes& passes = layer.passes;
    TensorId next;
    if (passes.forward) {
        next = add("fwd", forwardPass(layer, in, weights), shapes.out);
        g.wrapLast();
    }
    std::optional<Bias> bias;
    if (layer.bias)
        bias.emplace(g, shapes.out, std::vector<std::size_t>{1});
    if (passes.forward)
        g.download(bias ? bias->addTo(next, "fwd/addBias") : next);
    if (layer.inferenceOnly)
        return g.take();
    const TensorId delta = g.held("zDeltas", shapes.out);
    if (passes.backward) {
        g.download(add("bwd", backwardPass(layer, delta, weights), shapes.in));
        g.startProgram();
    }
    if (!passes.update)
        return g.take();
    const TensorId change = add("wu", updatePass(layer, in, delta), shapes.weights);
    g.scaledAdd("wu/AddTo", weights, change);
    if (bias)
        bias->update(delta, "wu");
    return g.take();
}

Graph graphOf(const ReduceOp& reduce, DataType type) {
    OperationGraph g("reduce_op", type);
    const bool shuffled = !reduce.shuffle.empty();
    TensorId in = g.held("input", shuffled ? reduce.initialShape : reduce.shape);
    if (shuffled)
        in = g.op("shuffle", "Transpose", TransposeAttributes{reduce.shuffle}, {in}, reduce.shape);
    ReduceAttributes attributes;
    attributes.function = reduce.function;
    attributes.axes = reduce.dims;
    attributes.keepDims = true;
    attributes.scale = reduce.scale;
    Shape out = reduce.shape;
    for (const std::int64_t dim : reduce.dims)
        out[static_cast<std::size_t>(dim)] = 1;
    const TensorId result = g.op("reduce", "Reduce", attributes, {in}, out);
    if (reduce.update)
        g.scaledAdd("update", g.held("output", out), result);
    return g.take();
}

namespace {

/// A tensor [N, C, field...] that lies as [C / group][N][field...][group].
TensorId heldInGroups(OperationGraph& g, const std::string& name, const Shape& shape,
                      std::int64_t group) {
    Shape grouped{shape[1] / group, shape[0]};
    grouped.insert(grouped.end(), shape.begin() + 2, shape.end());
    grouped.push_back(group);
    Shape apart{shape[0], shape[1] / group, group};
    apart.insert(apart.end(), shape.begin() + 2, shape.end());
    const auto last = static_cast<std::int64_t>(shape.size());
    TransposeAttributes order{{1, 0, last}};
    for (std::int64_t d = 2; d < last; ++d)
        order.permutation.push_back(d);
    const TensorId held = g.held(name, grouped);
    const TensorId turned = g.op(name + "/channels", "Transpose", order, {held}, apart);
    return g.op(name + "/view", "Reshape", ReshapeAttributes{}, {turned}, shape);
}

} // namespace

Graph graphOf(const PoolingLayer& pool, DataType type) {
    OperationGraph g("pooling_layer", type);
    PoolAttributes attributes;
    attributes.kind = pool.kind;
    attributes.kernel = pool.kernel;
    attributes.strides = pool.stride;
    attributes.dilations.assign(pool.kernel.size(), 1);
    attributes.padsBegin = pool.paddingLower;
    attributes.padsEnd = pool.paddingUpper;
    Shape in{pool.batchSize, pool.channels};
    Shape out = in;
    for (std::size_t d = 0; d < pool.field.size(); ++d) {
        in.push_back(pool.field[d]);
        out.push_back(
            (pool.field[d] + pool.paddingLower[d] + pool.paddingUpper[d] - pool.kernel[d]) /
                pool.stride[d] +
            1);
    }
    const TensorId acts = heldInGroups(g, "prevAct", in, pool.forwardGroup);
    const TensorId pooled = g.op("fwd", "Pool", attributes, {acts}, out);
    g.download(pooled);
    if (pool.inferenceOnly)
        return g.take();
    std::vector<TensorId> operands{heldInGroups(g, "zDeltas", out, pool.backwardGroup)};
    if (pool.kind == PoolKind::Max)
        operands.insert(operands.end(), {acts, pooled});
    g.download(g.op("bwd", "PoolGrad", PoolGradAttributes{attributes}, operands, in));
    g.startProgram();
    return g.take();
}

Graph graphOf(const EmbeddingLayer& embedding, DataType type) {
    OperationGraph g("embedding_layer", type);
    const TensorId table = g.held("embeddingMatrix", {embedding.rows, embedding.width});
    const bool one = embedding.indices.size() == 1;
    const auto named = [&](const char* name, std::size_t i) {
        return one ? std::string(name) : name + std::to_string(i);
    };
    std::vector<TensorId> offsets;
    for (std::size_t i = 0; i < embedding.indices.size(); ++i)
        offsets.push_back(g.held(named("offsets", i), {embedding.indices[i]}, DataType::UInt32));
    for (std::size_t i = 0; i < offsets.size() && embedding.passes.forward; ++i)
        g.op(named("multiSlice", i), "Gather", GatherAttributes{0}, {table, offsets[i]},
             {embedding.indices[i], embedding.width});
    for (std::size_t i = 0; i < offsets.size() && embedding.passes.update; ++i) {
        const TensorId deltas = g.held(named("deltas", i), {embedding.indices[i], embedding.width});
        g.op(named("multiUpdateAdd", i), "MultiUpdateAdd", MultiUpdateAttributes{},
             {table, offsets[i], deltas}, {embedding.rows, embedding.width});
    }
    return g.take();
}

OperationResult runOperation(const Graph& graph, const OperationOptions& options,
                             Profile* profile) {
    RunOptions run;
    run.machine.target = options.target;
    run.planning = options.planning;
    run.host.ignoreData = true;
    run.machine.ipuModel = true;
    run.machine.ipuModelCompilesCode = options.compilesCode;
    run.engine.given.emplace("target.workerStackSizeInBytes",
                             std::to_string(compiledWorkerStackBytes));
    Profile simulated = simulate(graph, run);
    OperationResult result;
    // The tools' cycles are those of the IPU Model, which runs whether or not memory suffices.
    result.cycles = timeProgram(simulated, run.machine.target).runs.back().cycles;
    for (const TileMemory& tile : simulated.tileMemory) {
        result.totalMemory += tile.alwaysLive + tile.maxNotAlwaysLive;
        result.maxTileMemory = std::max(result.maxTileMemory, tile.includingGaps);
        result.maxTileMemoryExcludingGaps =
            std::max(result.maxTileMemoryExcludingGaps, tile.excludingGaps);
    }
    for (const Operation& operation : simulated.operations)
        if (!operation.plan.empty())
            result.plans.push_back(operation.plan);
    if (profile)
        *profile = std::move(simulated);
    return result;
}

namespace {

bool samePlan(const ConvPlan& a, const ConvPlan& b) {
    return a.method == b.method && a.convUnits == b.convUnits && a.grains == b.grains &&
           a.splits == b.splits && a.transform == b.transform && a.problem == b.problem;
}

} // namespace

std::vector<ExplainedOperation> explainOperations(const Graph& graph, const Target& target,
                                                  const PlanningOptions& options,
                                                  std::size_t most) {
    const Graph simple = decomposed(graph);
    const PlanTable table(simple, MachineOptions{target}, options);
    std::vector<ExplainedOperation> explained;
    const auto explain = [&](const Graph& part, OpId id, FunctionIndex function) {
        const Op& op = part.ops[id];
        if (!isPlanned(op.attributes))
            return;
        ExplainedOperation& one = explained.emplace_back();
        one.name = op.name;
        one.availableMemoryProportion = proportionOf(part, op, options);
        const ConvPlan& chosen = table.planOf(id, function);
        // The plan of a whole layer need not be among the best of its pass alone, nor that of one
        // of several convolutions on its own tiles among the best on all.
        const bool shared = chosen.joint || chosen.parallel;
        if (shared)
            one.plans.push_back({chosen, true});
        for (ConvPlan& plan : bestPlansByMethod(target, problemOf(part, op, options),
                                                one.availableMemoryProportion, most)) {
            const bool same = !shared && samePlan(plan, chosen);
            one.plans.push_back({std::move(plan), same});
        }
    };
    for (std::size_t f = 0; f < simple.functions.size(); ++f)
        for (std::size_t i = 0; i < simple.functions[f].ops.size(); ++i)
            explain(simple.functions[f], OpId(i), FunctionIndex(f));
    for (std::size_t i = 0; i < simple.ops.size(); ++i)
        explain(simple, OpId(i), FunctionIndex());
    return explained;
}

} // namespace tilescope::sim
