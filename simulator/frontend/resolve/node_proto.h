// Nodes of the file as our own.
#pragma once

#include "simulator/frontend/resolve/node.h"

namespace onnx {
class NodeProto;
}

namespace tilescope::sim {

/// Throws std::invalid_argument naming the attribute for kinds that no supported operator has
/// (graphs, strings in lists, sparse tensors) and for values out of any sense (a stride of 0).
Node nodeFrom(const onnx::NodeProto& proto, int opset);

} // namespace tilescope::sim
