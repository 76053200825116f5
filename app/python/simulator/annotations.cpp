#include "app/python/simulator/annotations.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>
#include <set>
#include <vector>

#include "core/base/error.h"

namespace tilescope::python {
namespace {

/// The attribute of that name, created if missing; the last note wins.
onnx::AttributeProto& attributeToSet(onnx::NodeProto& node, const std::string& name) {
    for (onnx::AttributeProto& attribute : *node.mutable_attribute())
        if (attribute.name() == name)
            return attribute;
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    return attribute;
}

void setInt(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
    onnx::AttributeProto& attribute = attributeToSet(node, name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
}

void setReal(onnx::NodeProto& node, const std::string& name, float value) {
    onnx::AttributeProto& attribute = attributeToSet(node, name);
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(value);
}

const onnx::AttributeProto* attributeOf(const onnx::NodeProto& node, const std::string& name) {
    for (const auto& attribute : node.attribute())
        if (attribute.name() == name)
            return &attribute;
    return nullptr;
}

/// A path without its markers, and the number in the last marker; -1: there is none.
struct PlainPath {
    std::string name;
    std::int64_t block = -1;
};

PlainPath plainPath(const std::string& path) {
    PlainPath result;
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::size_t end = rest.find('/');
        const std::string_view part = rest.substr(0, end);
        const std::string_view separator = end == std::string_view::npos ? "" : "/";
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        if (!part.starts_with(blockMarker)) {
            result.name += part;
            result.name += separator;
            continue;
        }
        const std::string_view number = part.substr(blockMarker.size());
        std::from_chars(number.data(), number.data() + number.size(), result.block);
    }
    return result;
}

/// Renames values consistently; names stay distinct.
class ValueNames {
public:
    explicit ValueNames(const onnx::GraphProto& graph) { collect(graph); }

    void rename(std::string& name) {
        if (name.find(blockMarker) == std::string::npos || given_.contains(name))
            return;
        const auto [entry, isNew] = plain_.try_emplace(name);
        if (isNew) {
            const std::string wanted = plainPath(name).name;
            entry->second = wanted;
            for (int i = 1; !taken_.insert(entry->second).second; ++i)
                entry->second = fmt::format("{}/{}", wanted, i);
        }
        name = entry->second;
    }

private:
    void collect(const onnx::GraphProto& graph) {
        for (const auto& node : graph.node())
            for (const std::string& output : node.output())
                taken_.insert(output);
        for (const auto& input : graph.input())
            given_.insert(input.name());
        for (const auto& tensor : graph.initializer())
            given_.insert(tensor.name());
        taken_.insert(given_.begin(), given_.end());
    }

