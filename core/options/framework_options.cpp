#include "core/options/framework_options.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>

#include "core/options/run_options.h"

namespace tilescope {
namespace {

bool isIn(const std::vector<Framework>& frameworks, Framework one) {
    return std::find(frameworks.begin(), frameworks.end(), one) != frameworks.end();
}

/// "popart, poptorch and poplar".
std::string others(const std::vector<Framework>& lacking) {
    std::vector<std::string_view> names;
    for (const Framework framework : valuesUpTo<Framework::Poplar>)
        if (!isIn(lacking, framework))
            names.push_back(toString(framework));
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
    return text;
}

OptionNeed needOf(const OptionSpec& spec, const FrameworkLack& lack) {
    return {[get = spec.get, &lack](const RunOptions& options) {
                return !isIn(lack.frameworks, options.host.framework) ||
                       (!lack.value.empty() && get(options) != lack.value);
            },
            fmt::format("of the frameworks only {} have {}; leave it out, or add --framework {}",
                        others(lack.frameworks),
                        lack.value.empty() ? "it" : fmt::format("'{}'", lack.value),
                        toString(Framework::Popart))};
}

} // namespace

std::span<const FrameworkLack> frameworkLacks() {
    // TensorFlow's Poplar backend makes a function of equal operations, without a value that they
    // must have, recomputes what pipelines do not keep and has no phases
    // (tensorflow/compiler/plugin/ poplar; IPUConfig). PopART and PopTorch recompute by type and
    // run phases (popart/sessionoptions .hpp). Batch normalisations are folded by PopRT and by
    // exporters of ONNX models, which PopART then reads; PopTorch traces the modules as they are.
    using enum Framework;
    static const std::array<FrameworkLack, 5> table{{
        {"outlineThreshold", "", {Tensorflow, Keras}},
        {"outlineCopyCostPruning", "", {Tensorflow, Keras}},
        {"execution", "phased", {Tensorflow, Keras}},
        {"recompute", "norm-only", {Tensorflow, Keras}},
        {"foldBatchNorm", "", {Poptorch, Tensorflow, Keras}},
    }};
    return table;
}

void addFrameworkNeeds(std::vector<OptionSpec>& table) {
    for (const FrameworkLack& lack : frameworkLacks())
        for (OptionSpec& spec : table)
            if (spec.key == lack.key)
                spec.needs.push_back(needOf(spec, lack));
}

} // namespace tilescope
