#include "app/python/simulator/state.h"

#include <algorithm>
#include <array>
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

/// Annotations for the placement of a node.
constexpr std::array<const char*, 3> placeAttributes{"__pipeline_stage", "__ipu_number",
                                                     "__execution_phase"};

/// Stage, IPU and execution phase of a node; -1: it has none.
using Place = std::array<std::int64_t, placeAttributes.size()>;

Place placeOf(const onnx::NodeProto& node) {
    Place place{-1, -1, -1};
    for (const auto& attribute : node.attribute())
        for (std::size_t i = 0; i < place.size(); ++i)
            if (attribute.name() == placeAttributes.at(i))
                place.at(i) = attribute.i();
    return place;
}

void setPlace(onnx::NodeProto& node, const Place& place) {
    for (std::size_t i = 0; i < place.size(); ++i)
        if (place.at(i) >= 0)
            setWholeNumber(node, placeAttributes.at(i), place.at(i));
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
                    setPlace(read, placeOf(node));
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

/// Where the new value of a buffer is made and stored: where the buffer is read, as other
/// micro-batches would read the value before it, or the IPU that has the buffer would not get it.
Place placeOfUpdate(const onnx::GraphProto& graph, const std::string& buffer,
                    const std::string& value) {
    Place made{-1, -1, -1};
    Place read = made;
    for (const auto& node : graph.node()) {
        if (std::find(node.output().begin(), node.output().end(), value) != node.output().end())
            made = placeOf(node);
        if (node.name() == buffer + "/read")
            read = placeOf(node);
    }
    const auto isNowhere = [](const Place& place) { return place == Place{-1, -1, -1}; };
    if (made != read && !isNowhere(made) && !isNowhere(read))
        throw UserError(fmt::format("buffer '{}' is read in one stage or phase of the model and "
                                    "changed in another one, which is not simulated; change it in "
                                    "the block that reads it",
                                    buffer));
    return made;
}

void overwrite(onnx::GraphProto& graph, const std::string& buffer, const std::string& value) {
    onnx::NodeProto update = variableNode(sim::variableUpdateOperator, buffer + "/update");
    update.add_input(buffer);
    update.add_input(value);
    setPlace(update, placeOfUpdate(graph, buffer, value));
    *graph.add_node() = std::move(update);
}

/// Each use of a normalisation that trains updates its statistics, one after the other: those of
/// several stages would be in another order, or on another IPU.
void checkUses(const onnx::NodeProto& node, std::map<std::string, Place>& usesOf) {
    constexpr int meanInput = 3;
    if (node.input_size() <= meanInput)
        return;
    const auto [first, isFirst] = usesOf.try_emplace(node.input(meanInput), placeOf(node));
    if (!isFirst && first->second != placeOf(node) && placeOf(node)[2] < 0)
        throw UserError(fmt::format("a batch normalisation with the statistics '{}' is used in "
                                    "several stages, whose updates are not simulated; use one for "
                                    "each stage, or put it into evaluation mode",
                                    node.input(meanInput)));
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
    std::map<std::string, Place> usesOf;
    for (auto& node : *model.mutable_graph()->mutable_node()) {
        if (node.op_type() != "BatchNormalization" || !node.domain().empty())
            continue;
        const bool trains =
            std::any_of(node.attribute().begin(), node.attribute().end(),
                        [](const auto& a) { return a.name() == "training_mode" && a.i() != 0; });
        if (trains)
            checkUses(node, usesOf);
        setWholeNumber(node,
                       trains ? sim::unbiasedVarianceAttribute : sim::frozenStatisticsAttribute, 1);
    }
}

} // namespace tilescope::python
