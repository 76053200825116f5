#include "core/analysis/insights/losses.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/analysis/insights/loss_split.h"
#include "core/analysis/insights/remedies.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

constexpr std::size_t shownPlaces = 5;
// Losses below this share of the run are not worth a remedy.
constexpr double worthARemedy = 0.005;

/// The report that shows the places of a kind.
const char* reportOf(LossKind kind) {
    switch (kind) {
    case LossKind::Compute:
    case LossKind::Utilisation:
    case LossKind::TileImbalance:
    case LossKind::Copies:
    case LossKind::Exchange:
        return "operations";
    case LossKind::GlobalExchange:
    case LossKind::Host:
    case LossKind::StreamingMemory:
    case LossKind::Sync:
    case LossKind::Idle:
        return "trace";
    case LossKind::Bubbles:
    case LossKind::StageImbalance:
        return "pipeline";
    case LossKind::Memory:
        break;
    }
    return "memory";
}

/// "Most on IPU 1: 1,865,600 cycles", where IPUs differ.
std::string whereMost(const Loss& loss) {
    const auto most = std::max_element(loss.byIpu.begin(), loss.byIpu.end());
    const auto least = std::min_element(loss.byIpu.begin(), loss.byIpu.end());
    if (loss.byIpu.size() < 2 || *most == *least)
        return {};
    return fmt::format(" Most on IPU {}: {}.", most - loss.byIpu.begin(), formatCycles(*most));
}

/// The largest gain first; among those without a known gain, remedies with a value.
void sortByGain(std::vector<Advice>& remedies) {
    std::stable_sort(remedies.begin(), remedies.end(), [](const Advice& a, const Advice& b) {
        return std::pair(a.gain, !a.value.empty()) > std::pair(b.gain, !b.value.empty());
    });
}

Loss lossOf(const Facts& p, const LossSplit& split, LossKind kind) {
    Loss loss;
    loss.kind = kind;
    for (const LossCycles& cycles : split.ipus)
        loss.byIpu.push_back(cycles[static_cast<std::size_t>(kind)]);
    loss.cycles = split.mean(kind);
    loss.share = p.run()->share(loss.cycles);
    const std::vector<LossPlace>& places = split.places[static_cast<std::size_t>(kind)];
    loss.places.assign(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(
                                                            std::min(shownPlaces, places.size())));
    if (!places.empty())
        loss.place = places.front().path;
    // The place is the one that the others wait for, not those that wait.
    if (const std::int32_t longest = p.pipeline().longestStage;
        kind == LossKind::StageImbalance && longest >= 0)
        loss.place = fmt::format("stage {}", longest);
    loss.link.report = reportOf(kind);
    if (!places.empty())
        loss.link.things.operation = places.front().operation;
    Remedies remedies;
    if (loss.share >= worthARemedy)
        remedies = remediesFor(p, kind, loss.cycles);
    loss.remedies = std::move(remedies.advice);
    sortByGain(loss.remedies);
    loss.flopsKnown = p.info().has(ProfilePart::Flops);
    loss.cause = std::string(kind == LossKind::Utilisation && !loss.flopsKnown
                                 ? "Tiles compute. How well their matrix units are used is not "
                                   "known."
                                 : meaningOf(kind)) +
                 whereMost(loss);
    if (!remedies.reason.empty())
        loss.cause += " " + remedies.reason;
    return loss;
}

std::optional<Loss> memoryLoss(const Facts& p) {
    for (const Insight& insight : findFit(p)) {
        if (insight.level != InsightLevel::Problem || !insight.link.things.tile().valid())
            continue;
        Loss loss;
        loss.kind = LossKind::Memory;
        const std::int32_t tile = insight.link.things.tile().value();
        loss.ipu = IpuId(tile / std::max(1, p.info().target.tilesPerIpu));
        loss.bytes = insight.cost.bytes;
        loss.share = insight.cost.share;
        loss.place = fmt::format("tile {}", tile);
        loss.cause = insight.title + ".";
        loss.remedies = insight.advice;
        loss.link = insight.link;
        return loss;
    }
    return std::nullopt;
}

std::vector<Loss> lossesOf(const Facts& facts) {
    std::vector<Loss> losses;
    if (facts.run()) {
        const LossSplit split = splitOf(facts);
        for (const LossKind kind : lossKinds)
            if (Loss loss = lossOf(facts, split, kind); loss.cycles > 0)
                losses.push_back(std::move(loss));
        std::stable_sort(losses.begin(), losses.end(),
                         [](const Loss& a, const Loss& b) { return a.cycles > b.cycles; });
    }
    if (std::optional<Loss> memory = memoryLoss(facts))
        losses.insert(losses.begin(), std::move(*memory));
    return losses;
}

} // namespace

std::string_view meaningOf(LossKind kind) {
    switch (kind) {
    case LossKind::Compute:
        return "Cycles of the operations' FLOPs with the matrix units of all tiles at their peak: "
               "not a loss.";
    case LossKind::Utilisation:
        return "Tiles compute, but their matrix units are idle or not at their peak.";
    case LossKind::TileImbalance:
        return "Tiles wait for the slowest one of a compute set, or have nothing to do in it.";
    case LossKind::Copies:
        return "Compute sets that only rearrange operands into the order that an operation needs.";
    case LossKind::Exchange:
        return "Tiles of an IPU send each other operands and partial sums.";
    case LossKind::GlobalExchange:
        return "IPUs copy to each other, or wait while others do.";
    case LossKind::Host:
        return "Copies with the host during which nothing else runs, and waits for those of other "
               "IPUs.";
    case LossKind::StreamingMemory:
        return "Copies with streaming memory during which nothing else runs, and waits for those "
               "of other IPUs.";
    case LossKind::Sync:
        return "Tiles and IPUs wait for each other before a step.";
    case LossKind::Bubbles:
        return "IPUs have no stage to run.";
    case LossKind::StageImbalance:
        return "IPUs wait for a longer stage of the same slot.";
    case LossKind::Idle:
        return "Nothing runs.";
    case LossKind::Memory:
        break;
    }
    return "The fullest tile does not have enough memory.";
}

std::string_view nameOf(const Loss& loss) {
    return loss.kind == LossKind::Utilisation && !loss.flopsKnown ? "Compute"
                                                                  : displayName(loss.kind);
}

std::vector<Loss> findLosses(const ProfileView& profile, const std::stop_token& stop) {
    return lossesOf(Facts(profile, stop));
}

Findings findAll(const ProfileView& profile, const std::stop_token& stop) {
    const Facts facts(profile, stop);
    return {lossesOf(facts), insightsOf(facts)};
}

std::vector<Advice> suggestionsOf(const std::vector<Loss>& losses) {
    std::vector<Advice> suggestions;
    for (const Loss& loss : losses)
        for (const Advice& advice : loss.remedies) {
            if (advice.option == Advice::model || advice.value.empty())
                continue;
            const auto known =
                std::find_if(suggestions.begin(), suggestions.end(), [&](const Advice& other) {
                    return other.option == advice.option && other.value == advice.value;
                });
            if (known == suggestions.end())
                suggestions.push_back(advice);
            else // an option may act against several losses
                known->gain += advice.gain;
        }
    return suggestions;
}

} // namespace tilescope
