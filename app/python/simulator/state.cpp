#include "app/python/simulator/state.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "simulator/frontend/model/prepare.h"
#include "simulator/frontend/onnx_types/own_attributes.h"

namespace tilescope::python {
namespace {

void setWholeNumber(onnx::NodeProto& node, const char* name, std::int64_t value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
}

void importGraphcoreDomain(onnx::ModelProto& model) {
    const auto& sets = model.opset_import();
    if (std::any_of(sets.begin(), sets.end(),
                    [](const auto& set) { return set.domain() == sim::graphcoreDomain; }))
        return;
    auto& set = *model.add_opset_import();
    set.set_domain(sim::graphcoreDomain);
    set.set_version(1);
}

/// Copies the annotations for the placement of a node.
void copyPlace(const onnx::NodeProto& from, onnx::NodeProto& to) {
    for (const auto& attribute : from.attribute())
        if (attribute.name() == "__pipeline_stage" || attribute.name() == "__ipu_number" ||
            attribute.name() == "__execution_phase")
            *to.add_attribute() = attribute;
}

onnx::NodeProto variableNode(const char* type, const std::string& name) {
    onnx::NodeProto node;
    node.set_domain(sim::graphcoreDomain);
    node.set_op_type(type);
    node.set_name(name);
    node.add_output(name);
    return node;
}

/// Inserts a node that reads the buffer before all others, and makes them use its result.
void readOnce(onnx::GraphProto& graph, const std::string& buffer) {
    onnx::NodeProto read = variableNode("ReadVariable", buffer + "/read");
    read.add_input(buffer);
    setWholeNumber(read, "__recompute_output", 0);
    bool isPlaced = false;
    for (auto& node : *graph.mutable_node())
        for (std::string& input : *node.mutable_input())
            if (input == buffer) {
                input = read.name();
                if (!isPlaced)
                    copyPlace(node, read);
                isPlaced = true;
            }
    if (!isPlaced)
        return;
    auto& nodes = *graph.mutable_node();
    *nodes.Add() = std::move(read);
    for (int i = nodes.size() - 1; i > 0; --i)
        nodes.SwapElements(i, i - 1);
}

/// A buffer that is only written is not an initialiser of the exported model. Its initial value
/// comes from the module: the first call sends all buffers.
void addIfUnread(onnx::GraphProto& graph, const Buffer& buffer, const onnx::ValueInfoProto& value) {
    const auto& known = graph.initializer();
    if (std::any_of(known.begin(), known.end(),
                    [&](const auto& tensor) { return tensor.name() == buffer.name; }))
        return;
    const auto type = value.type().tensor_type().elem_type();
    auto& tensor = *graph.add_initializer();
    tensor.set_name(buffer.name);
    tensor.set_data_type(type);
    std::int64_t elements = 1;
    for (const std::int64_t size : buffer.shape) {
        tensor.add_dims(size);
        elements *= size;
    }
    constexpr std::size_t wordBytes = 4;
    constexpr std::size_t longBytes = 8;
    const bool isLong = type == onnx::TensorProto::INT64 || type == onnx::TensorProto::DOUBLE;
    const bool isByte = type == onnx::TensorProto::BOOL;
    tensor.set_raw_data(std::string(static_cast<std::size_t>(elements) * (isLong   ? longBytes
                                                                          : isByte ? 1
                                                                                   : wordBytes),
                                    '\0'));
}

void overwrite(onnx::GraphProto& graph, const std::string& buffer, const std::string& value) {
    onnx::NodeProto update = variableNode(sim::variableUpdateOperator, buffer + "/update");
    update.add_input(buffer);
    update.add_input(value);
    for (const auto& node : graph.node())
        if (std::find(node.output().begin(), node.output().end(), value) != node.output().end())
            copyPlace(node, update);
    *graph.add_node() = std::move(update);
}

} // namespace

void updateState(onnx::ModelProto& model, const std::vector<Buffer>& buffers) {
    if (buffers.empty())
        return;
    onnx::GraphProto& graph = *model.mutable_graph();
    auto& outputs = *graph.mutable_output();
    const int kept = outputs.size() - static_cast<int>(buffers.size());
    if (kept < 0)
        throw InternalError(fmt::format("{} buffers change, but the model has {} outputs",
                                        buffers.size(), outputs.size()));
    importGraphcoreDomain(model);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        addIfUnread(graph, buffers[i], outputs.Get(kept + static_cast<int>(i)));
    for (const Buffer& buffer : buffers)
        readOnce(graph, buffer.name);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        overwrite(graph, buffers[i].name, outputs.Get(kept + static_cast<int>(i)).name());
    outputs.DeleteSubrange(kept, static_cast<int>(buffers.size()));
}

void markBatchNormalizations(onnx::ModelProto& model) {
    for (auto& node : *model.mutable_graph()->mutable_node()) {
        if (node.op_type() != "BatchNormalization" || !node.domain().empty())
            continue;
        const bool trains =
            std::any_of(node.attribute().begin(), node.attribute().end(),
                        [](const auto& a) { return a.name() == "training_mode" && a.i() != 0; });
        setWholeNumber(node,
                       trains ? sim::unbiasedVarianceAttribute : sim::frozenStatisticsAttribute, 1);
    }
}

} // namespace tilescope::python
