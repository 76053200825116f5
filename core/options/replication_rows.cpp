// Rows of the option table: what replicas share and what lives in streaming memory.
#include <fmt/format.h>

#include "core/options/option_rows.h"

namespace tilescope {
namespace {

using Type = OptionSpec::Type;

// More than a POD256 has on its chips.
constexpr double mostBufferBytes = 1e12;

constexpr std::pair<OffChip, std::string_view> offChipNames[] = {
    {OffChip::Optimizer, "optimizer"},
    {OffChip::Activations, "activations"},
    {OffChip::Weights, "weights"},
};

OffChip offChipFrom(const OptionSpec& self, std::string_view text) {
    std::string names;
    for (const auto& [what, name] : offChipNames) {
        if (text == name)
            return what;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    }
    throw OptionError(self.key, fmt::format("'{}' is none of {}", text, names));
}

/// "optimizer,activations"
OptionSpec offloadRow() {
    return with(
        row(OptionTopic::MemoryAndPlanning, "offload", "--offload", Type::Text, "",
            "what lives in streaming memory and comes to the chip while it is needed: optimizer, "
            "activations, weights, with commas between them"),
        [](const OptionSpec& self, RunOptions& options, const std::string& value) {
            options.offload.clear();
            for (std::size_t from = 0; from <= value.size() && !value.empty();) {
                const std::size_t comma = std::min(value.find(',', from), value.size());
                options.offload.insert(
                    offChipFrom(self, std::string_view(value).substr(from, comma - from)));
                from = comma + 1;
            }
        },
        [](const RunOptions& options) {
            std::string text;
            for (const auto& [what, name] : offChipNames)
                if (options.isOffChip(what))
                    text += fmt::format("{}{}", text.empty() ? "" : ",", name);
            return text;
        });
}

} // namespace

std::vector<OptionSpec> replicationRows() {
    return {
        offloadRow(),
        switchRow(row(OptionTopic::Replicas, "replicatedTensorSharding",
                      "--replicated-tensor-sharding", Type::Flag, "off",
                      "spread optimizer state over the replicas, a shard each", {"on", "off"}),
                  &RunOptions::replicatedTensorSharding),
        integerRow(row(OptionTopic::Replicas, "maxCrossReplicaBufferSize",
                       "--max-cross-replica-buffer-size", Type::Integer, "0",
                       "bytes of gradients that wait to be summed over the replicas together; 0: "
                       "each gradient by itself"),
                   {0, mostBufferBytes}, &RunOptions::maxCrossReplicaBufferSize),
    };
}

} // namespace tilescope
