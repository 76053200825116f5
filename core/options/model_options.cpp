#include "core/options/model_options.h"

#include <fmt/format.h>

#include "core/options/option_rows.h"

namespace tilescope {
namespace {

constexpr RowsOf model(OptionTopic::ModelAndEngine, &RunOptions::model);

OptionSpec precisionRow() {
    constexpr RowsOf numbers(OptionTopic::Numbers, &RunOptions::model);
    return numbers.own(
        "precision", OptionSpec::Type::Choice,
        "element type of the model's floating-point tensors; by default as in the model",
        [](const OptionSpec& self, ModelOptions& options, const std::string& value) {
            options.precision =
                choiceValue(self, value) == "half" ? Precision::Half : Precision::Float;
        },
        [](const ModelOptions& options) -> std::string {
            return !options.precision                      ? ""
                   : *options.precision == Precision::Half ? "half"
                                                           : "float";
        },
        {"float", "half"});
}

/// "sequenceLength=384,head=squad", or the same as a JSON object.
OptionSpec sizesRow() {
    OptionSpec made = model.own(
        "modelOptions", OptionSpec::Type::Pairs,
        "size or variant of a built-in model (see 'tilescope models'), KEY=VALUE; may be given "
        "several times",
        [](const OptionSpec& self, ModelOptions& options, const std::string& value) {
            for (const auto& [key, text] : pairsValue(self, value))
                options.sizes[key] = text;
        },
        [](const ModelOptions& options) { return pairsText(options.sizes); });
    made.flag = "--model-option";
    return made;
}

} // namespace

std::vector<OptionSpec> modelRows() {
    return {
        precisionRow(),
        model.flag("foldBatchNorm", &ModelOptions::foldBatchNorm,
                   "fold batch normalisations into the convolutions before them, as PopRT does for "
                   "inference; PopART keeps them"),
        sizesRow(),
        model.text("customOperations", &ModelOptions::customOperations,
                   "JSON file that declares operations of other domains: layouts of operands, "
                   "cycles and bytes as formulas, vertex class",
                   [](const OptionSpec& self, const std::string& value) {
                       if (!value.empty() && !value.ends_with(".json"))
                           throw OptionError(
                               self.key,
                               fmt::format(
                                   "'{}' is not a .json file; give one that declares operations",
                                   value));
                   }),
    };
}

void checkModel(const RunOptions& options) {
    refuse(options.isTraining() && options.model.foldBatchNorm, "foldBatchNorm",
           "training normalises by the statistics of its batches; leave it out");
}

} // namespace tilescope
