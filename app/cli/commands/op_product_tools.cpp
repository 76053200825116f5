// Products of matrices, reductions and tables of rows.
#include <algorithm>
#include <fmt/format.h>

#include "app/cli/commands/op_tools.h"
#include "core/base/error.h"

namespace tilescope::cli {
namespace {

sim::ReduceFunction reduceFunction(const std::string& name) {
    using F = sim::ReduceFunction;
    // As the tool does.
    if (name == "LOGICAL_AND" || name == "LOGICAL_OR")
        return F::Add;
    for (const F f : {F::Add, F::Max, F::Min, F::Multiply, F::SquareAdd, F::LogAdd})
        if (sim::toString(f) == name)
            return f;
    throw UserError(fmt::format(
        "--operation: '{}' is not one of ADD, MAX, MIN, MUL, SQUARE_ADD, LOG_ADD", name));
}

/// Whether the shape is that of the initial one with its dimensions in another order.
bool isShuffle(const sim::ReduceOp& reduce) {
    Numbers order = reduce.shuffle;
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i)
        if (order[i] != static_cast<std::int64_t>(i))
            return false;
    if (order.size() != reduce.initialShape.size() || order.size() != reduce.shape.size())
        return false;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (reduce.initialShape[static_cast<std::size_t>(reduce.shuffle[i])] != reduce.shape[i])
            return false;
    return true;
}

const std::map<std::string, std::string> memoryKeys{
    {"availableMemoryProportion", "available-memory-proportion"},
    {"partialsType", "partials-type"}};

const std::string planned = "plans are those of the simulated planner";
const std::string resultType = "results have the type of the data";

sim::Graph fullyConnectedGraph(const OpArguments& a, sim::DataType) {
    sim::FullyConnectedLayer layer;
    layer.batchSize = a.number("batch-size");
    layer.inputSize = a.number("input-size");
    layer.outputSize = a.number("output-size");
    layer.groups = a.number("num-groups");
    layer.bias = a.flag("bias");
    layer.inferenceOnly = a.inferenceOnly;
    layer.passes = a.passes();
    return graphOf(layer, a.type("input-type"));
}

sim::Graph multiplyGraph(const OpArguments& a, sim::DataType) {
    if (a.real("beta") != 1)
        throw UserError("--beta: only 1 is supported, as by the PopLibs tool");
    const auto transposed = [&](const char* key) {
        return a.oneOf(key, {"normal", "transpose"}) == "transpose";
    };
    return graphOf(sim::GeneralMatrixMultiply{a.number("m"), a.number("k"), a.number("n"),
                                              a.number("g"), transposed("left-matrix-op"),
                                              transposed("right-matrix-op")},
                   a.type("input-type"));
}

sim::Graph reduceGraph(const OpArguments& a, sim::DataType) {
    sim::ReduceOp reduce;
    reduce.shape = a.list("shape");
    reduce.dims = a.list("dims");
    reduce.function = reduceFunction(a.text("operation"));
    reduce.scale = a.real("scale");
    reduce.update = a.flag("update");
    if (a.text("shuffle") != notGiven && a.text("initial-shape") != notGiven) {
        reduce.initialShape = a.list("initial-shape");
        reduce.shuffle = a.list("shuffle");
        if (!isShuffle(reduce))
            throw UserError("--shuffle: not an order of the dimensions of --initial-shape that "
                            "gives --shape");
    }
    return graphOf(reduce, dataTypeOf(a.text("type")));
}

sim::Graph embeddingGraph(const OpArguments& a, sim::DataType type) {
    const Numbers shape = a.list("shape");
    if (shape.size() != 2)
        throw UserError("--shape: an embedding has two dimensions, rows and width");
    sim::EmbeddingLayer layer{shape[0], shape[1], a.list("num-indices"), {}};
    const std::string& pass = a.oneOf("pass", {"both", "fwd", "wu"});
    layer.passes = {pass != "wu", false, pass != "fwd"};
    return graphOf(layer, type);
}

Tool fullyConnectedTool() {
    Tool tool{"fully_connected_layer",
              "Forward, backward and weight update of a dense layer",
              {{"batch-size", "1"},
               {"input-size", ""},
               {"output-size", ""},
               {"num-groups", "1"},
               {"bias", "true"},
               {"input-type", "data-type"},
               {"single-phase", "all"}},
              fullyConnectedGraph};
    tool.ignored = {{"weights are updated in place", {"in-place-update"}},
                    {resultType, {"output-type"}},
                    {planned,
                     {"fwd-plan-constraints", "fwd-plan-constraints-file", "bwd-plan-constraints",
                      "bwd-plan-constraints-file", "wu-plan-constraints",
                      "wu-plan-constraints-file", "max-output-mem-prop"}}};
    tool.json = {{"matmul-options", memoryKeys}};
    return tool;
}

Tool multiplyTool() {
    Tool tool{"general_matrix_multiply",
              "C += A x B",
              {{"m", ""},
               {"k", ""},
               {"n", ""},
               {"g", "1"},
               {"beta", "1"},
               {"left-matrix-op", "normal"},
               {"right-matrix-op", "normal"},
               {"input-type", "data-type"}},
              multiplyGraph,
              true};
    tool.ignored = {
        {"a factor takes no cycles of its own", {"alpha"}},
        {resultType, {"output-type"}},
        {planned,
         {"plan-constraints", "plan-constraints-file", "temp-memory-budget",
          "cycle-backoff-percent", "max-output-memory-proportion", "enable-fast-reduce"}}};
    tool.json = {{"matmul-options", memoryKeys}};
    return tool;
}

Tool reduceTool() {
    Tool tool{"reduce_op",
              "A reduction",
              {{"shape", ""},
               {"dims", ""},
               {"operation", "ADD"},
               {"scale", "1.0"},
               {"update", "false"},
               {"type", "half"},
               {"initial-shape", notGiven},
               {"shuffle", notGiven}},
              reduceGraph};
    tool.ignored = {{"results lie where the reduction puts them", {"withoutput", "file"}},
                    {"the steps are the same", {"computesetapi"}}};
    return tool;
}

Tool embeddingTool() {
    Tool tool{"embedding_layer",
              "Look-up and update of rows",
              {{"shape", ""}, {"num-indices", ""}, {"pass", "both"}},
              embeddingGraph,
              true};
    tool.ignored = {{"a factor takes no cycles of its own", {"scale"}},
                    {planned,
                     {"grain-size", "indices-are-sorted", "use-embedding-plan", "partial-type",
                      "plan-constraints", "plan-constraints-file"}},
                    {"indices are unsigned int", {"indices-type"}}};
    tool.json = {{"slice-options", memoryKeys}};
    return tool;
}

} // namespace

std::vector<Tool> productTools() {
    return {fullyConnectedTool(), multiplyTool(), reduceTool(), embeddingTool()};
}

} // namespace tilescope::cli
