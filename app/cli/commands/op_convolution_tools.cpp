// Convolution and pooling.
#include "app/cli/commands/conv_options.h"

namespace tilescope::cli {
namespace {

/// The default padding of one side: that of both.
const std::string asPadding = "padding";

/// Zeros on one side of the field: those of --padding unless given separately.
Numbers paddingOf(const OpArguments& a, const std::string& key, const Numbers& field) {
    return a.forEachDim(a.text(key) == asPadding ? asPadding : key, field);
}

sim::Graph convGraph(const OpArguments& a, sim::DataType) {
    sim::SingleConvLayer layer = convLayerOf(a);
    layer.bias = a.flag("bias");
    layer.passes = a.passes();
    return graphOf(layer, a.type("input-type"));
}

Tool convTool() {
    std::map<std::string, std::string> defaults = convDefaults();
    defaults.insert({{"bias", "true"}, {"single-phase", "all"}});
    Tool tool{"single_conv_layer", "Forward, backward and weight update of a convolution",
              std::move(defaults), convGraph, true};
    tool.ignored = convIgnored();
    tool.ignored.insert(
        tool.ignored.end(),
        {{"plans are those of the simulated planner",
          {"fwd-plan-constraints", "fwd-plan-constraints-file", "bwd-plan-constraints",
           "bwd-plan-constraints-file", "wu-plan-constraints", "wu-plan-constraints-file",
           "preplan", "start-tile-multiplier", "use-128bit-conv-load", "input-load-width"}},
         {"a pass has the vertices that its plan needs", {"enable-convolution-reuse"}},
         {"operands lie as their plan requires", {"use-create-input", "use-create-output"}},
         {"partial sums have the type of --partials-type on all ways",
          {"tile-partials-type", "ipu-partials-type"}},
         {"only half and float are simulated",
          {"fp8-scale-fwd", "fp8-scale-weights", "fp8-scale-bwd", "fp8-format-fwd",
           "fp8-format-weights", "fp8-format-bwd"}},
         {"no values are computed", {"fwd-in-file", "fwd-out-file", "bwd-in-file", "bwd-out-file"}},
         {"estimates are printed by --explain",
          {"test-planner", "test-planner-existing-profile", "test-planner-report-all-tiles",
           "test-planner-report-all-serial-splits", "test-planner-report-verbose",
           "test-planner-print-vars"}},
         {"all tiles compute", {"num-io-tiles", "enable-shared-structures"}}});
    tool.json = {{"convolution-options",
                  {{"availableMemoryProportion", "available-memory-proportion"},
                   {"partialsType", "partials-type"}}}};
    return tool;
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
        convTool(),
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
