// One forward pass over the nodes that gives every value its type and shape; operators that
// exporters write as several nodes, because older operator sets have no name for them.
#pragma once

#include <optional>
#include <string>

#include "simulator/frontend/onnx_types/import_types.h"
#include "simulator/frontend/onnx_types/weight_values.h"
#include "simulator/frontend/resolve/node.h"

namespace onnx {
class ModelProto;
}

namespace tilescope::sim {

/// Infers node by node and evaluates what only depends on shapes and small constants, so that the
/// shapes after such computations become known. With `values`, those of the weights, all values of
/// weights and constants are kept. Takes a model that passed the checker. Throws
/// UserError naming node and value where a shape stays unknown or a node contradicts itself.
ResolvedModel resolveModel(onnx::ModelProto& model, const std::string& origin,
                           const NameSet& weights, std::optional<BatchChange> batch,
                           const ImportOptions& options = {}, const WeightValues* values = nullptr);

/// Lets nodes read what an Identity reads and removes it, unless it is a model output or carries an
/// annotation.
void removeIdentities(ResolvedModel& model);

/// Replaces the last node of x/2 * (1 + erf(x/sqrt 2)), and of the tanh form of the same function,
/// by a Gelu of x, whatever the order of factors. The other nodes stay for other readers;
/// unread ones are removed with dead code. IPU frameworks have the function as one operator
/// (popnn GELU), so that this is what runs.
void recogniseGelu(ResolvedModel& model);

} // namespace tilescope::sim
