// The model as the compiler sees it: operations on tensors with known shapes, in execution order.
// Weights have shapes, and data only where the model is to be computed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/options/loss_function.h"
#include "core/profile/kinds.h"
#include "core/profile/model_graph.h"
#include "core/profile/pipeline.h"
#include "core/profile/remote.h"
#include "simulator/graph/attributes.h"
#include "simulator/graph/multi_conv.h"
#include "simulator/graph/tensor_data.h"

namespace tilescope::sim {

using TensorId = Id<struct TensorTag>;
using OpId = Id<struct OpTag>;
using FunctionIndex = Id<struct FunctionTag>; ///< in Graph::functions; invalid for the graph itself

/// Where a tensor's data come from.
enum class TensorRole : std::uint8_t {
    Input,      ///< streamed from the host on every run
    Weight,     ///< streamed from the host once, then always live
    Constant,   ///< part of the program
    Activation, ///< made by an operation
    Remote,     ///< brought from a remote buffer when it is needed, by a RemoteLoad
};

/// The optimizer's state for a weight.
enum class StateKind : std::uint8_t {
    None,        ///< the tensor is not state
    Accumulator, ///< of the gradients of several micro-batches
    Moment,      ///< momentum and other moments: what PopART calls optimizer state
};

/// How the scaling of the loss is part of a constant.
enum class LossScalingPart : std::uint8_t {
    None,
    Factor,  ///< a gradient of the loss begins with it
    Inverse, ///< takes it out of a gradient again
};

struct Tensor {
    std::string name;
    Shape shape;
    DataType type = DataType::Float;
    TensorRole role = TensorRole::Activation;
    /// A tensor of the same shape whose layout this one takes, once it has one: accumulators and
    /// optimizer state lie where their weight does. A copy's result may also lie so that each of
    /// its rows is where a tensor of one dimension less is. None for most tensors.
    TensorId layoutOf = {};
    /// The first result of an operation that this tensor is allocated for, whatever reads it first
    /// (poplin::createInput); none for most tensors.
    TensorId allocatedFor = {};
    StateKind state = StateKind::None;
    bool frozen = false; ///< a weight that training leaves as it is
    LossScalingPart lossScaling = LossScalingPart::None;
    /// Value of a weight or constant when the first program begins, where the model has it and it
    /// was requested (ImportOptions::values).
    std::shared_ptr<const TensorData> value = {};

    [[nodiscard]] std::int64_t elements() const { return elementsOf(shape); }
    [[nodiscard]] std::int64_t bytes() const { return elements() * bytesOf(type); }
};

/// When in a training step an operation runs.
using Pass = ModelPhase;

/// One operation. `name` is its debug path: unique, nested with '/', made from the ONNX node name
/// (or its output's name where it has none).
struct Op {
    std::string name;
    /// For messages and tables: the operator of the ONNX node it came from, the type in a list of
    /// operations, or PopART's name for what training and pipelining add ("VarUpdate", "Stash").
    std::string type;
    std::string onnxNode;  ///< that node's name
    Attributes attributes; ///< its kind is the active alternative
    std::vector<TensorId> inputs;
    std::vector<TensorId> outputs;
    Pass pass = Pass::Forward;
    std::int32_t stage = 0;           ///< forward stage that it belongs to (Graph::ipuOf)
    std::int32_t recomputeGroup = -1; ///< operations recomputed together; none: -1
    /// Share of a tile's memory for temporary data, if the model gives it (ONNX attribute
    /// __available_memory).
    std::optional<double> availableMemory = {};
    /// Element type of the partial sums, if the model gives it (ONNX attribute __partials_type).
    std::optional<DataType> partialsType = {};
    /// For convolutions and their gradients: those that refer to the same object are planned
    /// together.
    std::shared_ptr<const MultiConv> multiConv = {};
    bool mayOutline = true;      ///< part of a function that repeats, unless __outline forbids it
    std::int32_t stageHint = -1; ///< stage annotated in the ONNX node; none: -1
    std::int32_t ipuHint = -1;   ///< IPU annotated in the ONNX node; none: -1
    std::optional<bool> recomputeHint = {}; ///< recompute or keep, as annotated in the ONNX node
    std::int32_t phaseHint = -1; ///< execution phase annotated in the ONNX node; none: -1
    /// Execution phase that it belongs to, where the model runs in phases: forward ones first, then
    /// backward ones in reverse; -1 for all others.
    std::int32_t executionPhase = -1;
    /// For an operation that draws random numbers: which of the graph's sequences it uses, the same
    /// for a Dropout and its gradient. For a Call: those of the operations that it runs, in order.
    std::vector<std::int32_t> randomStreams = {};
    /// The host starts a second program with it, in a graph that is not a framework's model.
    bool startsProgram = false;
    SourcePlace source = {}; ///< the line that made it, in Graph::source

