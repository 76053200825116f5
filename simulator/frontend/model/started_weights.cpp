// Weights of built-in models, which nodes make, and their initial values.
#include <onnx/onnx_pb.h>

#include "simulator/frontend/model/prepare.h"

namespace tilescope::sim {
namespace {

/// The initialiser with the shape of a node that fills a tensor.
const onnx::TensorProto* shapeOperand(const onnx::GraphProto& graph, const onnx::NodeProto& node) {
    if (node.op_type() != "ConstantOfShape" || node.doc_string().empty() || node.input_size() != 1)
        return nullptr;
    for (const auto& tensor : graph.initializer())
        if (tensor.name() == node.input(0))
            return &tensor;
    return nullptr;
}

void addInput(onnx::GraphProto& graph, const onnx::NodeProto& node,
              const onnx::TensorProto& sizes) {
    auto& input = *graph.add_input();
    input.set_name(node.output(0));
    input.set_doc_string(node.doc_string());
    auto& type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    type.mutable_shape();
    for (const std::int64_t size : sizes.int64_data())
        type.mutable_shape()->add_dim()->set_dim_value(size);
}

} // namespace

void detachFilled(onnx::ModelProto& model, NameSet& weights) {
    auto& graph = *model.mutable_graph();
    int kept = 0;
    for (int i = 0; i < graph.node_size(); ++i) {
        const onnx::TensorProto* sizes = shapeOperand(graph, graph.node(i));
        if (sizes == nullptr) {
            graph.mutable_node()->SwapElements(kept++, i);
            continue;
        }
        addInput(graph, graph.node(i), *sizes);
        weights.insert(graph.node(i).output(0));
    }
    graph.mutable_node()->DeleteSubrange(kept, graph.node_size() - kept);
}

} // namespace tilescope::sim
