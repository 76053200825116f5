// One forward pass over the nodes that gives every value its type and shape.
#pragma once

#include <optional>
#include <string>

#include "simulator/frontend/onnx_types/import_types.h"
#include "simulator/frontend/resolve/node.h"

namespace onnx {
class ModelProto;
}

namespace tilescope::sim {

/// Infers node by node and evaluates what only depends on shapes and small constants, so that the
/// shapes after such computations become known. Takes a model that passed the checker. Throws
/// UserError naming node and value where a shape stays unknown or a node contradicts itself.
ResolvedModel resolveModel(onnx::ModelProto& model, const std::string& origin,
                           const NameSet& weights, std::optional<BatchChange> batch);

} // namespace tilescope::sim
