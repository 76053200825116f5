#include "simulator/frontend/convert/builder.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <stdexcept>

#include "simulator/frontend/onnx_types/weight_values.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/graph/shape_rules.h"
#include "simulator/graph/source_places.h"

namespace tilescope::sim {

namespace {

DataType resultType(const Attributes& attributes, const std::vector<DataType>& inputs) {
    if (const auto* elementwise = std::get_if<ElementwiseAttributes>(&attributes)) {
        if (traitsOf(elementwise->function).makesBool)
            return DataType::Bool;
        if (elementwise->function == ElementwiseFunction::Select)
            return inputs.at(1);
    }
    if (const auto* reduce = std::get_if<ReduceAttributes>(&attributes)) {
        if (reduce->function == ReduceFunction::ArgMax ||
            reduce->function == ReduceFunction::ArgMin)
            return DataType::Int32;
    }
    return inputs.at(0);
}

/// Exporters start names with '/', and a debug path has no empty part.
std::string debugPath(const std::string& name) {
    std::string result;
    for (const char c : name) {
        if (c != '/' || (!result.empty() && result.back() != '/'))
            result += c;
    }
    while (!result.empty() && result.back() == '/')
        result.pop_back();
    return result.empty() ? "op" : result;
}

/// PopART's annotation of a node; -1 where there is none.
std::int64_t hintOf(const Node& node, const std::string& attribute) {
    if (!node.has(attribute))
        return -1;
    constexpr std::int64_t most = 1 << 16; // far more than any machine has IPUs
    const std::int64_t value = node.integer(attribute, -1);
    if (value < 0 || value > most)
        throw std::invalid_argument(
            fmt::format("its annotation '{}' must be a whole number from 0 on", attribute));
    return value;
}

} // namespace

GraphBuilder::GraphBuilder(const ResolvedModel& model, const ImportOptions& options)
    : model_(model)
    , half_(options.half)
    , doublesAreFloats_(options.half && options.doublesAreFloats)
    , training_(options.training)
    , foldsNormalisations_(options.foldBatchNorm)
    , keepsValues_(options.values) {
    graph_.name = model.name;
    graph_.messages = model.messages;
    graph_.source = model.source;
    for (const auto& input : model.inputs)
        addInput(input);
}

void GraphBuilder::addInput(const std::string& input) {
    try {
        graph_.inputs.push_back(tensorOf(input));
    } catch (const std::invalid_argument& error) {
        for (const Node& node : model_.nodes)
            if (std::find(node.inputs.begin(), node.inputs.end(), input) != node.inputs.end())
                throw std::invalid_argument(fmt::format("input '{}' of node '{}' ({}): {}", input,
                                                        node.name, node.key(), error.what()));
        // Nobody reads it.
    }
}

TensorId GraphBuilder::tensorOf(const std::string& name) {
    if (const auto at = bound_.find(name); at != bound_.end())
        return at->second;
    const Value& value = model_.values.at(name);
    if (value.role == TensorRole::Activation)
        throw std::invalid_argument(fmt::format("value '{}' is read before it is made", name));
    try {
        const TensorId id = addTensor(name, value.shape, deviceType(value.type), value.role);
        giveValue(id, value);
        bind(name, id);
        return id;
    } catch (const std::invalid_argument& error) {
        if (value.maker.empty())
            throw;
        throw std::invalid_argument(fmt::format("{}: {}", value.maker, error.what()));
    }
}

TensorId GraphBuilder::addScalar(std::string name, DataType type, double value) {
    const TensorId id = addTensor(std::move(name), {}, type, TensorRole::Constant);
    graph_.tensors[id].value = std::make_shared<const TensorData>(TensorData::scalar(type, value));
    return id;
}

TensorId GraphBuilder::addConstant(std::string name, DataType type, Shape shape,
                                   const ElementNumbers& numbers) {
    const TensorId id = addTensor(std::move(name), std::move(shape), type, TensorRole::Constant);
    if (!keepsValues_)
        return id;
    TensorData value(type, tensor(id).shape);
    for (std::int64_t i = 0; i < value.elements(); ++i)
        value.setNumber(i, numbers(i));
    setValue(id, std::move(value));
    return id;
}

namespace {

/// Whole numbers of 64 bits are 32-bit ones on the device.
void checkWidth(const std::string& name, const Constant& constant, DataType type) {
    if (type != DataType::Int32 && type != DataType::UInt32)
        return;
    const bool isSigned = type == DataType::Int32;
    const std::int64_t least = isSigned ? std::numeric_limits<std::int32_t>::min() : 0;
    const std::int64_t most = isSigned ? std::numeric_limits<std::int32_t>::max()
                                       : std::int64_t{std::numeric_limits<std::uint32_t>::max()};
    for (const std::int64_t value : constant.ints)
        if (value < least || value > most)
            throw std::invalid_argument(
                fmt::format("constant '{}' has the value {}, which the device's 32 bits do not "
                            "hold; export the model with smaller numbers",
                            name, value));
}

} // namespace

void GraphBuilder::giveValue(TensorId id, const Value& from) {
    Tensor& tensor = graph_.tensors[id];
    if (!keepsValues_ && tensor.elements() > 1)
        return;
    if (keepsValues_ && from.data)
        checkWidth(tensor.name, *from.data, tensor.type);
    if (from.data)
        tensor.value = std::make_shared<const TensorData>(
            dataOf(*from.data, tensor.type).reshaped(tensor.shape));
    else if (from.large)
        tensor.value = std::make_shared<const TensorData>(
            converted(*from.large, tensor.type).reshaped(tensor.shape));
}

void GraphBuilder::bind(const std::string& value, TensorId tensor) {
    bound_[value] = tensor;
    if (!named_[tensor.index()]) {
        graph_.tensors[tensor].name = value;
        named_[tensor.index()] = true;
    }
}

TensorId GraphBuilder::addTensor(std::string name, Shape shape, DataType type, TensorRole role) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
        throw std::invalid_argument(
            fmt::format("tensor '{}' of shape {} is empty; remove it from the "
                        "model",
                        name, toString(shape)));
    named_.push_back(role != TensorRole::Activation);
    return graph_.tensors.add(Tensor{std::move(name), std::move(shape), type, role});
}

