#include "simulator/values/model_values.h"

#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <onnx/onnx_pb.h>
#include <stdexcept>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "simulator/frontend/keras/keras.h"
#include "simulator/frontend/keras/model_json.h"
#include "simulator/frontend/model/prepare.h"
#include "simulator/frontend/onnx_types/weight_values.h"
#include "simulator/graph/size_bounds.h"
#include "simulator/import_model.h"
#include "simulator/values/keras_weights.h"
#include "simulator/zoo/zoo.h"

namespace tilescope::sim {
namespace {

bool isOnnxFile(const std::string& model) {
    return !isZooName(model) && !model.ends_with(".json");
}

void setValues(onnx::TensorProto& tensor, const TensorData& data) {
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.clear_float_data();
    tensor.clear_double_data();
    tensor.clear_int32_data();
    tensor.clear_external_data();
    tensor.clear_data_location();
    const auto values = data.reals();
    std::string raw(values.size_bytes(), '\0');
    std::memcpy(raw.data(), values.data(), raw.size());
    tensor.set_raw_data(std::move(raw));
}

/// A view of a weight becomes a weight of its own here; its node is removed.
bool replaceView(onnx::GraphProto& graph, const std::string& name, const TensorData& data) {
    for (int i = 0; i < graph.node_size(); ++i)
        if (graph.node(i).output_size() == 1 && graph.node(i).output(0) == name) {
            graph.mutable_node()->DeleteSubrange(i, 1);
            auto& tensor = *graph.add_initializer();
            tensor.set_name(name);
            for (const std::int64_t size : data.shape())
                tensor.add_dims(size);
            setValues(tensor, data);
            return true;
        }
    return false;
}

/// A Keras model with the weights of the file beside it.
Graph withKerasWeights(const ModelSource& source) {
    const std::string& model = source.model;
    if (isZooName(model) || !model.ends_with(".json"))
        return importModel(source);
    const std::optional<std::filesystem::path> weights = kerasWeightsFile(model);
    const std::string text = readFile(model);
    if (!weights || !isKerasModel(text))
        return importModel(source);
    Graph graph = importKeras(text, model, source.import,
                              [&](onnx::ModelProto& proto) { giveKerasWeights(proto, *weights); });
    if (graph.name.empty())
        graph.name = std::filesystem::path(model).filename().string();
    return graph;
}

} // namespace

Graph valuedModel(const std::string& model, const RunOptions& options) {
    ModelSource source = sourceOf(model, options.batch, options.model);
    source.import.values = true;
    if (!isOnnxFile(model))
        source.import.weightSeed = static_cast<std::uint64_t>(options.compute.seed);
    if (options.compute.arithmetic == Arithmetic::Float)
        source.import.half = false;
    Graph graph = withKerasWeights(source);
    checkValues(graph, model);
    return graph;
}

std::size_t takeWeights(Graph& graph, const NamedWeights& weights) {
    std::size_t taken = 0;
    for (Tensor& tensor : graph.tensors) {
        if (tensor.role != TensorRole::Weight || tensor.state != StateKind::None)
            continue;
        const auto found = weights.find(tensor.name);
        if (found == weights.end())
            continue;
        if (found->second.elements() != tensor.elements())
            throw UserError(fmt::format("weight '{}' has shape {} where the model has {}",
                                        tensor.name, toString(found->second.shape()),
                                        toString(tensor.shape)));
        tensor.value = std::make_shared<const TensorData>(
            converted(found->second, tensor.type).reshaped(tensor.shape));
        ++taken;
    }
    return taken;
}

NamedWeights readWeights(const std::filesystem::path& file) {
    const onnx::ModelProto model = loadModel(file, true);
    NamedWeights weights;
    for (const auto& tensor : model.graph().initializer())
        try {
            weights[tensor.name()] = readTensor(tensor, file.parent_path());
        } catch (const std::invalid_argument& error) {
            throw UserError(fmt::format("{}: initialiser '{}': {}", file.string(), tensor.name(),
                                        error.what()));
        }
    return weights;
}

void checkSavable(const std::string& model, const std::filesystem::path& file) {
    if (model.ends_with(".json") && !isZooName(model))
        throw UserError(fmt::format("{}: only ONNX and built-in models can be saved with their "
                                    "weights; leave --save-model out",
                                    model));
    checkWritable(file);
}

void saveModel(const std::string& model, const RunOptions& options, const NamedWeights& weights,
               const std::filesystem::path& file) {
    onnx::ModelProto proto =
        isZooName(model) ? zooModel(model, options.model.sizes) : loadModel(model, true);
    onnx::GraphProto& graph = *proto.mutable_graph();
    std::map<std::string, onnx::TensorProto*> initialisers;
    for (auto& tensor : *graph.mutable_initializer())
        initialisers[tensor.name()] = &tensor;
    for (const auto& [name, data] : weights) {
        if (!data.isReal())
            continue;
        const auto found = initialisers.find(name);
        if (found != initialisers.end())
            setValues(*found->second, data);
        else if (!replaceView(graph, name, data))
            throw InternalError(fmt::format("weight '{}' is not in the model", name));
    }
    writeFileAtomically(file, proto.SerializeAsString());
}

} // namespace tilescope::sim
