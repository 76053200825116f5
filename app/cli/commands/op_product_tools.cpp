// Products of matrices, reductions and tables of rows.
#include <fmt/format.h>

#include "app/cli/commands/op_tools.h"
#include "core/base/error.h"

namespace tilescope::cli {
namespace {

sim::ReduceFunction reduceFunction(const std::string& name) {
    using F = sim::ReduceFunction;
    for (const F f : {F::Add, F::Max, F::Min, F::Multiply, F::SquareAdd, F::LogAdd})
        if (sim::toString(f) == name)
            return f;
    throw UserError(fmt::format(
        "--operation: '{}' is not one of ADD, MAX, MIN, MUL, SQUARE_ADD, LOG_ADD", name));
}

} // namespace

std::vector<Tool> productTools() {
    return {
        {"fully_connected_layer",
         "Forward, backward and weight update of a dense layer",
         {{"batch-size", "1"},
          {"input-size", ""},
          {"output-size", ""},
          {"num-groups", "1"},
          {"bias", "true"}},
         [](const OpArguments& a, sim::DataType type) {
             sim::FullyConnectedLayer layer;
             layer.batchSize = a.number("batch-size");
             layer.inputSize = a.number("input-size");
             layer.outputSize = a.number("output-size");
             layer.groups = a.number("num-groups");
             layer.bias = a.flag("bias");
             layer.inferenceOnly = a.inferenceOnly;
             return graphOf(layer, type);
         }},
        {"general_matrix_multiply",
         "C += A x B",
         {{"m", ""}, {"k", ""}, {"n", ""}},
         [](const OpArguments& a, sim::DataType type) {
             return graphOf(sim::GeneralMatrixMultiply{a.number("m"), a.number("k"), a.number("n")},
                            type);
         },
         true},
        {"reduce_op",
         "A reduction",
         {{"shape", ""},
          {"dims", ""},
          {"operation", "ADD"},
          {"scale", "1.0"},
          {"update", "false"},
          {"type", "half"}},
         [](const OpArguments& a, sim::DataType) {
             return graphOf(sim::ReduceOp{a.list("shape"), a.list("dims"),
                                          reduceFunction(a.text("operation"))},
                            dataTypeOf(a.text("type")));
         }},
        {"embedding_layer",
         "Look-up and update of rows",
         {{"shape", ""}, {"num-indices", ""}},
         [](const OpArguments& a, sim::DataType type) {
             const Numbers shape = a.list("shape");
             if (shape.size() != 2)
                 throw UserError("--shape: an embedding has two dimensions, rows and width");
             return graphOf(sim::EmbeddingLayer{shape[0], shape[1], a.number("num-indices")}, type);
         },
         true},
    };
}

} // namespace tilescope::cli