namespace {

/// PopART's attribute for the share of memory that a convolution or product may take.
std::optional<double> availableMemoryOf(const Node& node) {
    const std::string attribute = "__available_memory";
    if (!node.has(attribute))
        return std::nullopt;
    const double proportion = node.real(attribute, -1);
    if (!(proportion >= 0 && proportion <= 1))
        throw std::invalid_argument("attribute __available_memory is not a number from 0 to 1");
    return proportion;
}

/// PopART's attribute for the type of partial sums: "half" or "float", in any case.
std::optional<DataType> partialsTypeOf(const Node& node) {
    if (!node.has("__partials_type"))
        return std::nullopt;
    std::string text = node.text("__partials_type", "");
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (text != "half" && text != "float")
        throw std::invalid_argument("its annotation '__partials_type' must be \"half\" or "
                                    "\"float\"");
    return text == "half" ? DataType::Half : DataType::Float;
}

/// To run again in the backward pass or not: __recompute_output says yes or no, PopART's own name
/// has the number of a RecomputeType (0: undefined, 1: checkpoint, 2: recompute).
std::optional<bool> recomputeHintOf(const Node& node) {
    if (const std::int64_t says = hintOf(node, "__recompute_output"); says >= 0)
        return says != 0;
    const std::int64_t type = hintOf(node, "__recompute_output_in_backward_pass");
    if (type <= 0)
        return std::nullopt;
    return type > 1;
}

} // namespace

