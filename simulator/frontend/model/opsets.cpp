// Operator sets newer than those of the ONNX library.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "simulator/frontend/model/prepare.h"

namespace tilescope::sim {

namespace {

// This file has all changes to supported operators up to this set.
constexpr std::int64_t newestReadable = 21;

const onnx::AttributeProto* attributeOf(const onnx::NodeProto& node, const std::string& name) {
    const auto found = std::find_if(node.attribute().begin(), node.attribute().end(),
                                    [&](const auto& a) { return a.name() == name; });
    return found == node.attribute().end() ? nullptr : &*found;
}

void removeAttribute(onnx::NodeProto& node, const std::string& name) {
    auto& attributes = *node.mutable_attribute();
    for (int i = attributes.size(); i-- > 0;)
        if (attributes[i].name() == name)
            attributes.DeleteSubrange(i, 1);
}

std::vector<std::int64_t> numbersOf(const onnx::TensorProto& tensor) {
    if (tensor.int64_data_size() > 0)
        return {tensor.int64_data().begin(), tensor.int64_data().end()};
    std::vector<std::int64_t> numbers(tensor.raw_data().size() / sizeof(std::int64_t));
    std::copy_n(tensor.raw_data().data(), numbers.size() * sizeof(std::int64_t),
                reinterpret_cast<char*>(numbers.data()));
    return numbers;
}

/// Rewrites nodes for operator set 17.
class OlderSet {
public:
    OlderSet(onnx::ModelProto& model, std::int64_t version)
        : model_(model)
        , version_(version) {
        for (const auto& initializer : model.graph().initializer())
            numbers_.emplace(initializer.name(), &initializer);
        for (const auto& node : model.graph().node())
            if (const auto* value = attributeOf(node, "value");
                node.op_type() == "Constant" && value && value->has_t())
                numbers_.emplace(node.output(0), &value->t());
    }

    void run() {
        for (auto& node : *model_.mutable_graph()->mutable_node())
            if (node.domain().empty() || node.domain() == "ai.onnx")
                rewrite(node);
    }

private:
    [[noreturn]] void refuse(const onnx::NodeProto& node, const std::string& what) const {
        throw std::invalid_argument(
            fmt::format("node '{}' ({}): {}; export the model with opset_version=17",
                        node.name().empty() ? node.output(0) : node.name(), node.op_type(), what));
    }

    void rewrite(onnx::NodeProto& node) const {
        const std::string& type = node.op_type();
        // Set 13 of ReduceSum is that of 18 for all reductions: axes are an operand.
        static constexpr std::array reductions{"ReduceL1",  "ReduceL2",   "ReduceLogSum",
                                               "ReduceMax", "ReduceMean", "ReduceLogSumExp",
                                               "ReduceMin", "ReduceProd", "ReduceSumSquare"};
        if (std::find(reductions.begin(), reductions.end(), type) != reductions.end())
            axesToAttribute(node);
        else if (type == "GroupNormalization")
            toGraphcore(node);
        else if (type == "Split" && node.input_size() < 2)
            removeAttribute(node, "num_outputs");
        else if (type == "Pad" && node.input_size() > 3)
            refuse(node, fmt::format("its operand 'axes' came with operator set 18"));
        else if (type == "Resize" && (attributeOf(node, "axes") || attributeOf(node, "antialias")))
            refuse(node, "its attributes 'axes' and 'antialias' came with operator set 18");
        else if (type == "AveragePool")
            withoutDilations(node);
        else if (type == "Cast" || type == "CastLike")
            removeAttribute(node, "saturate");
    }

    void axesToAttribute(onnx::NodeProto& node) const {
        const bool noAxes = node.input_size() < 2 || node.input(1).empty();
        const auto* keepsAll = attributeOf(node, "noop_with_empty_axes");
        if (noAxes && keepsAll && keepsAll->i() != 0)
            refuse(node, "without axes and with 'noop_with_empty_axes' it does nothing");
        removeAttribute(node, "noop_with_empty_axes");
        if (noAxes)
            return;
        const auto found = numbers_.find(node.input(1));
        if (found == numbers_.end())
            refuse(node, "its operand 'axes' is computed");
        auto& axes = *node.add_attribute();
        axes.set_name("axes");
        axes.set_type(onnx::AttributeProto::INTS);
        for (const std::int64_t axis : numbersOf(*found->second))
            axes.add_ints(axis);
        node.mutable_input()->DeleteSubrange(1, 1);
    }

    /// Before set 21 a scale belonged to a group; since then, to a channel, as in PopART.
    void toGraphcore(onnx::NodeProto& node) const {
        constexpr std::int64_t firstWithChannels = 21;
        node.set_domain(graphcoreDomain);
        auto& perGroup = *node.add_attribute();
        perGroup.set_name("scale_per_group");
        perGroup.set_type(onnx::AttributeProto::INT);
        perGroup.set_i(version_ < firstWithChannels ? 1 : 0);
    }

    void withoutDilations(onnx::NodeProto& node) const {
        if (const auto* dilations = attributeOf(node, "dilations"))
            for (const std::int64_t dilation : dilations->ints())
                if (dilation != 1)
                    refuse(node, "its attribute 'dilations' came with operator set 19");
        removeAttribute(node, "dilations");
    }

    onnx::ModelProto& model_;
    std::int64_t version_;
    std::unordered_map<std::string, const onnx::TensorProto*> numbers_;
};

void importDomain(onnx::ModelProto& model) {
    for (const auto& set : model.opset_import())
        if (set.domain() == graphcoreDomain)
            return;
    auto& set = *model.add_opset_import();
    set.set_domain(graphcoreDomain);
    set.set_version(1);
}

} // namespace

std::int64_t newestOpset() {
    return newestReadable;
}

void readNewerOpset(onnx::ModelProto& model, const std::string& origin,
                    std::vector<GraphMessage>& messages) {
    const std::int64_t known =
        onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at(onnx::ONNX_DOMAIN).second;
    for (auto& set : *model.mutable_opset_import()) {
        const bool standard = set.domain().empty() || set.domain() == "ai.onnx";
        if (!standard || set.version() <= known || set.version() > newestReadable)
            continue;
        try {
            OlderSet(model, set.version()).run();
        } catch (const std::invalid_argument& error) {
            throw UserError(fmt::format("{}: {}", origin, error.what()));
        }
        messages.push_back(
            {Severity::Info, fmt::format("operator set {} is read by the definitions of {}",
                                         set.version(), known)});
        set.set_version(known);
        importDomain(model);
        return;
    }
}

} // namespace tilescope::sim