    [[nodiscard]] std::string_view kind() const { return traitsOf(attributes).name; }
};

/// Messages of the importer to the user: approximations, replaced values, ignored parts.
struct GraphMessage {
    Severity severity = Severity::Info;
    std::string text;
};

/// Where an operation of the model runs once it is part of a function.
struct FunctionPlace {
    std::string operation;          ///< the function's operation that stands in for it
    std::vector<std::string> calls; ///< the Call operations around it, outermost first
};

struct Graph {
    std::string name;
    IdVector<TensorId, Tensor> tensors;
    IdVector<OpId, Op> ops; ///< in an order in which every input is made before its use
    /// Convolutions that do not run: their first operands are laid out by the plans that these
    /// would have together (poplin::multiconv::createInput). Their other tensors are only shapes.
    std::vector<Op> allocations;
    std::vector<TensorId> inputs;
    std::vector<TensorId> outputs;
    std::vector<GraphMessage> messages;
    /// Names of the inputs of an ONNX file in its order, with those that have become constants.
    std::vector<std::string> modelInputs;
    /// A Poplar program of its own and not a framework's model: one control program, and variables
    /// stay on the device where no stream is named.
    bool ownProgram = false;
    /// The loss that the model was compiled with, if its file has it.
    LossFunction loss = LossFunction::Automatic;
    /// Operations of the model with their stages, as they were before training and transforms added
    /// to them; empty unless stages were assigned.
    std::vector<StagedOperation> staged;
    /// Rows in streaming memory, by the index that RemoteLoad and RemoteStore name.
    std::vector<RemoteBuffer> remoteBuffers;
    /// IPU of each stage; empty: everything is one stage on IPU 0.
    std::vector<IpuId> stageIpus;
    /// Functions run by Call operations of this graph or of each other: callees before their
    /// callers. Only the outermost graph has any.
    std::vector<Graph> functions;
    /// The graph before outlining, as the profile records it; empty unless it was prepared.
    ModelGraph model;
    /// Names of the parts of each weight's gradient, by the weight's name; only in training.
    std::map<std::string, std::vector<std::string>> gradientParts;
    /// Lines of the program that made the model; only the outermost graph has any.
    SourceCode source;
    /// Operations that outlining has put into functions, by their names.
    std::map<std::string, FunctionPlace> functionPlaces;

    [[nodiscard]] std::int32_t stages() const {
        return stageIpus.empty() ? 1 : static_cast<std::int32_t>(stageIpus.size());
    }
    /// The IPU that runs a stage.
    [[nodiscard]] IpuId ipuOf(std::int32_t stage) const {
        return stageIpus.empty() ? IpuId(0) : stageIpus.at(static_cast<std::size_t>(stage));
    }

    /// For each tensor, the op that makes it; invalid for inputs, weights and constants. Built anew
    /// by each call, in time proportional to the ops: keep the result, do not call in a loop.
    [[nodiscard]] std::vector<OpId> producers() const;
    /// For each tensor, the ops that read it, in order, each once. The same cost as producers().
    [[nodiscard]] std::vector<std::vector<OpId>> consumers() const;
};

/// Throws InternalError naming the op if a graph breaks its own rules: ids out of range, a tensor
/// made twice or read before it is made, shapes that do not fit the op.
void checkGraph(const Graph& graph);

/// Floating-point operations of one execution of an op; a multiply-accumulate counts as two, views,
/// copies and casts as none.
double flopsOf(const Graph& graph, const Op& op);

} // namespace tilescope::sim
