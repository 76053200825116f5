// Convolutions that are planned together.
#include <charconv>

#include <fmt/format.h>

#include "app/cli/commands/op_tools.h"
#include "core/base/error.h"

namespace tilescope::cli {
namespace {

/// A share from 0 to 1.
double share(const OpArguments& a, const std::string& key) {
    const std::string& text = a.text(key);
    double value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1))
        throw UserError(fmt::format("--{}: '{}' is not a number from 0 to 1", key, text));
    return value;
}

sim::MultiConv optionsOf(const OpArguments& a) {
    sim::MultiConv options;
    options.parallel = a.oneOf("plan-type", {"parallel", "serial"}) == "parallel";
    options.reservedTiles = a.number("per-conv-reserved-tiles");
    options.cycleBackOff = share(a, "cycle-back-off");
    return options;
}

/// The arguments of each convolution: values separated by ';', or one for all.
std::vector<OpArguments> argumentsByPart(const OpArguments& a) {
    std::vector<OpArguments> parts;
    for (const auto& [key, text] : a.values) {
        std::vector<std::string> values{""};
        for (const char c : text)
            if (c == ';')
                values.emplace_back();
            else
                values.back() += c;
        if (values.size() == 1)
            continue;
        if (!parts.empty() && parts.size() != values.size())
            throw UserError(fmt::format("--{}: {} values for {} convolutions", key, values.size(),
                                        parts.size()));
        parts.resize(values.size(), a);
        for (std::size_t i = 0; i < values.size(); ++i)
            parts[i].values[key] = values[i];
    }
    if (parts.empty())
        throw UserError(
            "multi_conv: only one convolution is given; separate the values of several with ';', "
            "such as --output-channels '64;32'");
    return parts;
}

sim::SingleConvLayer layerOf(const OpArguments& a) {
    sim::SingleConvLayer layer;
    layer.field = a.list("field");
    layer.kernel = a.forEachDim("kernel-size", layer.field);
    layer.stride = a.forEachDim("stride", layer.field);
    layer.dilation = a.forEachDim("kernel-dilation", layer.field);
    layer.paddingLower = a.forEachDim("padding", layer.field);
    layer.paddingUpper = layer.paddingLower;
    layer.batchSize = a.number("batch-size");
    layer.groups = a.number("conv-groups");
    layer.inputChannels = a.number("input-channels") * layer.groups;
    layer.outputChannels = a.number("output-channels") * layer.groups;
    layer.inferenceOnly = a.inferenceOnly;
    return layer;
}

sim::Graph multiConvGraph(const OpArguments& a, sim::DataType type) {
    sim::MultiConvTool tool;
    for (const OpArguments& part : argumentsByPart(a))
        tool.parts.push_back(layerOf(part));
    tool.options = optionsOf(a);
    return graphOf(tool, type);
}

sim::Graph octaveGraph(const OpArguments& a, sim::DataType type) {
    sim::OctaveConvTool tool;
    tool.field = a.list("field");
    tool.kernel = a.number("kernel-size");
    tool.inputChannels = a.number("input-channels");
    tool.outputChannels = a.number("output-channels");
    tool.batchSize = a.number("batch-size");
    tool.alpha = share(a, "alpha");
    tool.options = optionsOf(a);
    return graphOf(tool, type);
}

std::map<std::string, std::string> withPlanOptions(std::map<std::string, std::string> defaults) {
    defaults.insert(
        {{"plan-type", "parallel"}, {"per-conv-reserved-tiles", "50"}, {"cycle-back-off", "0.1"}});
    return defaults;
}

} // namespace

std::vector<Tool> multiConvTools() {
    return {
        {"multi_conv",
         "Forward, backward and weight update of convolutions that are planned together, on tiles "
         "of their own; their values are separated by ';'",
         withPlanOptions({{"field", ""},
                          {"kernel-size", ""},
                          {"stride", "1"},
                          {"padding", "0"},
                          {"kernel-dilation", "1"},
                          {"input-channels", ""},
                          {"output-channels", ""},
                          {"batch-size", "1"},
                          {"conv-groups", "1"}}),
         multiConvGraph, true},
        {"octave_conv",
         "Forward pass of an octave convolution: a share of the channels has half the resolution",
         withPlanOptions({{"field", ""},
                          {"kernel-size", "3"},
                          {"input-channels", ""},
                          {"output-channels", ""},
                          {"batch-size", "1"},
                          {"alpha", "0.25"}}),
         octaveGraph, true},
    };
}

} // namespace tilescope::cli
