// Convolution and pooling.
#include "app/cli/commands/op_tools.h"

namespace tilescope::cli {
namespace {

/// The default padding of one side: that of both.
const std::string asPadding = "padding";

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
    layer.kind = a.text("pooling-type") == "avg" ? sim::PoolKind::Average : sim::PoolKind::Max;
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
          {"pooling-type", "max"}},
         poolGraph},
    };
}

} // namespace tilescope::cli
