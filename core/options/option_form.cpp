#include "core/options/option_form.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/options/option_limits.h"
#include "core/options/option_values.h"

namespace tilescope {
namespace {

std::vector<OptionGroup> namedGroups() {
    return {
        {"Machine", {"target", "ipus", "replicas", "tilesPerIpu", "ipuModel"}},
        {"Batch and run", {"mode", "batchSize", "gradientAccumulation", "deviceIterations"}},
        {"Host",
         {"ioTiles", "exchangeStrategy", "prefetchDepth", "inputType", "hostRate", "instances"}},
        {"Numbers", {"precision", "partialsType"}},
        {"Memory and planning",
         {"availableMemoryProportion", "availableMemoryProportionByOperation", "relaxMemoryTarget",
          "inputMapping", "recompute", "checkpoint", "offload"}},
        {"Replicas", {"replicatedTensorSharding", "maxCrossReplicaBufferSize"}},
        {"Several IPUs",
         {"execution", "schedule", "split", "deviceMapping", "phases", "phaseStages",
          "phaseSchedule"}},
        {"Functions", {"outline", "outlineThreshold", "outlineCopyCostPruning"}},
        {"Training",
         {"optimizer", "accumulationReduction", "accumulationType", "optimizerStateType",
          "lossScaling"}},
        {"Model and engine", {"modelOptions", "engineOptions"}},
    };
}

std::vector<OptionGroup> makeGroups() {
    std::vector<OptionGroup> groups;
    std::vector<std::string> placed;
    for (OptionGroup group : namedGroups()) {
        std::erase_if(group.keys,
                      [](const std::string& key) { return findOption(key) == nullptr; });
        placed.insert(placed.end(), group.keys.begin(), group.keys.end());
        if (!group.keys.empty())
            groups.push_back(std::move(group));
    }
    OptionGroup more{"More", {}};
    for (const OptionSpec& spec : runOptionTable())
        if (std::find(placed.begin(), placed.end(), spec.key) == placed.end())
            more.keys.push_back(spec.key);
    if (!more.keys.empty())
        groups.push_back(std::move(more));
    return groups;
}

} // namespace

const std::vector<OptionGroup>& optionGroups() {
    static const std::vector<OptionGroup> groups = makeGroups();
    return groups;
}

std::optional<OptionRange> optionRange(std::string_view key, const RunOptions& options) {
    if (key == "batchSize")
        return OptionRange{1, limits::mostBatch};
    if (key == "ipus")
        return OptionRange{1, limits::mostIpus};
    if (key == "gradientAccumulation" || key == "deviceIterations")
        return OptionRange{1, limits::mostIterations};
    if (key == "phases")
        return OptionRange{1, limits::mostPhases};
    if (key == "phaseStages")
        return OptionRange{1, limits::mostPhaseStages};
    if (key == "prefetchDepth")
        return OptionRange{1, limits::mostPrefetchDepth};
    if (key == "ioTiles")
        return OptionRange{0, limits::mostIoTiles};
    if (key == "hostRate")
        return OptionRange{0, limits::mostSamplesPerSecond};
    if (key == "instances")
        return OptionRange{1, limits::mostIpus};
    if (key == "tilesPerIpu")
        return OptionRange{limits::leastTiles,
                           static_cast<double>(targetPreset(options.target.name).tilesPerIpu)};
    if (key == "availableMemoryProportion")
        return OptionRange{0, 1};
    if (key == "outlineThreshold")
        return OptionRange{0, limits::mostOutlineThreshold};
    if (key == "lossScaling")
        return OptionRange{limits::leastLossScaling, limits::mostLossScaling};
    return std::nullopt;
}

const OptionSpec* findOption(std::string_view key) {
    for (const OptionSpec& spec : runOptionTable())
        if (spec.key == key)
            return &spec;
    return nullptr;
}

std::string optionProblem(const OptionSpec& spec, const RunOptions& others,
                          const std::string& value) {
    try {
        RunOptions scratch = others;
        spec.set(scratch, value);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

std::string optionOfError(std::string_view error) {
    constexpr std::string_view word = "option ";
    const std::size_t at = error.find(word);
    if (at == std::string_view::npos)
        return "";
    const std::string_view rest = error.substr(at + word.size());
    const std::string_view key = rest.substr(0, rest.find_first_of(" :"));
    return findOption(key) == nullptr ? "" : std::string(key);
}

} // namespace tilescope
