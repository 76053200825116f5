#include "simulator/frontend/import.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "simulator/frontend/convert/converter.h"
#include "simulator/frontend/model/prepare.h"
#include "simulator/frontend/resolve/resolve.h"

namespace tilescope::sim {

namespace {

ResolvedModel resolve(onnx::ModelProto& model, const std::string& origin,
                      const ImportOptions& options, const std::filesystem::path& folder) {
    std::vector<GraphMessage> messages;
    removeDeadNodes(model);
    std::vector<std::string> known = supportedOperators();
    for (const auto& [name, operation] : options.customOperations)
        known.push_back(name);
    std::sort(known.begin(), known.end());
    inlineFunctions(model, known);
    checkOperators(model, origin, known, messages);
    static_cast<void>(takeSmallExternalData(model, origin, folder));
    WeightValues values;
    WeightValues* const kept = options.values ? &values : nullptr;
    NameSet weights = detachWeights(model, origin, kept, folder);
    if (options.values && options.weightSeed) {
        detachFilled(model, weights);
        initialiseWeights(model, weights, *options.weightSeed, values);
    }
    if (!options.builtIn)
        checkModel(model, origin);
    const auto batch = setBatch(model, weights, origin, options, messages);
    ResolvedModel resolved = resolveModel(model, origin, weights, batch, options, kept);
    resolved.messages.insert(resolved.messages.begin(), messages.begin(), messages.end());
    removeIdentities(resolved);
    recogniseGelu(resolved);
    return resolved;
}

void convertCustom(GraphBuilder& builder, const Node& node, const CustomOperation& operation) {
    NodeConverter converter(builder, node);
    converter.result(builder.addOp(
        node, node.name, CustomAttributes{operation.inputs, operation.cost}, converter.allInputs(),
        converter.output().shape, builder.deviceType(converter.output().type)));
}

void convert(GraphBuilder& builder, const Node& node, const ImportOptions& options) {
    if (const auto declared = options.customOperations.find(node.key());
        declared != options.customOperations.end())
        return convertCustom(builder, node, declared->second);
    const auto found = conversions().find(node.key());
    if (found == conversions().end())
        throw std::invalid_argument("it is supported only where its operands are constants");
    NodeConverter converter(builder, node);
    found->second(converter);
}

Graph convertNodes(const ResolvedModel& model, const ImportOptions& options) {
    try {
        GraphBuilder builder(model, options);
        for (const Node& node : model.nodes) {
            try {
                convert(builder, node, options);
            } catch (const std::invalid_argument& error) {
                throw UserError(fmt::format("{}: node '{}' ({}): {}", model.origin, node.name,
                                            node.type, error.what()));
            }
        }
        return builder.finish();
    } catch (const std::invalid_argument& error) {
        throw UserError(fmt::format("{}: {}", model.origin, error.what()));
    }
}

/// Inputs that the host sends; old models list their weights, too.
std::vector<std::string> inputNames(const onnx::ModelProto& model) {
    NameSet weights;
    for (const auto& initializer : model.graph().initializer())
        weights.insert(initializer.name());
    std::vector<std::string> names;
    for (const auto& input : model.graph().input())
        if (!weights.contains(input.name()))
            names.push_back(input.name());
    return names;
}

Graph importIn(const std::filesystem::path& folder, onnx::ModelProto& model,
               const std::string& origin, const ImportOptions& options) {
    return convertNodes(resolve(model, origin, options, folder), options);
}

} // namespace

Graph importOnnx(const std::filesystem::path& file, const ImportOptions& options) {
    onnx::ModelProto model = loadModel(file, options.values);
    std::vector<GraphMessage> given;
    std::vector<std::string> inputs = inputNames(model);
    takeGivenValues(model, file, given);
    Graph graph = importIn(file.parent_path(), model, file.string(), options);
    graph.messages.insert(graph.messages.begin(), given.begin(), given.end());
    graph.modelInputs = std::move(inputs);
    if (graph.name.empty())
        graph.name = file.stem().string();
    return graph;
}

std::string externalConstants(const std::filesystem::path& file) {
    onnx::ModelProto model = loadModel(file);
    return takeSmallExternalData(model, file.string(), file.parent_path());
}

Graph importOnnx(onnx::ModelProto model, const std::string& origin, const ImportOptions& options) {
    return importIn({}, model, origin, options);
}

std::vector<std::string> supportedOperators() {
    std::set<std::string> names{"Constant", "ConstantOfShape", "NonZero", "Range", "Shape", "Size"};
    for (const auto& [name, conversion] : conversions())
        names.insert(name);
    return {names.begin(), names.end()};
}

} // namespace tilescope::sim
