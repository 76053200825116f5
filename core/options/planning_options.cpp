#include "core/options/planning_options.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "core/options/option_rows.h"

namespace tilescope {
namespace {

constexpr RowsOf planning(OptionTopic::MemoryAndPlanning, &RunOptions::planning);
constexpr OptionRange proportionBounds{0, 1};

/// "0.6", "ipu0=0.3" or "ipu0=0.3,ipu1=0.5"; a bare number among them is for the other IPUs.
void setProportion(const OptionSpec& self, RunOptions& options, const std::string& value) {
    for (const std::string& part : splitAt(value, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos) {
            options.planning.availableMemoryProportion = numberValue(self, part, proportionBounds);
            continue;
        }
        const std::string ipu = part.substr(0, equals);
        if (!ipu.starts_with("ipu"))
            throw OptionError(
                self.key, fmt::format("'{}' is not X or ipuN=X, such as 0.6 or ipu0=0.6", part));
        const std::int64_t number =
            integerValue(self, ipu.substr(3), {0, options.machine.target.ipus - 1.0});
        options.planning.availableMemoryProportionByIpu[static_cast<std::int32_t>(number)] =
            numberValue(self, part.substr(equals + 1), proportionBounds);
    }
}

std::string proportionText(const RunOptions& options) {
    std::string text = numberText(options.planning.availableMemoryProportion);
    for (const auto& [ipu, proportion] : options.planning.availableMemoryProportionByIpu)
        text += fmt::format(",ipu{}={}", ipu, numberText(proportion));
    return text;
}

OptionSpec proportionRow() {
    return bounded(
        ownRow(OptionTopic::MemoryAndPlanning, "availableMemoryProportion",
               OptionSpec::Type::Proportion,
               "share of a tile's memory for temporary data of a convolution or matmul, "
               "0 to 1; X, or ipu0=X,ipu1=Y",
               setProportion, proportionText)
            .knownAs({{Face::PopTorch, "setAvailableMemoryProportion"},
                      {Face::PopartSession, "convolutionOptions.availableMemoryProportion"},
                      {Face::Keras, "convolutions.poplar_options.availableMemoryProportion"}}),
        proportionBounds);
}

/// {"name": 0.3, ...}; replaces what was set before.
void setProportionByOperation(const OptionSpec& self, PlanningOptions& options,
                              const std::string& value) {
    const boost::json::value parsed = parseJson(value, "option " + optionName(self.key));
    const boost::json::object* object = parsed.if_object();
    if (object == nullptr)
        throw OptionError(self.key, "a JSON object of operation names and numbers from 0 to 1 is "
                                    "needed, such as {\"layer1/conv\": 0.3}");
    options.availableMemoryProportionByOperation.clear();
    for (const auto& [name, proportion] : *object)
        options.availableMemoryProportionByOperation[std::string(name)] =
            numberValue(self, optionText(proportion, false), proportionBounds);
}

std::string proportionByOperationText(const PlanningOptions& options) {
    if (options.availableMemoryProportionByOperation.empty())
        return "";
    boost::json::object object;
    for (const auto& [name, proportion] : options.availableMemoryProportionByOperation)
        object[name] = proportion;
    return boost::json::serialize(object);
}

OptionSpec inputMappingRow() {
    return planning.own(
        "inputMapping", OptionSpec::Type::Choice,
        "how inputs and weights are mapped to tiles: as their first user prefers, or linearly",
        [](const OptionSpec& self, PlanningOptions& options, const std::string& value) {
            options.linearInputs = choiceValue(self, value) == "linear";
        },
        [](const PlanningOptions& options) {
            return std::string(options.linearInputs ? "linear" : "by-use");
        },
        {"by-use", "linear"});
}

void checkProportion(double proportion) {
    if (!(proportion >= proportionBounds.least && proportion <= proportionBounds.most))
        throw OptionError("availableMemoryProportion",
                          fmt::format("{} is not a number from 0 to 1", proportion));
}

} // namespace

double PlanningOptions::memoryProportion(IpuId ipu) const {
    const auto found = availableMemoryProportionByIpu.find(ipu.value());
    return found == availableMemoryProportionByIpu.end() ? availableMemoryProportion
                                                         : found->second;
}

std::vector<OptionSpec> planningRows() {
    constexpr RowsOf numbers(OptionTopic::Numbers, &RunOptions::planning);
    return {
        numbers
            .choice("partialsType", &PlanningOptions::partialsType, {"float", "half"},
                    "element type of partial sums of convolutions and matmuls")
            .knownAs({{Face::PopTorch, "Precision.setPartialsType"},
                      {Face::PopartSession, "partialsTypeMatMuls"},
                      {Face::PopartSession, "convolutionOptions.partialsType"},
                      {Face::Keras, "convolutions.poplar_options.partialsType"}}),
        proportionRow(),
        planning.own("availableMemoryProportionByOperation", OptionSpec::Type::Json,
                     "the same for single operations, a JSON object of names and numbers; has "
                     "precedence over the attribute __available_memory of an ONNX node",
                     setProportionByOperation, proportionByOperationText),
        planning.toggle("relaxMemoryTarget", &PlanningOptions::relaxMemoryTarget,
                        "if no plan fits the available memory proportion, double it until one does "
                        "instead of planning for least memory"),
        inputMappingRow(),
    };
}

void checkPlanning(const RunOptions& options) {
    const PlanningOptions& planning = options.planning;
    checkProportion(planning.availableMemoryProportion);
    for (const auto& [name, proportion] : planning.availableMemoryProportionByOperation)
        checkProportion(proportion);
    const std::int32_t ipus = options.machine.target.ipus;
    for (const auto& [ipu, proportion] : planning.availableMemoryProportionByIpu) {
        checkProportion(proportion);
        if (ipu < 0 || ipu >= ipus)
            throw OptionError("availableMemoryProportion",
                              fmt::format("there is no ipu{}, the target has {}", ipu, ipus));
    }
}

} // namespace tilescope
