// Operator sets and operators that the importer accepts or refuses.
#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/common/constants.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "simulator/frontend/model/prepare.h"

namespace tilescope::sim {

namespace {

bool isDefaultDomain(const std::string& domain) {
    return domain.empty() || domain == "ai.onnx";
}

void checkOpset(const onnx::ModelProto& model, const std::string& origin) {
    bool found = false;
    for (const auto& set : model.opset_import()) {
        if (!isDefaultDomain(set.domain()))
            continue;
        found = true;
        if (set.version() > newestOpset())
            throw UserError(fmt::format("{}: the model uses ONNX operator set {}, but the newest "
                                        "supported one is {}; export "
                                        "it again with opset_version={} or less",
                                        origin, set.version(), newestOpset(), newestOpset()));
        if (set.version() < 1)
            throw UserError(
                fmt::format("{}: operator set {} does not exist; export the model again", origin,
                            set.version()));
    }
    // A model of foreign operators only is refused with their names instead.
    const bool foreign = std::all_of(model.graph().node().begin(), model.graph().node().end(),
                                     [](const auto& n) { return !isDefaultDomain(n.domain()); });
    if (!found && !foreign)
        throw UserError(fmt::format("{}: the model does not state which ONNX operator set it uses; "
                                    "export it again",
                                    origin));
}

std::string nodeName(const onnx::NodeProto& node) {
    if (!node.name().empty() || node.output_size() == 0)
        return node.name();
    return node.output(0);
}

std::string hintFor(const std::string& op) {
    static const std::unordered_map<std::string, std::string> hints{
        {"Loop", "control flow is not simulated; unroll it before the export"},
        {"Scan", "control flow is not simulated; unroll it before the export"},
        {"If", "control flow is not simulated; export one branch"},
        {"NonMaxSuppression", "how many boxes it keeps is only known at run time"},
        {"Unique", "how many values it finds is only known at run time"},
        {"StringNormalizer", "the IPU has no strings"},
        {"TfIdfVectorizer", "how texts are read is not simulated"},
        {"SequenceConstruct", "sequences are not simulated; use tensors"},
        {"SequenceEmpty", "sequences are not simulated; use tensors"},
        {"SequenceInsert", "sequences are not simulated; use tensors"},
        {"SequenceMap", "sequences are not simulated; use tensors"},
        {"SplitToSequence", "sequences are not simulated; use Split"},
        {"OptionalHasElement", "optional values are not simulated; use tensors"},
        {"OptionalGetElement", "optional values are not simulated; use tensors"},
    };
    const auto at = hints.find(op);
    return at == hints.end() ? "" : ": " + at->second;
}

void checkSupported(const onnx::ModelProto& model, const std::string& origin,
                    const std::vector<std::string>& supported) {
    std::map<std::string, std::string> refused;
    for (const auto& node : model.graph().node()) {
        const std::string op = isDefaultDomain(node.domain())
                                   ? node.op_type()
                                   : fmt::format("{}.{}", node.domain(), node.op_type());
        if (std::binary_search(supported.begin(), supported.end(), op))
            continue;
        refused.try_emplace(op, nodeName(node));
    }
    if (refused.empty())
        return;
    std::vector<std::string> lines;
    for (const auto& [op, node] : refused)
        lines.push_back(fmt::format("{} (first in node '{}'{})", op, node, hintFor(op)));
    throw UserError(fmt::format(
        "{}: {} not supported: {}; replace {} or cut the model before. "
        "Supported operators: {}",
        origin, lines.size() == 1 ? "this operator is" : "these operators are",
        fmt::join(lines, ", "), lines.size() == 1 ? "it" : "them", fmt::join(supported, ", ")));
}

} // namespace

void removeDeadNodes(onnx::ModelProto& model) {
    auto& graph = *model.mutable_graph();
    std::unordered_map<std::string, int> makers;
    for (int i = 0; i < graph.node_size(); ++i) {
        for (const auto& output : graph.node(i).output())
            makers.try_emplace(output, i);
    }
    std::vector<std::string> wanted;
    for (const auto& output : graph.output())
        wanted.push_back(output.name());
    for (const auto& node : graph.node())
        if (node.domain() == graphcoreDomain && node.op_type() == variableUpdateOperator)
            wanted.push_back(node.output(0));
    std::vector<bool> alive(static_cast<std::size_t>(graph.node_size()));
    while (!wanted.empty()) {
        const auto maker = makers.find(wanted.back());
        wanted.pop_back();
        if (maker == makers.end() || alive[static_cast<std::size_t>(maker->second)])
            continue;
        alive[static_cast<std::size_t>(maker->second)] = true;
        for (const auto& input : graph.node(maker->second).input())
            wanted.push_back(input);
    }
    int kept = 0;
    for (int i = 0; i < graph.node_size(); ++i) {
        // A node with subgraphs is refused later, whatever its branches read.
        if (alive[static_cast<std::size_t>(i)])
            graph.mutable_node()->SwapElements(kept++, i);
    }
    graph.mutable_node()->DeleteSubrange(kept, graph.node_size() - kept);
}

void checkOperators(onnx::ModelProto& model, const std::string& origin,
                    const std::vector<std::string>& supported,
                    std::vector<GraphMessage>& messages) {
    if (!model.has_graph())
        throw UserError(fmt::format("{}: the model has no graph; export it again", origin));
    readNewerOpset(model, origin, messages);
    checkOpset(model, origin);
    checkSupported(model, origin, supported);
    if (model.ir_version() > onnx::Version::IR_VERSION) {
        messages.push_back(
            {Severity::Info,
             fmt::format("IR version {} is newer than the known {}; it is read as {}",
                         model.ir_version(), static_cast<int>(onnx::IR_VERSION),
                         static_cast<int>(onnx::IR_VERSION))});
        model.set_ir_version(onnx::Version::IR_VERSION);
    }
}

} // namespace tilescope::sim
