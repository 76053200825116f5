#include "simulator/frontend/keras/keras.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>

#include "core/base/suggest.h"
#include "simulator/frontend/keras/emitter.h"

namespace tilescope::sim {
namespace {

using Tensors = std::vector<KerasTensor>;

/// Layers whose operands are images: a model that has one keeps its image inputs with channels
/// first.
bool takesImages(const KerasModel& model) {
    return std::any_of(model.layers.begin(), model.layers.end(), [](const KerasLayer& layer) {
        return layer.type.find("Conv") != std::string::npos ||
               layer.type.find("Pooling") != std::string::npos ||
               (!layer.nested.empty() && takesImages(layer.nested[0]));
    });
}

bool hasEmbedding(const KerasModel& model, std::size_t input) {
    for (const KerasLayer& layer : model.layers)
        for (const KerasCall& call : layer.calls)
            for (const KerasSource& source : call.inputs)
                if (source.layer == input &&
                    (layer.type == "Embedding" ||
                     (!layer.nested.empty() &&
                      hasEmbedding(layer.nested[0], layer.nested[0].inputs[0].layer))))
                    return true;
    return false;
}

class KerasImporter {
public:
    explicit KerasImporter(std::string origin, const KerasModel& model)
        : origin_(std::move(origin))
        , builder_(model.name.empty() ? "keras" : model.name)
        , images_(takesImages(model)) {}

    onnx::ModelProto run(const KerasModel& model) {
        Tensors inputs;
        for (const KerasSource& source : model.inputs)
            inputs.push_back(declareInput(model, source.layer));
        std::vector<std::pair<std::string, Shape>> outputs;
        for (KerasTensor& x : convert(model, "", inputs, -1)) {
            // The caller gets results in Keras's order.
            if (!x.padding.empty() || x.channelsFirst)
                x = lastStep(model, x);
            outputs.emplace_back(x.value, x.shape);
        }
        onnx::ModelProto result = builder_.finishAs(outputs);
        if (batch_ > 0)
            fixBatch(result);
        return result;
    }

private:
    KerasTensor declareInput(const KerasModel& model, std::size_t index) {
        const KerasLayer& layer = model.layers[index];
        if (layer.type != "InputLayer")
            throw UserError(
                fmt::format("{}: layer '{}' ({}) is named as an input but is not an InputLayer",
                            origin_, layer.name, layer.type));
        const LayerReader reader(origin_, layer);
        const std::string_view key =
            reader.has("batch_shape") ? "batch_shape" : "batch_input_shape";
        KerasTensor x{layer.name, reader.batchShape(key)};
        const std::int64_t batch = reader.batchOf(key);
        if (batch > 0 && batch_ > 0 && batch != batch_)
            throw reader.keyError(
                key, fmt::format("has a batch of {}, but another input of {}", batch, batch_));
        batch_ = std::max(batch_, batch);
        constexpr std::size_t imageRank = 3;
        if (x.shape.empty())
            throw reader.keyError(key, "has no size after the batch");
        if (hasEmbedding(model, index) ||
            reader.text("dtype", "float32").find("int") != std::string::npos) {
            builder_.addIndices(x.value, x.shape);
            return x;
        }
        x.channelsFirst = images_ && x.shape.size() >= imageRank && !modelHasChannelsFirst(model);
        Shape stored = x.shape;
        if (x.channelsFirst)
            std::rotate(stored.begin(), stored.end() - 1, stored.end());
        builder_.addInput(x.value, stored);
        return x;
    }

    static bool modelHasChannelsFirst(const KerasModel& model) {
        return std::any_of(model.layers.begin(), model.layers.end(), [](const KerasLayer& layer) {
            const auto* format = layer.config.if_contains("data_format");
            return (format != nullptr && format->is_string() &&
                    format->get_string() == "channels_first") ||
                   (!layer.nested.empty() && modelHasChannelsFirst(layer.nested[0]));
        });
    }

    KerasTensor lastStep(const KerasModel& model, const KerasTensor& x) {
        KerasLayer layer;
        layer.name = model.name + "_output";
        const LayerReader reader(origin_, layer);
        return KerasEmitter(builder_, weights_, reader, layer.name, 0, -1).asKeras(x);
    }

