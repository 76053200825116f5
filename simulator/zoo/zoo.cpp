#include "simulator/zoo/zoo.h"

#include <algorithm>

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
    onnx::ModelProto (*build)();
};

const std::vector<Topology>& topologies() {
    static const std::vector<Topology> table{
        {{"mlp", "multilayer perceptron 784-512-512-10", "[N,784]"}, zooMlp},
        {{"mnist-cnn", "two convolutions and two dense layers in blocks B1 to B4", "[N,1,28,28]"},
         zooMnistCnn},
        {{"plain-plus-transposed", "a sum whose second operand is transposed: strided copies",
          "[N,768,768]"},
         zooPlainPlusTransposed},
        {{"resnet50", "ResNet-50 v1.5 as torchvision has it, with BatchNormalization",
          "[N,3,224,224]"},
         zooResNet50},
        {{"resnext50_32x4d", "ResNeXt-50 32x4d as torchvision has it, with BatchNormalization",
          "[N,3,224,224]"},
         zooResNext50},
        {{"transposed-plus-plain", "the same sum with its operands reversed: no copies",
          "[N,768,768]"},
         zooTransposedPlusPlain},
    };
    return table;
}

const Topology* find(std::string_view name) {
    const auto at = std::find_if(topologies().begin(), topologies().end(),
                                 [&](const Topology& t) { return t.entry.name == name; });
    return at == topologies().end() ? nullptr : &*at;
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

onnx::ModelProto zooModel(std::string_view name) {
    if (const Topology* topology = find(name))
        return topology->build();
    std::vector<std::string> names;
    for (const ZooEntry& entry : zooEntries())
        names.push_back(entry.name);
    throw UserError(fmt::format("there is no built-in model '{}'.{} The built-in models are {}",
                                name, didYouMean(name, names), fmt::join(names, ", ")));
}

void exportZooModel(std::string_view name, const std::filesystem::path& file) {
    writeFileAtomically(file, zooModel(name).SerializeAsString());
}

} // namespace tilescope::sim
