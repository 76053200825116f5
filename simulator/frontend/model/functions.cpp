// Operators that are defined by others: functions of the model, and those of ONNX's own operators
// whose definition has a body.
#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "simulator/frontend/model/prepare.h"

namespace tilescope::sim {

namespace {

std::string keyOf(const std::string& domain, const std::string& type) {
    return domain.empty() || domain == "ai.onnx" ? type : domain + "." + type;
}

class Inliner {
public:
    Inliner(onnx::ModelProto& model, const std::vector<std::string>& supported)
        : model_(model)
        , supported_(supported) {
        for (const auto& set : model.opset_import())
            if (keyOf(set.domain(), "").empty())
                opset_ = static_cast<int>(set.version());
        for (const auto& function : model.functions())
            own_[keyOf(function.domain(), function.name())] = &function;
    }

    void run() {
        const bool any = std::any_of(model_.graph().node().begin(), model_.graph().node().end(),
                                     [&](const auto& node) { return bodyOf(node) != nullptr; });
        if (!any)
            return;
        google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
        nodes.Swap(model_.mutable_graph()->mutable_node());
        for (const auto& node : nodes)
            add(node, 0);
    }

private:
    /// The body that replaces a node; none for an operator that is converted as it is or has no
    /// definition.
    const onnx::FunctionProto* bodyOf(const onnx::NodeProto& node) const {
        const std::string key = keyOf(node.domain(), node.op_type());
        if (const auto own = own_.find(key); own != own_.end())
            return own->second;
        if (key != node.op_type() || opset_ < 1 ||
            std::binary_search(supported_.begin(), supported_.end(), key))
            return nullptr;
        const auto* schema =
            onnx::OpSchemaRegistry::Schema(node.op_type(), opset_, onnx::ONNX_DOMAIN);
        if (schema == nullptr || !schema->HasFunction())
            return nullptr;
        const onnx::FunctionProto* body = schema->GetFunction();
        return isOfSameSet(*body) ? body : nullptr;
    }

    /// A body was written for an older operator set: its operators must not have changed since.
    bool isOfSameSet(const onnx::FunctionProto& body) const {
        int written = opset_;
        for (const auto& set : body.opset_import())
            if (keyOf(set.domain(), "").empty())
                written = static_cast<int>(set.version());
        return std::all_of(body.node().begin(), body.node().end(), [&](const auto& node) {
            const auto* then =
                onnx::OpSchemaRegistry::Schema(node.op_type(), written, onnx::ONNX_DOMAIN);
            const auto* now =
                onnx::OpSchemaRegistry::Schema(node.op_type(), opset_, onnx::ONNX_DOMAIN);
            return then != nullptr && now != nullptr && then->SinceVersion() == now->SinceVersion();
        });
    }

    void add(const onnx::NodeProto& node, int depth) {
        constexpr int deepest = 64;
        // Functions that call others twice double the calls with every level, even if few are
        // left in the end. A call that stays is refused like any unknown operator.
        constexpr int mostNodes = 1 << 20;
        constexpr int mostCalls = 1 << 16;
        const onnx::FunctionProto* body = bodyOf(node);
        if (body == nullptr || depth == deepest || model_.graph().node_size() > mostNodes ||
            ++calls_ > mostCalls) {
            *model_.mutable_graph()->add_node() = node;
            return;
        }
        const std::string name = nameOf(node);
        std::unordered_map<std::string, std::string> values{{"", ""}};
        for (int i = 0; i < body->input_size(); ++i)
            values[body->input(i)] = i < node.input_size() ? node.input(i) : "";
        for (int i = 0; i < body->output_size(); ++i)
            values[body->output(i)] = i < node.output_size() && !node.output(i).empty()
                                          ? node.output(i)
                                          : fmt::format("{}/{}", name, body->output(i));
        const auto renamed = [&](const std::string& value) {
            return values.try_emplace(value, fmt::format("{}/{}", name, value)).first->second;
        };
        for (const auto& inner : body->node()) {
            onnx::NodeProto copy = inner;
            copy.set_name(fmt::format("{}/{}", name, nameOf(inner)));
            for (auto& value : *copy.mutable_input())
                value = renamed(value);
            for (auto& value : *copy.mutable_output())
                value = renamed(value);
            giveAttributes(copy, node);
            add(copy, depth + 1);
        }
    }

    static std::string nameOf(const onnx::NodeProto& node) {
        if (!node.name().empty())
            return node.name();
        return node.output_size() > 0 ? node.output(0) : node.op_type();
    }

    /// Attributes that refer to the call's get its value, or the definition's default; others stay.
    /// PopART's annotations of the call apply to all of its body.
    static void giveAttributes(onnx::NodeProto& inner, const onnx::NodeProto& call) {
        google::protobuf::RepeatedPtrField<onnx::AttributeProto> given;
        given.Swap(inner.mutable_attribute());
        for (const auto& attribute : given) {
            if (attribute.ref_attr_name().empty()) {
                *inner.add_attribute() = attribute;
                continue;
            }
            if (const auto* value = valueOf(call, attribute.ref_attr_name())) {
                auto& added = *inner.add_attribute();
                added = *value;
                added.set_name(attribute.name());
            }
        }
        for (const auto& attribute : call.attribute())
            if (attribute.name().starts_with("__"))
                *inner.add_attribute() = attribute;
    }

    static const onnx::AttributeProto* valueOf(const onnx::NodeProto& call,
                                               const std::string& name) {
        for (const auto& attribute : call.attribute())
            if (attribute.name() == name)
                return &attribute;
        const auto* schema = onnx::OpSchemaRegistry::Schema(call.op_type(), call.domain());
        if (schema == nullptr)
            return nullptr;
        const auto found = schema->attributes().find(name);
        return found == schema->attributes().end() || found->second.default_value.name().empty()
                   ? nullptr
                   : &found->second.default_value;
    }

    onnx::ModelProto& model_;
    int calls_ = 0; ///< of functions, expanded up to now
    const std::vector<std::string>& supported_;
    std::map<std::string, const onnx::FunctionProto*> own_;
    int opset_ = 0;
};

} // namespace

void inlineFunctions(onnx::ModelProto& model, const std::vector<std::string>& supported) {
    Inliner(model, supported).run();
    // Nodes are replaced by these bodies, for which ONNX's checker would require operator sets.
    model.clear_functions();
}

} // namespace tilescope::sim