    /// Results of a model for given inputs. Calls run as soon as their operands are available.
    Tensors convert(const KerasModel& model, const std::string& path, const Tensors& inputs,
                    int stage) {
        std::vector<std::vector<std::optional<Tensors>>> made(model.layers.size());
        for (std::size_t i = 0; i < model.layers.size(); ++i)
            made[i].resize(model.layers[i].calls.size());
        for (std::size_t i = 0; i < model.inputs.size(); ++i)
            made[model.inputs[i].layer].at(0) = Tensors{inputs.at(i)};
        for (bool progress = true; progress;) {
            progress = false;
            for (std::size_t i = 0; i < model.layers.size(); ++i)
                for (std::size_t call = 0; call < made[i].size(); ++call) {
                    if (made[i][call] || model.layers[i].type == "InputLayer")
                        continue;
                    const std::optional<Tensors> operands =
                        operandsOf(model, model.layers[i].calls[call], made);
                    if (!operands)
                        continue;
                    made[i][call] = convertCall(model.layers[i], call, path, *operands, stage);
                    progress = true;
                }
        }
        Tensors outputs;
        for (const KerasSource& source : model.outputs)
            outputs.push_back(result(model, source, made));
        return outputs;
    }

    using Made = std::vector<std::vector<std::optional<Tensors>>>;

    KerasTensor result(const KerasModel& model, const KerasSource& source, const Made& made) const {
        const KerasLayer& layer = model.layers[source.layer];
        const std::optional<Tensors>& tensors = made[source.layer][source.call];
        if (!tensors)
            throw UserError(fmt::format(
                "{}: layer '{}' ({}) waits for itself: the model's layers form a cycle, or an "
                "input is not among input_layers",
                origin_, layer.name, layer.type));
        if (source.tensor >= tensors->size())
            throw UserError(fmt::format("{}: result {} of layer '{}' ({}) is used, but it has {}",
                                        origin_, source.tensor, layer.name, layer.type,
                                        tensors->size()));
        return (*tensors)[source.tensor];
    }

    std::optional<Tensors> operandsOf(const KerasModel& model, const KerasCall& call,
                                      const Made& made) const {
        Tensors operands;
        for (const KerasSource& source : call.inputs) {
            if (!made[source.layer][source.call])
                return std::nullopt;
            operands.push_back(result(model, source, made));
        }
        return operands;
    }

    Tensors convertCall(const KerasLayer& layer, std::size_t call, const std::string& path,
                        const Tensors& operands, int outerStage) {
        const LayerReader reader(origin_, layer);
        if (operands.empty())
            throw reader.error("it is called without a tensor");
        const std::string name = path.empty() ? layer.name : path + "/" + layer.name;
        const int stage = layer.calls[call].stage >= 0 ? layer.calls[call].stage : outerStage;
        if (!layer.nested.empty()) {
            if (operands.size() != layer.nested[0].inputs.size())
                throw reader.error(fmt::format("it is called on {} tensors and has {} inputs",
                                               operands.size(), layer.nested[0].inputs.size()));
            return convert(layer.nested[0], call == 0 ? name : fmt::format("{}_{}", name, call),
                           operands, stage);
        }
        const auto found = kerasConversions().find(layer.type);
        if (found == kerasConversions().end())
            throw reader.error(
                fmt::format("layers of this class are not supported.{} The classes are {}",
                            didYouMean(layer.type, supportedKerasLayers()),
                            fmt::join(supportedKerasLayers(), ", ")));
        KerasEmitter emitter(builder_, weights_, reader, name, call, stage);
        return found->second(emitter, operands);
    }

    void fixBatch(onnx::ModelProto& model) const {
        for (auto* values :
             {model.mutable_graph()->mutable_input(), model.mutable_graph()->mutable_output()})
            for (auto& value : *values)
                value.mutable_type()
                    ->mutable_tensor_type()
                    ->mutable_shape()
                    ->mutable_dim(0)
                    ->set_dim_value(batch_);
    }

    std::string origin_;
    ZooBuilder builder_;
    std::set<std::string> weights_;
    bool images_;
    std::int64_t batch_ = 0; ///< fixed by the file; 0: open
};

} // namespace

onnx::ModelProto kerasAsOnnx(std::string_view text, const std::string& origin) {
    const KerasModel model = parseKerasModel(text, origin);
    return KerasImporter(origin, model).run(model);
}

Graph importKeras(std::string_view text, const std::string& origin, const ImportOptions& options,
                  const AdjustModel& adjust) {
    const KerasModel model = parseKerasModel(text, origin);
    onnx::ModelProto proto = KerasImporter(origin, model).run(model);
    if (adjust)
        adjust(proto);
    Graph graph = importOnnx(std::move(proto), origin, options);
    if (model.loss.empty())
        return graph;
    if (const auto loss = lossFunctionFrom(model.loss))
        graph.loss = *loss;
    else
        graph.messages.push_back(
            {Severity::Warning,
             fmt::format("the loss '{}' of compile_config is not known: training uses another; "
                         "choose it with --loss",
                         model.loss)});
    return graph;
}

std::vector<std::string> supportedKerasLayers() {
    std::vector<std::string> names{"Functional", "InputLayer", "Sequential"};
    for (const auto& [name, conversion] : kerasConversions())
        names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace tilescope::sim
