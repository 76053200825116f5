// Convolution and pooling.
#include <fmt/format.h>

#include "app/cli/commands/conv_options.h"
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

Tool poolTool() {
    Tool tool{"pooling_layer",
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
               {"bwd-chans-per-group", usualGroup}},
              poolGraph};
    tool.ignored = {{"the plan is that of least cycles, by what its operands are laid out as",
                     {"optimize-for-speed", "use-introspection"}},
                    {"gradients are scaled as one step", {"use-scaled-grad"}}};
    return tool;
}

} // namespace

std::vector<Tool> convolutionTools() {
    return {convTool(), poolTool()};
}

} // namespace tilescope::cli