    std::map<std::string, std::string> plain_;
    std::set<std::string> taken_;
    std::set<std::string> given_; ///< inputs and parameters, named by the program
};

void placeNode(onnx::NodeProto& node, const BlockPlace& place) {
    if (place.stage >= 0)
        setInt(node, "__pipeline_stage", place.stage);
    if (place.ipu >= 0)
        setInt(node, "__ipu_number", place.ipu);
    if (place.phase >= 0)
        setInt(node, "__execution_phase", place.phase);
}

using Blocks = std::map<std::int64_t, BlockPlace>;

/// Finds the block of each node, or that of nodes before the first block.
class BlockFinder {
public:
    /// Constants have no block; they are placed where they are read.
    std::int64_t blockOf(const onnx::NodeProto& node) {
        const PlainPath path = plainPath(node.name());
        begun_ = begun_ || path.block >= 0;
        const bool isBefore = !begun_ && node.op_type() != "Constant";
        return path.block >= 0 ? path.block : isBefore ? beforeBlocks : nowhere;
    }

private:
    static constexpr std::int64_t nowhere = -2;
    bool begun_ = false;
};

/// The blocks with stages renumbered without gaps.
Blocks withoutGaps(const onnx::GraphProto& graph, Blocks blocks) {
    std::set<std::int64_t> used;
    BlockFinder finder;
    for (const auto& node : graph.node())
        if (const auto place = blocks.find(finder.blockOf(node)); place != blocks.end())
            used.insert(place->second.stage);
    used.erase(-1);
    for (auto& [number, place] : blocks)
        if (place.stage >= 0)
            place.stage = std::distance(used.begin(), used.lower_bound(place.stage));
    return blocks;
}

void placeIn(onnx::GraphProto& graph, const Blocks& blocks, ValueNames& names) {
    BlockFinder finder;
    for (auto& node : *graph.mutable_node()) {
        const auto place = blocks.find(finder.blockOf(node));
        if (place != blocks.end())
            placeNode(node, place->second);
        node.set_name(plainPath(node.name()).name);
        for (std::string& name : *node.mutable_input())
            names.rename(name);
        for (std::string& name : *node.mutable_output())
            names.rename(name);
        for (auto& attribute : *node.mutable_attribute())
            if (attribute.has_g())
                placeIn(*attribute.mutable_g(), {}, names);
    }
    for (auto* values : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
        for (auto& value : *values)
            names.rename(*value.mutable_name());
}

bool isNote(const onnx::NodeProto& node) {
    return node.domain() == noteDomain && node.op_type() == "Note" && node.input_size() == 1 &&
           node.output_size() == 1;
}

/// Nodes by the names of their outputs.
std::map<std::string, onnx::NodeProto*> makersOf(onnx::GraphProto& graph) {
    std::map<std::string, onnx::NodeProto*> makers;
    for (auto& node : *graph.mutable_node())
        for (const std::string& output : node.output())
            makers[output] = &node;
    return makers;
}

bool isProduct(const onnx::NodeProto& node) {
    const std::string& type = node.op_type();
    return type == "MatMul" || type == "Gemm" || type == "Conv" || type == "ConvTranspose";
}

/// The node that a chain of notes refers to.
onnx::NodeProto* behindNotes(onnx::NodeProto* node,
                             const std::map<std::string, onnx::NodeProto*>& makers) {
    while (isNote(*node)) {
        const auto maker = makers.find(node->input(0));
        if (maker == makers.end())
            break;
        node = maker->second;
    }
    return node;
}

/// A linear layer is a product and an addition, with views between them.
onnx::NodeProto* productBehind(onnx::NodeProto* node,
                               const std::map<std::string, onnx::NodeProto*>& makers) {
    static const std::set<std::string> passed{"Add",     "Reshape",   "Squeeze", "Unsqueeze",
                                              "Flatten", "Transpose", "Note",    "Cast"};
    onnx::NodeProto* at = node;
    while (at != nullptr && !isProduct(*at) && passed.contains(at->op_type())) {
        onnx::NodeProto* next = nullptr;
        for (const std::string& input : at->input())
            if (const auto maker = makers.find(input); maker != makers.end())
                next = maker->second;
        at = next;
    }
    return at != nullptr && isProduct(*at) ? at : node;
}

void applyNote(const onnx::NodeProto& note, const std::map<std::string, onnx::NodeProto*>& makers) {
    const auto maker = makers.find(note.input(0));
    const auto* key = attributeOf(note, "key");
    if (maker == makers.end() || key == nullptr)
        return;
    if (const auto* value = attributeOf(note, "value"))
        setReal(*productBehind(maker->second, makers), key->s(), value->f());
    if (const auto* count = attributeOf(note, "count"))
        setInt(*behindNotes(maker->second, makers), key->s(), count->i());
}

/// Makes all readers of the note read its operand. The note becomes an Identity, so that an output
/// keeps its name.
void bypass(onnx::GraphProto& graph, onnx::NodeProto& note) {
    const std::string made = note.output(0);
    const std::string read = note.input(0);
    for (auto& node : *graph.mutable_node())
        for (std::string& input : *node.mutable_input())
            if (input == made)
                input = read;
    note.clear_attribute();
    note.clear_domain();
    note.set_op_type("Identity");
}

} // namespace

void placeBlocks(onnx::ModelProto& model, const std::map<std::int64_t, BlockPlace>& blocks) {
    ValueNames names(model.graph());
    placeIn(*model.mutable_graph(), withoutGaps(model.graph(), blocks), names);
}

void applyNotes(onnx::ModelProto& model) {
    onnx::GraphProto& graph = *model.mutable_graph();
    const auto makers = makersOf(graph);
    std::vector<onnx::NodeProto*> notes;
    for (auto& node : *graph.mutable_node())
        if (isNote(node))
            notes.push_back(&node);
    for (const onnx::NodeProto* note : notes)
        applyNote(*note, makers);
    for (onnx::NodeProto* note : notes)
        bypass(graph, *note);
    auto& sets = *model.mutable_opset_import();
    for (int i = sets.size(); i-- > 0;)
        if (sets.Get(i).domain() == noteDomain)
            sets.DeleteSubrange(i, 1);
}

} // namespace tilescope::python