TensorId GraphBuilder::addOp(const Node& node, const std::string& name, Attributes attributes,
                             std::vector<TensorId> inputs, std::optional<Shape> shape,
                             std::optional<DataType> type) {
    if (shape && elementsOf(*shape) == 0)
        throw std::invalid_argument(fmt::format(
            "its result of shape {} is empty; remove it from the model", toString(*shape)));
    std::vector<Shape> shapes;
    std::vector<DataType> types;
    for (const TensorId input : inputs) {
        shapes.push_back(tensor(input).shape);
        types.push_back(tensor(input).type);
    }
    if (auto made = outputShape(attributes, shapes))
        shape = std::move(made);
    else
        checkOpenShape(attributes, shapes, shape.value());
    const std::string path = uniqueName(name);
    const TensorId output =
        addTensor(path, std::move(*shape), type ? *type : resultType(attributes, types),
                  TensorRole::Activation);
    Op op{path, node.type, node.name, std::move(attributes), std::move(inputs), {output}};
    if (isPlanned(op.attributes)) {
        op.availableMemory = availableMemoryOf(node);
        op.partialsType = partialsTypeOf(node);
        op.multiConv = multiConvOf(node);
    }
    op.source.frame = node.source;
    op.mayOutline = hintOf(node, "__outline") != 0;
    op.stageHint = static_cast<std::int32_t>(hintOf(node, "__pipeline_stage"));
    op.ipuHint = static_cast<std::int32_t>(hintOf(node, "__ipu_number"));
    op.phaseHint = static_cast<std::int32_t>(hintOf(node, "__execution_phase"));
    op.recomputeHint = recomputeHintOf(node);
    graph_.ops.add(std::move(op));
    return output;
}

/// Convolutions with the same number in __multi_conv are planned together; the other attributes of
/// one of them apply to all.
std::shared_ptr<const MultiConv> GraphBuilder::multiConvOf(const Node& node) {
    const std::int64_t number = hintOf(node, "__multi_conv");
    if (number < 0)
        return nullptr;
    auto [known, isNew] = multiConvs_.try_emplace(number);
    if (isNew)
        known->second = std::make_shared<MultiConv>();
    MultiConv& options = *known->second;
    if (const std::int64_t type = hintOf(node, "__multi_conv_plan_type"); type >= 0)
        options.parallel = type == 0;
    if (const std::int64_t tiles = hintOf(node, "__multi_conv_reserved_tiles"); tiles >= 0)
        options.reservedTiles = tiles;
    if (const std::string name = "__multi_conv_cycle_back_off"; node.has(name)) {
        options.cycleBackOff = node.real(name, -1);
        if (!(options.cycleBackOff >= 0 && options.cycleBackOff <= 1))
            throw std::invalid_argument(
                fmt::format("attribute {} is not a number from 0 to 1", name));
    }
    return known->second;
}

std::int32_t GraphBuilder::addFunction(const Node& node, Graph body) {
    for (Op& op : body.ops) {
        op.type = node.type;
        op.onnxNode = node.name;
        op.source.frame = node.source;
        if (isPlanned(op.attributes)) {
            op.availableMemory = availableMemoryOf(node);
            op.partialsType = partialsTypeOf(node);
        }
    }
    graph_.functions.push_back(std::move(body));
    return static_cast<std::int32_t>(graph_.functions.size()) - 1;
}

TensorId GraphBuilder::addResult(const std::string& part, Shape shape) {
    Op& op = graph_.ops.back();
    op.outputs.push_back(addTensor(op.name + "/" + part, std::move(shape),
                                   tensor(op.outputs.front()).type, TensorRole::Activation));
    return op.outputs.back();
}

void GraphBuilder::hintRecompute(TensorId tensor, const Node& node) {
    const auto hint = recomputeHintOf(node);
    if (!hint)
        return;
    for (std::size_t i = graph_.ops.size(); i-- > 0;) {
        Op& op = graph_.ops[OpId(i)];
        if (std::find(op.outputs.begin(), op.outputs.end(), tensor) == op.outputs.end())
            continue;
        op.recomputeHint = hint;
        return;
    }
}

