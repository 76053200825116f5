#include "core/options/outline_options.h"

#include "core/options/option_rows.h"

namespace tilescope {
namespace {

constexpr RowsOf outline(OptionTopic::Functions, &RunOptions::outline);

OptionSpec withFunctions(OptionSpec row) {
    return std::move(row).needing(
        [](const RunOptions& options) { return options.outline.enabled; },
        "nothing becomes a function with --outline off; leave one of them out");
}

} // namespace

std::vector<OptionSpec> outlineRows() {
    // More than all operations of any model together.
    constexpr double mostThreshold = 1e9;
    return {
        outline
            .toggle("outline", &OutlineOptions::enabled,
                    "turn repeated parts of the model into functions")
            .knownAs({{Face::PopartSession, "enableOutlining"},
                      {Face::Keras, "optimizations.enable_graph_outlining"}}),
        withFunctions(outline
                          .number("outlineThreshold", &OutlineOptions::threshold,
                                  {0, mostThreshold},
                                  "least value of a function in addition to those within it: a "
                                  "convolution or matmul counts 1000, other operations 0.1")
                          .knownAs({{Face::PopartSession, "outlineThreshold"}})),
        withFunctions(
            outline
                .toggle("outlineCopyCostPruning", &OutlineOptions::copyCostPruning,
                        "leave operations out of functions whose copies cost more than they save")
                .knownAs({{Face::PopartSession, "enableOutliningCopyCostPruning"}})),
    };
}

} // namespace tilescope
