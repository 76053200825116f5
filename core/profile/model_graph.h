// The graph of the model: operations and the tensors that pass between them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/ids.h"
#include "core/profile/source_code.h"

namespace tilescope {

using ModelNodeId = Id<struct ModelNodeTag>;
using ModelTensorId = Id<struct ModelTensorTag>;

/// Where the elements of a tensor come from.
enum class TensorSource : std::uint8_t {
    Operation, ///< made by one
    Input,     ///< streamed from the host for each batch
    Weight,
    Constant,
    Remote, ///< brought from a remote buffer
};
template <>
inline constexpr auto enumNames<TensorSource> =
    std::to_array<std::string_view>({"operation", "input", "weight", "constant", "remote"});

/// When in a training step an operation runs; in inference all are forward.
enum class ModelPhase : std::uint8_t {
    Forward,
    Backward, ///< gradients, and adding them up
    Update,   ///< the optimizer
};
template <>
inline constexpr auto
    enumNames<ModelPhase> = std::to_array<std::string_view>({"forward", "backward", "update"});

/// Type of the copies of operands and results around a function's run; not an operation of the
/// model.
inline constexpr std::string_view callType = "Call";

struct ModelTensor {
    std::string name;
    std::string type;  ///< element type, "half"
    std::string shape; ///< "[1,64,56,56]"
    std::int64_t bytes = 0;
    TensorSource source = TensorSource::Operation;
    bool isOutput = false; ///< a result of the model
    friend bool operator==(const ModelTensor&, const ModelTensor&) = default;
};

/// An operation at its place in the model. Where repeated parts became a function, several nodes
/// have one `operation`: the function's, which runs at each of these places; `calls` distinguishes
/// apart.
struct ModelNode {
    std::string name; ///< debug path, nested with '/'
    std::string type; ///< operator of the model; "Call" for the copies around a function's run
    OperationId operation;
    ModelPhase phase = ModelPhase::Forward;
    std::int32_t stage = 0; ///< of a pipeline or sharded model
    std::vector<ModelTensorId> reads;
    std::vector<ModelTensorId> writes;
    /// Operations of the calls that it runs in, outermost first; empty outside of functions, and in
    /// files before schema version 7.
    std::vector<OperationId> calls = {};
    SourcePlace source = {};
    friend bool operator==(const ModelNode&, const ModelNode&) = default;
};

/// The graph as it is compiled: after import, training and the other transforms, before repeated
/// parts become functions. Nodes are in the order of execution. Calls of functions are nodes
/// without tensors: what they copy belongs to their scope.
struct ModelGraph {
    IdVector<ModelNodeId, ModelNode> nodes;
    IdVector<ModelTensorId, ModelTensor> tensors;
    /// False for a profile written before graphs were recorded.
    [[nodiscard]] bool recorded() const { return !nodes.empty(); }
    friend bool operator==(const ModelGraph&, const ModelGraph&) = default;
};

} // namespace tilescope
