#include "core/analysis/compare/waterfall.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/analysis/compare/comparison.h"

namespace tilescope {
namespace {

// Steps that are a smaller share of all changes, in absolute terms, are folded.
constexpr double leastShown = 0.01;

/// Losses that cannot be told from others without a part of a profile.
struct Untold {
    ProfilePart part;
    LossKind kind;
    LossKind other; ///< that it is part of then
};
constexpr Untold untold[] = {
    {ProfilePart::Copies, LossKind::Copies, LossKind::Utilisation},
    {ProfilePart::ActiveTiles, LossKind::TileImbalance, LossKind::Utilisation},
    {ProfilePart::Flops, LossKind::Compute, LossKind::Utilisation},
    {ProfilePart::Streams, LossKind::StreamingMemory, LossKind::Host},
    {ProfilePart::Pipeline, LossKind::Bubbles, LossKind::Sync},
    {ProfilePart::Pipeline, LossKind::StageImbalance, LossKind::Sync},
};

/// Lets both sides have the losses that can be told on both.
void mergeUntold(RunLosses& losses, const ProfileInfo& source, const ProfileInfo& target) {
    for (const Untold& one : untold) {
        if (source.has(one.part) && target.has(one.part))
            continue;
        double& cycles = losses.byKind[static_cast<std::size_t>(one.kind)];
        losses.byKind[static_cast<std::size_t>(one.other)] += cycles;
        cycles = 0;
    }
}

std::int64_t divided(double cycles, double samples) {
    return std::llround(cycles / samples);
}

} // namespace

std::string WaterfallStep::name() const {
    return kind ? std::string(displayName(*kind)) : "Everything else";
}

SampleDivisors divisorsOn(WaterfallBasis basis, double sourceSamples, double targetSamples) {
    const bool perSample = basis != WaterfallBasis::Run && sourceSamples > 0 && targetSamples > 0 &&
                           (basis == WaterfallBasis::Sample || sourceSamples != targetSamples);
    return perSample ? SampleDivisors{sourceSamples, targetSamples, true} : SampleDivisors{};
}

Waterfall waterfallOf(const RunLosses& source, double sourceSamples, const RunLosses& target,
                      double targetSamples, WaterfallBasis basis) {
    Waterfall waterfall;
    const auto [ofSource, ofTarget, perSample] = divisorsOn(basis, sourceSamples, targetSamples);
    waterfall.perSample = perSample;
    waterfall.before = divided(static_cast<double>(source.cycles), ofSource);
    waterfall.after = divided(static_cast<double>(target.cycles), ofTarget);
    double all = 0;
    for (const LossKind kind : lossKinds) {
        const auto at = static_cast<std::size_t>(kind);
        WaterfallStep step{
            kind, divided(source.byKind[at], ofSource), divided(target.byKind[at], ofTarget), {}};
        step.place = step.difference() > 0 ? target.places[at] : source.places[at];
        all += std::abs(static_cast<double>(step.difference()));
        waterfall.steps.push_back(std::move(step));
    }
    std::erase_if(waterfall.steps, [all](const WaterfallStep& step) {
        const auto size = std::abs(static_cast<double>(step.difference()));
        return size == 0 || size < leastShown * all;
    });
    std::stable_sort(waterfall.steps.begin(), waterfall.steps.end(),
                     [](const WaterfallStep& a, const WaterfallStep& b) {
                         return std::abs(a.difference()) > std::abs(b.difference());
                     });
    WaterfallStep rest{{}, waterfall.before, waterfall.after, {}};
    for (const WaterfallStep& step : waterfall.steps) {
        rest.before -= step.before;
        rest.after -= step.after;
    }
    if (rest.difference() != 0)
        waterfall.steps.push_back(std::move(rest));
    return waterfall;
}

std::optional<WaterfallParts> waterfallParts(const ProfileView& source, const ProfileView& target,
                                             const std::stop_token& stop) {
    std::optional<RunLosses> before = runLosses(source, stop);
    std::optional<RunLosses> after = runLosses(target, stop);
    if (!before || !after)
        return std::nullopt;
    for (RunLosses* losses : {&*before, &*after})
        mergeUntold(*losses, source.info(), target.info());
    return WaterfallParts{std::move(*before), std::move(*after), samplesOfRun(source.info()),
                          samplesOfRun(target.info())};
}

std::optional<Waterfall> waterfallBetween(const ProfileView& source, const ProfileView& target,
                                          WaterfallBasis basis, const std::stop_token& stop) {
    const std::optional<WaterfallParts> parts = waterfallParts(source, target, stop);
    return parts ? std::optional(parts->on(basis)) : std::nullopt;
}

} // namespace tilescope
