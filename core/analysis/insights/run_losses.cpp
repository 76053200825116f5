#include "core/analysis/insights/run_losses.h"

#include "core/analysis/insights/loss_split.h"

namespace tilescope {

std::optional<RunLosses> runLosses(const ProfileView& profile, const std::stop_token& stop) {
    const Facts facts(profile, stop);
    if (!facts.run())
        return std::nullopt;
    const LossSplit split = splitOf(facts);
    RunLosses losses;
    losses.cycles = facts.accounting().totals().cycles;
    const LossCycles mean = split.mean();
    for (std::size_t kind = 0; kind < lossKinds.size(); ++kind) {
        losses.byKind[kind] = static_cast<double>(mean[kind]);
        if (!split.places[kind].empty())
            losses.places[kind] = split.places[kind].front().path;
    }
    return losses;
}

} // namespace tilescope
