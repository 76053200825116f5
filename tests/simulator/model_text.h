// ONNX models from their textual form, and a one-line summary of the imported graph.
#pragma once

#include <stdexcept>
#include <string>

#include <onnx/defs/parser.h>

#include "simulator/frontend/import.h"
#include "simulator/graph/elementwise_traits.h"

namespace tilescope::test {

using namespace sim;

inline onnx::ModelProto parseModel(const std::string& graph, int opset = 17) {
    onnx::ModelProto model;
    onnx::OnnxParser parser(graph.c_str());
    const auto status = parser.Parse(*model.mutable_graph());
    if (!status.IsOK())
        throw std::logic_error("the test's model does not parse: " + status.ErrorMessage());
    model.set_ir_version(8);
    auto& set = *model.add_opset_import();
    set.set_domain("");
    set.set_version(opset);
    return model;
}

inline Graph importText(const std::string& graph, int opset = 17,
                        const ImportOptions& options = {}) {
    Graph result = importOnnx(parseModel(graph, opset), "test.onnx", options);
    checkGraph(result);
    return result;
}

/// "Conv[1,4,6,6] ADD[1,4,6,6]"
inline std::string summary(const Graph& graph) {
    std::string text;
    for (const Op& op : graph.ops) {
        std::string name(op.kind());
        if (const auto* elementwise = std::get_if<ElementwiseAttributes>(&op.attributes))
            name = traitsOf(elementwise->function).name;
        if (const auto* reduce = std::get_if<ReduceAttributes>(&op.attributes))
            name = "Reduce" + std::string(toString(reduce->function));
        text += (text.empty() ? "" : " ") + name + toString(graph.tensors[op.outputs[0]].shape);
    }
    return text;
}

} // namespace tilescope::test
