// Conversion of the file's nodes to ours.
#pragma once

#include "simulator/frontend/onnx_types/import_types.h"
#include "simulator/frontend/resolve/node.h"

namespace onnx {
class GraphProto;
class NodeProto;
} // namespace onnx

namespace tilescope::sim {

/// Throws std::invalid_argument naming the attribute for kinds that no supported operator has
/// (graphs, strings in lists, sparse tensors) and for values out of any sense (a stride of 0).
Node nodeFrom(const onnx::NodeProto& proto, int opset);

/// Adds the values that layers read as their parameters, directly or through Identity nodes.
void addLayerParameters(const onnx::GraphProto& graph, NameSet& names);

} // namespace tilescope::sim
