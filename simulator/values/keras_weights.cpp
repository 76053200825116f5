#include "simulator/values/keras_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "simulator/data/array_files.h"
#include "simulator/frontend/onnx_types/own_attributes.h"

namespace tilescope::sim {
namespace {

namespace fs = std::filesystem;

/// The first operand of a node that a weight is.
struct WeightReader {
    const onnx::NodeProto* node = nullptr;
    int operand = 0;
    [[nodiscard]] bool isRecurrent() const {
        return node != nullptr &&
               (node->op_type() == "LSTM" || node->op_type() == "GRU" || node->op_type() == "RNN");
    }
    [[nodiscard]] bool isWindow() const {
        return node != nullptr && operand == 1 &&
               (node->op_type() == "Conv" || node->op_type() == "ConvTranspose");
    }
};

/// "lstm/forward_lstm/lstm_cell/kernel:0" is the forward part of "lstm/kernel".
struct KerasName {
    std::string path;
    std::size_t direction = 0;
};

KerasName nameIn(std::string text) {
    if (const auto colon = text.rfind(':'); colon != std::string::npos)
        text.erase(colon);
    KerasName name;
    std::string part;
    text += '/';
    for (const char c : text) {
        if (c != '/') {
            part += c;
            continue;
        }
        const bool forward = part.starts_with("forward_");
        const bool backward = part.starts_with("backward_");
        const bool cell = part.starts_with("lstm_cell") || part.starts_with("gru_cell") ||
                          part.starts_with("simple_rnn_cell");
        if (backward)
            name.direction = 1;
        if (!forward && !backward && !cell)
            name.path += (name.path.empty() ? "" : "/") + part;
        part.clear();
    }
    return name;
}

/// The dimensions in another order.
TensorData permuted(const TensorData& data, const std::vector<std::size_t>& order) {
    const Shape& from = data.shape();
    Shape strides(from.size(), 1);
    for (std::size_t d = from.size(); d-- > 1;)
        strides[d - 1] = strides[d] * from[d];
    Shape shape;
    for (const std::size_t d : order)
        shape.push_back(from[d]);
    TensorData result(data.type(), shape);
    for (std::int64_t i = 0; i < result.elements(); ++i) {
        std::int64_t rest = i;
        std::int64_t at = 0;
        for (std::size_t d = order.size(); d-- > 0;) {
            at += rest % shape[d] * strides[order[d]];
            rest /= shape[d];
        }
        result.setNumber(i, data.number(at));
    }
    return result;
}

class KerasWeights {
public:
    explicit KerasWeights(const fs::path& file)
        : file_(file.string()) {
        for (NamedArray& array : readArrays(file)) {
            const KerasName name = nameIn(array.name);
            if (!array.data.isReal())
                refuse(array.name, "holds whole numbers; weights are real");
            for (const float value : array.data.reals())
                if (!std::isfinite(value))
                    refuse(array.name, "holds values that are not finite (NaN or infinity)");
            if (!arrays_.try_emplace({name.path, name.direction}, std::move(array)).second)
                refuse(name.path, "occurs twice");
        }
    }

    /// Values of a weight in ONNX's order.
    TensorData take(const std::string& name, const Shape& shape, const WeightReader& reader) {
        if (!reader.isRecurrent())
            return fitted(taken(name, 0), shape, reader);
        TensorData all = TensorData::filled(DataType::Float, shape, 0);
        const std::int64_t each = all.elements() / shape.front();
        for (std::int64_t d = 0; d < shape.front(); ++d) {
            const TensorData one =
                ofDirection(taken(name, static_cast<std::size_t>(d)), shape, reader);
            std::copy_n(one.reals().data(), one.elements(), all.reals().data() + d * each);
        }
        return all;
    }

    void checkThatAllAreTaken() const {
        if (!arrays_.empty())
            refuse(arrays_.begin()->second.name, "is not a weight of the model");
    }

private:
    [[noreturn]] void refuse(const std::string& array, const std::string& what) const {
        throw UserError(fmt::format("{}: '{}' {}", file_, array, what));
    }
    [[noreturn]] void refuseShape(const NamedArray& array, const Shape& wanted) const {
        refuse(array.name, fmt::format("has shape {} where the layer's has {}",
                                       toString(array.data.shape()), toString(wanted)));
    }

    /// Keras 2 names layers of a nested model without the model's name.
    NamedArray taken(const std::string& name, std::size_t direction) {
        std::string path = name;
        for (;;) {
            const auto found = arrays_.find({path, direction});
            if (found != arrays_.end()) {
                NamedArray array = std::move(found->second);
                arrays_.erase(found);
                return array;
            }
            const auto slash = path.find('/');
            if (slash == std::string::npos || path.find('/', slash + 1) == std::string::npos)
                break;
            path.erase(0, slash + 1);
        }
        throw UserError(fmt::format(
            "{}: has no '{}'{}; save all of them: numpy.savez(file, **{{w.name: w.numpy() for w "
            "in model.weights}})",
            file_, name, direction == 0 ? "" : " of the backward direction"));
    }