DataType GraphBuilder::deviceType(ElementType type) {
    const auto note = [&](Severity severity, std::string_view text) {
        if (noted_.insert(type).second)
            message(severity, std::string(text));
    };
    switch (type) {
    case ElementType::Float:
        return half_ ? DataType::Half : DataType::Float;
    case ElementType::Double:
        if (doublesAreFloats_)
            return DataType::Float;
        note(Severity::Warning, "double tensors are computed as float: the IPU has no double");
        return half_ ? DataType::Half : DataType::Float;
    case ElementType::Float16:
        return DataType::Half;
    case ElementType::BFloat16:
        if (keepsValues_) // half has another range
            throw std::invalid_argument("tensors of type bfloat16 are not computed, as the IPU has "
                                        "no bfloat16; export the model in float16");
        note(Severity::Warning, "bfloat16 tensors are computed as half: the IPU has no bfloat16");
        return DataType::Half;
    case ElementType::Int64:
        note(Severity::Info, "int64 tensors are stored as int32, as Poplar does");
        return DataType::Int32;
    case ElementType::Int32:
        return DataType::Int32;
    case ElementType::UInt64:
        note(Severity::Info, "uint64 tensors are stored as uint32, as Poplar does");
        return DataType::UInt32;
    case ElementType::UInt32:
        return DataType::UInt32;
    case ElementType::Int16:
        note(Severity::Warning, "int16 tensors are stored as int32");
        return DataType::Int32;
    case ElementType::UInt16:
        note(Severity::Warning, "uint16 tensors are stored as uint32");
        return DataType::UInt32;
    case ElementType::Int8:
        return DataType::Int8;
    case ElementType::UInt8:
        return DataType::UInt8;
    case ElementType::Bool:
        return DataType::Bool;
    default:
        throw std::invalid_argument(
            fmt::format("tensors of type {} are not supported", toString(type)));
    }
}

void GraphBuilder::message(Severity severity, std::string text) {
    graph_.messages.push_back({severity, std::move(text)});
}

Graph GraphBuilder::finish() {
    for (const auto& output : model_.outputs)
        graph_.outputs.push_back(tensorOf(output));
    for (const auto& [what, times] : counts_) {
        message(Severity::Info, fmt::format("{} {} node{} {}", times, what.first,
                                            times == 1 ? " was" : "s were", what.second));
    }
    removeDeadCode(graph_);
    inferSources(graph_);
    return std::move(graph_);
}

std::string GraphBuilder::uniqueName(const std::string& name) {
    std::string result = debugPath(name);
    // A suffixed name may itself be taken already by a node of that name.
    while (names_.contains(result))
        result = fmt::format("{}_{}", debugPath(name), names_[debugPath(name)]++);
    names_[result] = 1;
    return result;
}

namespace {

bool overwritesWeight(const Graph& graph, const Op& op) {
    const auto* function = std::get_if<ElementwiseAttributes>(&op.attributes);
    return function != nullptr && traitsOf(function->function).updatesInPlace &&
           graph.tensors[op.inputs[0]].role == TensorRole::Weight;
}

} // namespace

void removeDeadCode(Graph& graph) {
    std::vector<bool> needed(graph.tensors.size());
    for (const auto* ids : {&graph.inputs, &graph.outputs}) {
        for (const TensorId id : *ids)
            needed[id.index()] = true;
    }
    std::vector<bool> alive(graph.ops.size());
    for (std::size_t i = graph.ops.size(); i-- > 0;) {
        const Op& op = graph.ops[OpId(i)];
        alive[i] = overwritesWeight(graph, op);
        for (const TensorId output : op.outputs)
            alive[i] = alive[i] || needed[output.index()];
        if (!alive[i])
            continue;
        for (const auto* ids : {&op.inputs, &op.outputs}) {
            for (const TensorId id : *ids)
                needed[id.index()] = true;
        }
    }

    std::vector<TensorId> renumbered(graph.tensors.size());
    IdVector<TensorId, Tensor> tensors;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        if (needed[i])
            renumbered[i] = tensors.add(std::move(graph.tensors[TensorId(i)]));
    }
    const auto renumber = [&](std::vector<TensorId>& ids) {
        for (TensorId& id : ids)
            id = renumbered[id.index()];
    };
    IdVector<OpId, Op> ops;
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        if (!alive[i])
            continue;
        Op& op = graph.ops[OpId(i)];
        renumber(op.inputs);
        renumber(op.outputs);
        ops.add(std::move(op));
    }
    renumber(graph.inputs);
    renumber(graph.outputs);
    graph.tensors = std::move(tensors);
    graph.ops = std::move(ops);
}

} // namespace tilescope::sim
