#include "core/options/memory_options.h"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "core/options/option_rows.h"

namespace tilescope {
namespace {

constexpr RowsOf memory(OptionTopic::MemoryAndPlanning, &RunOptions::memory);

constexpr auto offChipNames = std::to_array<std::pair<OffChip, std::string_view>>({
    {OffChip::Optimizer, "optimizer"},
    {OffChip::Activations, "activations"},
    {OffChip::Weights, "weights"},
});

OffChip offChipFrom(const OptionSpec& self, std::string_view text) {
    std::string names;
    for (const auto& [what, name] : offChipNames) {
        if (text == name)
            return what;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    throw OptionError(self.key, fmt::format("'{}' is not one of {}", text, names));
}

/// "optimizer,activations"
OptionSpec offloadRow() {
    return memory
        .own(
            "offload", OptionSpec::Type::Text,
            "data kept in streaming memory and brought to the chip only while needed: optimizer, "
            "activations, weights, separated by commas",
            [](const OptionSpec& self, MemoryOptions& options, const std::string& value) {
                options.offload.clear();
                if (!value.empty())
                    for (const std::string& part : splitAt(value, ','))
                        options.offload.insert(offChipFrom(self, part));
            },
            [](const MemoryOptions& options) {
                std::string text;
                for (const auto& [what, name] : offChipNames)
                    if (options.isOffChip(what))
                        text += fmt::format("{}{}", text.empty() ? "" : ",", name);
                return text;
            })
        .knownAs({{Face::PopTorch, "TensorLocations.setOptimizerLocation"},
                  {Face::PopTorch, "TensorLocations.setActivationLocation"},
                  {Face::PopTorch, "TensorLocations.setWeightLocation"},
                  {Face::Keras, "offload_weight_update_variables"},
                  {Face::Keras, "offload_activations"},
                  {Face::Keras, "offload_weights"}});
}

OptionSpec checkpointRow() {
    OptionSpec made =
        memory.names("checkpoint", &MemoryOptions::checkpoints,
                     "operations or scopes whose results are kept in spite of recomputation, "
                     "NAME,NAME");
    return std::move(made).needing(
        [](const RunOptions& options) { return options.memory.recompute != Recompute::None; },
        "nothing is recomputed, so everything is kept; add --recompute standard, or leave it out");
}

} // namespace

std::vector<OptionSpec> memoryRows() {
    return {
        memory
            .choice("recompute", &MemoryOptions::recompute,
                    {"none", "standard", "norm-only", "all", "pipeline"},
                    "activations to compute again in the backward pass")
            .knownAs({{Face::PopartSession,
                       "autoRecomputation",
                       {{"0", "none"},
                        {"1", "standard"},
                        {"2", "norm-only"},
                        {"3", "pipeline"},
                        {"4", "all"}}},
                      {Face::Keras, "allow_recompute"}})
            .needing([](const RunOptions& options) { return options.isTraining(); },
                     "inference has no backward pass to recompute for; add --mode training, or "
                     "leave it out"),
        checkpointRow(),
        offloadRow().needing(
            [](const RunOptions& options) { return !options.execution.isPhased(); },
            "phased execution keeps weights and optimizer state off the chip anyway; leave one of "
            "them out"),
    };
}

void checkMemory(const RunOptions& options) {
    const MemoryOptions& memory = options.memory;
    refuse(memory.recompute == Recompute::Pipeline && !options.execution.isPipelined(), "recompute",
           "'pipeline' recomputes between the stages of a pipeline; add --execution pipelined, or "
           "choose 'standard'");
    refuse(memory.isOffChip(OffChip::Optimizer) && !hasOptimizerState(options), "offload",
           "there is no optimizer state; add --mode training with --optimizer momentum, adam, "
           "adamw, lamb or lars, or leave 'optimizer' out");
    refuse(memory.isOffChip(OffChip::Activations) && !options.isTraining(), "offload",
           "inference keeps no activations for later; add --mode training, or leave 'activations' "
           "out");
}

} // namespace tilescope