    TensorData fitted(const NamedArray& array, const Shape& shape,
                      const WeightReader& reader) const {
        if (!reader.isWindow()) {
            // Heads of an attention are dimensions of their own.
            if (array.data.elements() != elementsOf(shape))
                refuseShape(array, shape);
            return array.data.reshaped(shape);
        }
        // Keras: window, inputs, outputs; by channel: window, channels, outputs of each.
        const bool byChannel = array.name.find("depthwise_kernel") != std::string::npos;
        std::vector<std::size_t> order{shape.size() - 1, shape.size() - 2};
        if (byChannel)
            std::swap(order[0], order[1]);
        for (std::size_t d = 0; d + 2 < shape.size(); ++d)
            order.push_back(d);
        Shape wanted(shape.begin() + 2, shape.end());
        wanted.insert(wanted.end(), {shape[1], shape[0]});
        if (array.data.shape().size() != shape.size() ||
            array.data.elements() != elementsOf(shape) ||
            (!byChannel && array.data.shape() != wanted))
            refuseShape(array, wanted);
        return permuted(array.data, order).reshaped(shape);
    }

    /// Keras: [features, gates x units] and [gates x units], with a further row for a separate bias
    /// of the state; an LSTM's gates are i, f, c, o where ONNX has i, o, f, c.
    TensorData ofDirection(const NamedArray& array, const Shape& shape,
                           const WeightReader& reader) const {
        const bool isBias = reader.operand == 3;
        const std::int64_t rows = isBias ? shape[1] / 2 : shape[1];
        const Shape wanted = isBias ? Shape{rows} : Shape{shape[2], rows};
        const bool ownOfState = isBias && array.data.shape() == Shape{2, rows};
        if (array.data.shape() != wanted && !ownOfState)
            refuseShape(array, wanted);
        const bool lstm = reader.node->op_type() == "LSTM";
        const std::int64_t units = lstm ? rows / 4 : rows;
        constexpr std::array<std::int64_t, 4> gates{0, 3, 1, 2};
        const std::int64_t parts = isBias ? (ownOfState ? 2 : 1) : shape[2];
        TensorData result(DataType::Float, {rows * parts});
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t from =
                lstm ? gates[static_cast<std::size_t>(row / units)] * units + row % units : row;
            for (std::int64_t part = 0; part < parts; ++part)
                result.setNumber(isBias ? part * rows + row : row * parts + part,
                                 array.data.number(part * rows + from));
        }
        return result;
    }

    std::string file_;
    std::map<std::pair<std::string, std::size_t>, NamedArray> arrays_;
};

std::map<std::string, WeightReader> readersOf(const onnx::GraphProto& graph) {
    std::map<std::string, WeightReader> readers;
    for (const auto& node : graph.node())
        for (int i = 0; i < node.input_size(); ++i)
            readers.try_emplace(node.input(i), WeightReader{&node, i});
    return readers;
}

/// Channels go last before an image becomes a row: the rows of Keras's kernels have that order.
void orderFlattened(onnx::GraphProto& graph) {
    std::vector<onnx::NodeProto> nodes;
    for (onnx::NodeProto& node : *graph.mutable_node()) {
        const auto rank =
            std::find_if(node.attribute().begin(), node.attribute().end(),
                         [](const auto& one) { return one.name() == channelsFirstAttribute; });
        if (rank != node.attribute().end()) {
            onnx::NodeProto& transpose = nodes.emplace_back();
            transpose.set_op_type("Transpose");
            transpose.set_name(node.name() + "/channels_last");
            transpose.add_input(node.input(0));
            transpose.add_output(transpose.name());
            auto& order = *transpose.add_attribute();
            order.set_name("perm");
            order.set_type(onnx::AttributeProto::INTS);
            order.add_ints(0);
            for (std::int64_t d = 2; d < rank->i(); ++d)
                order.add_ints(d);
            order.add_ints(1);
            node.set_input(0, transpose.name());
        }
        nodes.push_back(std::move(node));
    }
    graph.clear_node();
    for (onnx::NodeProto& node : nodes)
        *graph.add_node() = std::move(node);
}

} // namespace

std::optional<fs::path> kerasWeightsFile(const fs::path& model) {
    fs::path file = model;
    file.replace_extension(".weights.npz");
    std::error_code error;
    return fs::exists(file, error) ? std::optional(file) : std::nullopt;
}

void giveKerasWeights(onnx::ModelProto& model, const fs::path& file) {
    KerasWeights weights(file);
    onnx::GraphProto& graph = *model.mutable_graph();
    std::map<std::string, Shape> shapes;
    for (const auto& tensor : graph.initializer())
        shapes[tensor.name()] = {tensor.int64_data().begin(), tensor.int64_data().end()};
    orderFlattened(graph);
    const std::map<std::string, WeightReader> readers = readersOf(graph);
    std::map<std::string, TensorData> values;
    for (const auto& node : graph.node())
        if (node.op_type() == "ConstantOfShape" && !node.doc_string().empty()) {
            const auto reader = readers.find(node.output(0));
            values.emplace(node.output(0),
                           weights.take(node.output(0), shapes.at(node.input(0)),
                                        reader == readers.end() ? WeightReader{} : reader->second));
        }
    weights.checkThatAllAreTaken();
    auto* nodes = graph.mutable_node();
    nodes->erase(std::remove_if(
                     nodes->begin(), nodes->end(),
                     [&](const onnx::NodeProto& node) { return values.contains(node.output(0)); }),
                 nodes->end());
    for (const auto& [name, data] : values) {
        auto& tensor = *graph.add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(onnx::TensorProto::FLOAT);
        for (const std::int64_t size : data.shape())
            tensor.add_dims(size);
        const auto reals = data.reals();
        tensor.set_raw_data(reals.data(), reals.size_bytes());
    }
}

} // namespace tilescope::sim
