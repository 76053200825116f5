// Convolution and pooling.
#include <fmt/format.h>

#include "app/cli/commands/op_tools.h"
#include "core/base/error.h"

namespace tilescope::cli {
namespace {

/// The default padding of one side: that of both.
const std::string asPadding = "padding";

/// Channel groups of 16 where they divide the channels.
const std::string usualGroup = "auto";

/// Zeros on one side of the field: those of --padding unless given separately.
Numbers paddingOf(const OpArguments& a, const std::string& key, const Numbers& field) {
    return a.forEachDim(a.text(key) == asPadding ? asPadding : key, field);
}

sim::Graph convGraph(const OpArguments& a, sim::DataType type) {
    sim::SingleConvLayer layer;
    layer.field = a.list("field");
    layer.kernel = a.forEachDim("kernel-size", layer.field);
    layer.stride = a.forEachDim("stride", layer.field);
    layer.dilation = a.forEachDim("kernel-dilation", layer.field);
    layer.paddingLower = paddingOf(a, "padding-lower", layer.field);
    layer.paddingUpper = paddingOf(a, "padding-upper", layer.field);
    layer.inputChannels = a.number("input-channels");
    layer.outputChannels = a.number("output-channels");
    layer.batchSize = a.number("batch-size");
    layer.groups = a.number("conv-groups");
    layer.bias = a.flag("bias");
    layer.inferenceOnly = a.inferenceOnly;
    // The tool's channels are those of one group.
    layer.inputChannels *= layer.groups;
    layer.outputChannels *= layer.groups;
    return graphOf(layer, type);
}

/// Channels of a group, which have to divide all; by default 16 if they do.
std::int64_t groupOf(const OpArguments& a, const std::string& key, std::int64_t channels) {
    constexpr std::int64_t usual = 16;
    if (a.text(key) == usualGroup)
        return channels % usual == 0 ? usual : 1;
    const std::int64_t group = a.number(key);
    if (group < 1 || channels % group != 0)
        throw UserError(
            fmt::format("--{}: {} channels are not whole groups of {}", key, channels, group));
    return group;
}

sim::Graph poolGraph(const OpArguments& a, sim::DataType type) {
    sim::PoolingLayer layer;
    layer.field = a.list("field");
    layer.kernel = a.forEachDim("kernel-size", layer.field);
    layer.stride = a.forEachDim("stride", layer.field);
    layer.paddingLower = paddingOf(a, "padding-lower", layer.field);
    layer.paddingUpper = paddingOf(a, "padding-upper", layer.field);
    layer.inferenceOnly = a.inferenceOnly;
    layer.channels = a.number("channels");
    layer.batchSize = a.number("batch-size");
    layer.forwardGroup = groupOf(a, "fwd-chans-per-group", layer.channels);
    layer.backwardGroup = groupOf(a, "bwd-chans-per-group", layer.channels);
    const std::string& kind = a.oneOf("pooling-type", {"max", "avg", "sum"});
    layer.kind = kind == "max"   ? sim::PoolKind::Max
                 : kind == "avg" ? sim::PoolKind::Average
                                 : sim::PoolKind::Sum;
    return graphOf(layer, type);
}

} // namespace

std::vector<Tool> convolutionTools() {
    return {
        {"single_conv_layer",
         "Forward, backward and weight update of a convolution",
         {{"field", ""},
          {"kernel-size", ""},
          {"stride", "1"},
          {"padding", "0"},
          {"padding-lower", asPadding},
          {"padding-upper", asPadding},
          {"kernel-dilation", "1"},
          {"input-channels", ""},
          {"output-channels", ""},
          {"batch-size", "1"},
          {"conv-groups", "1"},
          {"bias", "true"}},
         convGraph,
         true},
        {"pooling_layer",
         "Forward and backward pooling",
         {{"field", ""},
          {"kernel-size", ""},
          {"stride", "1"},
          {"padding", "0"},
          {"padding-lower", asPadding},
          {"padding-upper", asPadding},
          {"channels", ""},
          {"batch-size", "1"},
          {"pooling-type", "max"},
          {"fwd-chans-per-group", usualGroup},
          {"bwd-chans-per-group", usualGroup},
          {"optimize-for-speed", "false"},
          {"use-introspection", "true"},
          {"use-scaled-grad", "false"}},
         poolGraph},
    };
}

} // namespace tilescope::cli
