#include "simulator/zoo/zoo.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "simulator/zoo/topologies.h"

namespace tilescope::sim {

namespace {

struct Topology {
    ZooEntry entry;
    onnx::ModelProto (*build)(const ZooSettings&);
};

ZooOption sizeOption(const std::string& key, std::int64_t standard, std::int64_t most) {
    return {key, std::to_string(standard), 1, most, {}};
}

const std::vector<Topology>& topologies() {
    // Sequences are at most as long as the position embedding; more layers than in any published
    // variant are allowed, up to a depth that can only be a mistake.
    constexpr std::int64_t mostLayers = 1024;
    const ZooOption bertHead{"head", "mlm", 0, 0, {"mlm", "squad"}};
    // Graphcore's PopART examples leave the biases of attention out unless requested.
    const ZooOption attentionBias{"attentionBias", "on", 0, 0, {"on", "off"}};
    // As in Graphcore's PopART examples; off: one dense layer for all three.
    const ZooOption splitQkv{"splitQkv", "off", 0, 0, {"on", "off"}};
    // As PopART's examples write it; as TensorFlow exports it, whose mask is of pairs of tokens;
    // the same with an operation for each normalisation and GELU, as PopRT's patterns make them.
    const ZooOption graph{"graph", "popart", 0, 0, {"popart", "tensorflow", "poprt"}};
    // half: all but normalisations and GELU, as PopRT's examples convert it.
    const ZooOption store{"store", "float", 0, 0, {"float", "half"}};
    // As in Graphcore's submissions to MLPerf: several sequences a sample, which do not attend to
    // each other; a tenth of what each part adds is dropped.
    const ZooOption packed{"packed", "off", 0, 0, {"on", "off"}};
    const ZooOption dropout{"dropout", "off", 0, 0, {"on", "off"}};
    const ZooOption bertSequence = sizeOption("sequenceLength", 128, 512);
    // Positions of a sample that the masked-language-model head computes; 0: all.
    const ZooOption bertMasked{"maskedTokens", "0", 0, 512, {}};
    // Submissions pad the 30,522 words of the published models to whole groups of channels.
    const ZooOption bertWords = sizeOption("vocabulary", 30522, 1 << 20);
    const ZooOption norm{"norm", "batch", 0, 0, {"batch", "group", "proxy"}};
    static const std::vector<Topology> table{
        {{"mlp", "multilayer perceptron 784-512-512-10", "[N,784]", {}}, zooMlp},
        {{"mnist-cnn",
          "two convolutions and two dense layers in blocks B1 to B4",
          "[N,1,28,28]",
          {}},
         zooMnistCnn},
        {{"mnist-tutorial",
          "the network of the PopTorch tutorials, in blocks B1 to B4",
          "[N,1,28,28]",
          {}},
         zooMnistTutorial},
        {{"plain-plus-transposed",
          "a sum whose second operand is transposed: strided copies",
          "[N,768,768]",
          {}},
         zooPlainPlusTransposed},
        {{"transposed-plus-plain",
          "the same sum with its operands reversed: no copies",
          "[N,768,768]",
          {}},
         zooTransposedPlusPlain},
        {{"resnet50", "ResNet-50 v1.5 as in torchvision", "[N,3,224,224]", {norm}}, zooResNet50},
        {{"resnext50_32x4d", "ResNeXt-50 32x4d as in torchvision", "[N,3,224,224]", {norm}},
         zooResNext50},
        {{"resnext101_32x8d", "ResNeXt-101 32x8d as in torchvision", "[N,3,224,224]", {norm}},
         zooResNext101},
        {{"efficientnet",
          "EfficientNet as in torchvision, 224 to 380 pixels wide by variant",
          "[N,3,224,224]",
          {{"variant", "b0", 0, 0, {"b0", "b1", "b2", "b3", "b4"}}}},
         zooEfficientNet},
        {{"bert-base",
          "BERT-Base, hidden size 768, with a masked-language-model or SQuAD head",
          "[N,sequenceLength]",
          {bertSequence, sizeOption("layers", 12, mostLayers), bertHead, attentionBias, bertMasked,
           splitQkv, graph, store, packed, dropout, bertWords}},
         zooBertBase},
        {{"bert-large",
          "BERT-Large, hidden size 1024, with a masked-language-model or SQuAD head",
          "[N,sequenceLength]",
          {bertSequence, sizeOption("layers", 24, mostLayers), bertHead, attentionBias, bertMasked,
           splitQkv, graph, store, packed, dropout, bertWords}},
         zooBertLarge},
        {{"gpt2-small",
          "GPT-2 small, hidden size 768, with the language-model head",
          "[N,sequenceLength]",
          {sizeOption("sequenceLength", 128, 1024), sizeOption("layers", 12, mostLayers)}},
         zooGpt2Small},
        {{"vit-base",
          "ViT-B/16 as in torchvision, hidden size 768",
          "[N,3,224,224]",
          {sizeOption("layers", 12, mostLayers)}},
         zooVitBase},
        {{"vit-so400m",
          "SoViT-400m/14 of 378 pixels as SigLIP's image tower, hidden size 1152, no head",
          "[N,3,378,378]",
          {sizeOption("layers", 27, mostLayers)}},
         zooVitSo400m},
    };
    return table;
}

const Topology* find(std::string_view name) {
    const auto at = std::find_if(topologies().begin(), topologies().end(),
                                 [&](const Topology& t) { return t.entry.name == name; });
    return at == topologies().end() ? nullptr : &*at;
}

bool takes(const ZooOption& option, const std::string& value) {
    if (!option.choices.empty())
        return std::find(option.choices.begin(), option.choices.end(), value) !=
               option.choices.end();
    std::int64_t size = 0;
    const char* end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, size);
    return error == std::errc() && rest == end && size >= option.least && size <= option.most;
}

/// What was given over the defaults of the model.
ZooSettings settingsOf(const ZooEntry& entry, const ZooOptions& given) {
    std::map<std::string, std::string> values;
    std::vector<std::string> keys;
    for (const ZooOption& option : entry.options) {
        values[option.key] = option.defaultValue;
        keys.push_back(option.key);
    }
    for (const auto& [key, value] : given) {
        const auto option =
            std::find_if(entry.options.begin(), entry.options.end(),
                         [&wanted = key](const ZooOption& o) { return o.key == wanted; });
        if (option == entry.options.end())
            throw UserError(
                keys.empty()
                    ? fmt::format("model '{}' has no options; leave '{}' out", entry.name, key)
                    : fmt::format("model '{}' has no option '{}'.{} Its options are {}", entry.name,
                                  key, didYouMean(key, keys), fmt::join(keys, ", ")));
        if (!takes(*option, value))
            throw UserError(fmt::format("model '{}', option {}: '{}' is not one of {}", entry.name,
                                        key, value, option->values()));
        values[key] = value;
    }
    return ZooSettings(std::move(values));
}

} // namespace

const std::vector<ZooEntry>& zooEntries() {
    static const std::vector<ZooEntry> entries = [] {
        std::vector<ZooEntry> all;
        for (const Topology& topology : topologies())
            all.push_back(topology.entry);
        return all;
    }();
    return entries;
}

bool isZooName(std::string_view name) {
    return find(name) != nullptr;
}

std::string ZooOption::values() const {
    return choices.empty() ? fmt::format("{} to {} [{}]", least, most, defaultValue)
                           : fmt::format("{} [{}]", fmt::join(choices, "|"), defaultValue);
}

onnx::ModelProto zooModel(std::string_view name, const ZooOptions& options) {
    if (const Topology* topology = find(name))
        return topology->build(settingsOf(topology->entry, options));
    std::vector<std::string> names;
    for (const ZooEntry& entry : zooEntries())
        names.push_back(entry.name);
    throw UserError(fmt::format("there is no built-in model '{}'.{} The built-in models are {}",
                                name, didYouMean(name, names), fmt::join(names, ", ")));
}

void exportZooModel(std::string_view name, const ZooOptions& options,
                    const std::filesystem::path& file) {
    writeFileAtomically(file, zooModel(name, options).SerializeAsString());
}

} // namespace tilescope::sim
