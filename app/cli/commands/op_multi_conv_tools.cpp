// Convolutions that are planned together.
#include <array>
#include <boost/json.hpp>
#include <fmt/format.h>

#include "app/cli/commands/conv_options.h"
#include "core/base/error.h"

namespace tilescope::cli {
namespace {

/// A share from 0 to 1.
double share(const OpArguments& a, const std::string& key) {
    const double value = a.real(key);
    if (!(value >= 0 && value <= 1))
        throw UserError(fmt::format("--{}: '{}' is not a number from 0 to 1", key, a.text(key)));
    return value;
}

sim::MultiConv optionsOf(const OpArguments& a) {
    sim::MultiConv options;
    options.parallel = a.oneOf("plan-type", {"parallel", "serial"}) == "parallel";
    options.reservedTiles = a.number("per-conv-reserved-tiles");
    options.cycleBackOff = share(a, "cycle-back-off");
    return options;
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> values{""};
    for (const char c : text)
        if (c == ';')
            values.emplace_back();
        else
            values.back() += c;
    return values;
}

/// The arguments of each convolution: values separated by ';', or one for all.
std::vector<OpArguments> argumentsByPart(const OpArguments& a) {
    std::vector<OpArguments> parts;
    for (const auto& [key, text] : a.values) {
        const std::vector<std::string> values = split(text);
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
        throw UserError("multi_conv_layer: only one convolution is given; separate the values of "
                        "several with ';', such as --output-channels '64;32', or repeat --conv");
    return parts;
}

/// The members of poplin::ConvParams as JSON, and the arguments that they are.
struct JsonMember {
    const char *object, *member, *argument; ///< object "": the outermost
};
constexpr auto convMembers = std::to_array<JsonMember>({
    {"", "dataType", "input-type"},
    {"", "inputType", "input-type"},
    {"", "batchSize", "batch-size"},
    {"", "numConvGroups", "conv-groups"},
    {"", "inputChannelsPerConvGroup", "input-channels"},
    {"", "outputChannelsPerConvGroup", "output-channels"},
    {"", "inputFieldShape", "field"},
    {"", "kernelShape", "kernel-size"},
    {"inputTransform", "truncationLower", "truncation-lower"},
    {"inputTransform", "truncationUpper", "truncation-upper"},
    {"inputTransform", "dilation", "in-dilation"},
    {"inputTransform", "paddingLower", "padding-lower"},
    {"inputTransform", "paddingUpper", "padding-upper"},
    {"kernelTransform", "truncationLower", "kernel-truncation-lower"},
    {"kernelTransform", "truncationUpper", "kernel-truncation-upper"},
    {"kernelTransform", "dilation", "kernel-dilation"},
    {"kernelTransform", "paddingLower", "kernel-padding-lower"},
    {"kernelTransform", "paddingUpper", "kernel-padding-upper"},
    {"outputTransform", "truncationLower", "output-truncation-lower"},
    {"outputTransform", "truncationUpper", "output-truncation-upper"},
    {"outputTransform", "stride", "stride"},
});

/// A number, or an array of numbers or of texts that are numbers.
std::string argumentText(const boost::json::value& value) {
    if (value.is_string())
        return std::string(value.get_string());
    if (!value.is_array())
        return boost::json::serialize(value);
    std::string text;
    for (const boost::json::value& element : value.get_array())
        text += (text.empty() ? "" : ",") + argumentText(element);
    return text;
}

OpArguments argumentsOf(const std::string& conv, const OpArguments& common) {
    boost::system::error_code error;
    const boost::json::value parsed = boost::json::parse(conv, error);
    if (error || !parsed.is_object())
        throw UserError(fmt::format("--conv: '{}' is not a JSON object", conv));
    OpArguments a = common;
    for (const auto& [object, member, argument] : convMembers) {
        const boost::json::value* in = &parsed;
        if (*object != '\0')
            in = parsed.get_object().if_contains(object);
        if (in == nullptr || !in->is_object())
            continue;
        if (const boost::json::value* value = in->get_object().if_contains(member))
            a.values.at(argument) = argumentText(*value);
    }
    return a;
}

sim::Graph multiConvGraph(const OpArguments& a, sim::DataType) {
    sim::MultiConvTool tool;
    std::vector<OpArguments> parts;
    if (a.text("conv") != notGiven) {
        for (const std::string& conv : split(a.text("conv")))
            parts.push_back(argumentsOf(conv, a));
        const bool backward = a.flag("bwd");
        tool.passes = {!backward, backward, false};
    } else {
        parts = argumentsByPart(a);
        tool.passes = a.passes();
    }
    for (const OpArguments& part : parts) {
        for (const char* needed : {"field", "input-channels", "output-channels"})
            if (part.text(needed) == notGiven)
                throw UserError(fmt::format("--{} is required, or --conv", needed));
        tool.parts.push_back(convLayerOf(part));
    }
    tool.options = optionsOf(a);
    return graphOf(tool, parts.front().type("input-type"));
}

sim::Graph octaveGraph(const OpArguments& a, sim::DataType) {
    sim::OctaveConvTool tool;
    tool.whole = convLayerOf(a);
    tool.whole.passes = a.passes();
    const auto shareOf = [&](const char* key) {
        return share(a, a.text(key) == "alpha" ? "alpha" : key);
    };
    tool.alphaIn = shareOf("alpha-in");
    tool.alphaOut = shareOf("alpha-out");
    tool.options = optionsOf(a);
    return graphOf(tool, a.type("input-type"));
}

std::map<std::string, std::string> with(std::map<std::string, std::string> defaults,
                                        const std::map<std::string, std::string>& others) {
    for (const auto& [key, value] : others)
        defaults[key] = value;
    return defaults;
}

/// Arguments of convolutions that are planned together (poplin::multiconv's options).
std::map<std::string, std::string> jointDefaults() {
    return with(convDefaults(), {{"single-phase", "all"},
                                 {"plan-type", "parallel"},
                                 {"per-conv-reserved-tiles", "50"},
                                 {"cycle-back-off", "0.1"}});
}

const std::map<std::string, std::string> jointKeys{
    {"planType", "plan-type"},
    {"perConvReservedTiles", "per-conv-reserved-tiles"},
    {"cycleBackOff", "cycle-back-off"},
    {"availableMemoryProportion", "available-memory-proportion"},
    {"partialsType", "partials-type"}};

} // namespace

std::vector<Tool> multiConvTools() {
    Tool multi{"multi_conv_layer",
               "Forward, backward and weight update of convolutions that are planned together, on "
               "tiles of their own; their values are separated by ';', or each is a --conv",
               with(jointDefaults(), {{"field", notGiven},
                                      {"input-channels", notGiven},
                                      {"output-channels", notGiven},
                                      {"conv", notGiven},
                                      {"bwd", "false"}}),
               multiConvGraph, true};
    multi.ignored = convIgnored();
    multi.ignored.push_back(
        {"a pass has the vertices that its plan needs", {"enable-convolution-reuse"}});
    multi.json = {{"options", jointKeys}};
    multi.repeatable = {"conv"};
    multi.alias = "multi_conv";
    Tool octave{
        "oct_conv_layer",
        "Forward, backward and weight update of an octave convolution: shares of the "
        "channels have half the resolution",
        with(jointDefaults(), {{"alpha", "1"}, {"alpha-in", "alpha"}, {"alpha-out", "alpha"}}),
        octaveGraph, true};
    octave.ignored = convIgnored();
    octave.ignored.push_back({"a pool has one plan", {"pool-optimize-for-speed"}});
    octave.json = {{"options", jointKeys}};
    octave.alias = "octave_conv";
    return {std::move(multi), std::move(octave)};
}

} // namespace tilescope::cli
