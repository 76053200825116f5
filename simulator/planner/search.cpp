#include "simulator/planner/search.h"

#include <algorithm>
#include <bit>

#include "core/base/ceil_div.h"
#include "simulator/cost/conv_cycles.h"

namespace tilescope::sim {
namespace {

// Products of many factors in floating point: bounds stay below what they bound.
constexpr double roundingSlack = 1 - 1e-9;

/// The next number of parts that makes the largest part smaller; 0 if there is none.
std::int64_t nextParts(std::int64_t size, std::int64_t parts) {
    const std::int64_t largest = ceilDiv(size, parts);
    return largest <= 1 ? 0 : ceilDiv(size, largest - 1);
}

/// Output positions for each one that a kernel index reads of a dilated input.
double positionsPerRead(const ConvProblem& problem) {
    double positions = 1;
    for (const FieldDim& dim : problem.field)
        positions *= dim.kernel > 1 ? static_cast<double>(dim.inDilation) : 1;
    return positions;
}

} // namespace

void BestPlans::boundBy(const CostKey& reachable) {
    if (plans_.size() < capacity_)
        limitTo(reachable);
}

bool BestPlans::wants(const ConvCost& cost, std::int64_t tiles) const {
    if (goal_.objective == Objective::Tiles && cost.cycles() > goal_.mostCycles)
        return false;
    const CostKey key = costKey(goal_, cost, tiles);
    if (plans_.size() == capacity_)
        return key < *limit_;
    return !limit_ || key <= *limit_;
}

bool BestPlans::mayTake(double cycles) const {
    if (goal_.objective == Objective::Tiles)
        return cycles <= static_cast<double>(goal_.mostCycles);
    return goal_.objective != Objective::Cycles || !limit_ ||
           cycles <= static_cast<double>(limit_->first);
}

void BestPlans::add(ConvPlan plan) {
    const auto keyOf = [&](const ConvPlan& of) {
        return costKey(goal_, of.cost, of.splits.tiles());
    };
    const CostKey key = keyOf(plan);
    const auto at = std::find_if(plans_.begin(), plans_.end(),
                                 [&](const ConvPlan& other) { return key < keyOf(other); });
    plans_.insert(at, std::move(plan));
    if (plans_.size() > capacity_)
        plans_.pop_back();
    if (plans_.size() == capacity_)
        limitTo(keyOf(plans_.back()));
}

void BestPlans::limitTo(const CostKey& key) {
    limit_ = key;
    if (goal_.objective == Objective::Tiles)
        mostTiles_ = key.first;
    else if (goal_.objective == Objective::Excess && goal_.fewestTiles && key.first == 0)
        mostTiles_ = key.second;
}

LeastConvCycles leastConvCycles(const Target& target, const ConvProblem& problem,
                                const MethodCandidate& candidate) {
    const double positions = positionsPerRead(problem);
    const bool window = std::any_of(problem.field.begin(), problem.field.end(),
                                    [](const FieldDim& dim) { return dim.kernel > 1; });
    LeastConvCycles least =
        leastConvCycles(target, candidate.method, candidate.convUnits, candidate.grains,
                        problem.inType, problem.partialType, positions > 1);
    if (window && candidate.method == ConvMethod::Amp) {
        const auto rows = static_cast<double>(filterHeightOf(
            target, candidate.convUnits, candidate.grains, problem.inType, problem.partialType));
        least.perMac /= rows;
        least.perWeight /= rows;
    }
    least.perMac /= positions;
    return least;
}

double leastHmacCycles(const Target& target, const ConvProblem& problem) {
    const auto rate = static_cast<double>(
        maxMacsPerCycle(target, ConvMethod::Hmac, 0, ConvGrains(), problem.inType));
    return roundingSlack * problem.macs() / rate / positionsPerRead(problem) / target.tilesPerIpu;
}

double leastHmacCycles(const Target& target, const ConvProblem& problem,
                       const MethodCandidate& candidate) {
    const ConvProblem planned = plannedProblem(problem, candidate);
    const std::int64_t width = candidate.grains.inChans;
    const double padded = static_cast<double>(ceilDiv(planned.inChans, width) * width) /
                          static_cast<double>(planned.inChans);
    return roundingSlack * planned.macs() * padded *
           leastConvCycles(target, planned, candidate).perMac / target.tilesPerIpu;
}

PartitionSearch::PartitionSearch(const Target& target, const TransformedProblem& form,
                                 const MethodCandidate& candidate, std::int64_t memoryBound,
                                 BestPlans& best)
    : target_(target)
    , form_(form)
    , problem_(plannedProblem(form.problem, candidate))
    , candidate_(candidate)
    , rearrangement_(target, problem_, candidate.grains, form.transform)
    , memoryBound_(memoryBound)
    , best_(best)
    , inBytes_(static_cast<double>(bytesOf(problem_.inType)))
    , partialBytes_(static_cast<double>(bytesOf(problem_.partialType)))
    , kernel_(static_cast<double>(problem_.field.back().kernel))
    , perByte_(1 / static_cast<double>(target.exchangeBytesPerCycle)) {
    splits_.field.assign(problem_.field.size(), 1);
    splits_.kernel.assign(problem_.field.size(), 1);
    leastCycles_ = leastConvCycles(target, problem_, candidate);
    overAllTiles_ = rearrangedOver(target.tilesPerIpu);
}

void PartitionSearch::run(std::int64_t outSerial, std::int64_t inSerial, Density density) {
    const bool uncut = form_.transform.combinedGroups > 1;
    const ConvGrains& grains = candidate_.grains;
    if (uncut && ((candidate_.oneInPiece && problem_.inChans > grains.inChans) ||
                  (candidate_.oneOutPiece && problem_.outChans > grains.outChans)))
        return;
    if (density_ != density)
        choices_.clear();
    density_ = density;
    splits_.outChansSerial = outSerial;
    splits_.inChansSerial = inSerial;
    listCuts();
    descend(0, target_.tilesPerIpu, uncut_);
}

void PartitionSearch::listCuts() {
    const ConvGrains& grains = candidate_.grains;
    cuts_.clear();
    const auto cut = [&](std::int64_t size, std::int64_t grain, std::int64_t& parts, bool input,
                         bool weights, bool partials) -> Cut& {
        parts = 1;
        Cut& made = cuts_.emplace_back();
        made.pieces = ceilDiv(size, grain);
        made.pieceSize = grain;
        made.parts = &parts;
        made.inInput = input;
        made.inWeights = weights;
        made.inPartials = partials;
        return made;
    };
    cut(problem_.groups, grains.groups, splits_.groups, true, true, true);
    // The weights of combined groups are zero between the groups: there is nothing to gain from
    // cutting their channels.
    if (form_.transform.combinedGroups == 1) {
        cut(ceilDiv(problem_.outChans, splits_.outChansSerial), grains.outChans, splits_.outChans,
            false, true, true)
            .onePiece = candidate_.oneOutPiece;
        cut(ceilDiv(problem_.inChans, splits_.inChansSerial), grains.inChans, splits_.inChans, true,
            true, false)
            .onePiece = candidate_.oneInPiece;
    } else {
        splits_.outChans = splits_.inChans = 1;
    }
    cut(problem_.batch, 1, splits_.batch, true, false, true);
    // The innermost kernel dimension is never cut.
    for (std::size_t d = 0; d + 1 < problem_.field.size(); ++d)
        cut(problem_.field[d].kernel, 1, splits_.kernel[d], false, true, false);
    for (std::size_t d = 0; d < problem_.field.size(); ++d) {
        const FieldDim& dim = problem_.field[d];
        // (o-1)*stride/dilation + 1 >= o/dilation, and never more than the whole input.
        const std::int64_t grain = d + 1 == problem_.field.size() ? grains.field : 1;
        cut(dim.out, grain, splits_.field[d], true, false, true).leastInputShare =
            std::min(1.0 / static_cast<double>(dim.inDilation),
                     static_cast<double>(dim.in) / static_cast<double>(dim.out));
    }
    uncut_ = {};
    std::erase_if(cuts_, [&](const Cut& cut) {
        const bool single = cut.pieces == 1;
        if (single)
            uncut_ = decide(uncut_, cut, 1, 1);
        return single;
    });
    undecided_.assign(cuts_.size() + 1, {});
    undecidedPieces_.assign(cuts_.size() + 1, 1);
    for (std::size_t at = cuts_.size(); at-- > 0;) {
        const auto pieces = static_cast<double>(cuts_[at].pieces);
        undecided_[at] = decide(undecided_[at + 1], cuts_[at], 1, pieces);
        undecidedPieces_[at] = undecidedPieces_[at + 1] * pieces;
    }
}

const std::vector<PartitionSearch::Choice>& PartitionSearch::choicesOf(std::int64_t pieces) {
    std::vector<Choice>& choices = choices_[pieces];
    if (!choices.empty())
        return choices;
    for (std::int64_t parts = 1; parts != 0 && parts <= target_.tilesPerIpu;) {
        choices.push_back({parts, static_cast<double>(ceilDiv(pieces, parts))});
        const std::int64_t atLeast = density_ == Density::Coarse ? 2 * parts : parts + 1;
        do
            parts = nextParts(pieces, parts);
        while (parts != 0 && parts < atLeast);
    }
    return choices;
}

PartitionSearch::Least PartitionSearch::decide(const Least& before, const Cut& cut,
                                               std::int64_t parts, double pieces) {
    const double elements = pieces * static_cast<double>(cut.pieceSize);
    Least after = before;
    if (cut.inInput)
        after.input *= elements * cut.leastInputShare;
    if (cut.inWeights)
        after.weights *= elements;
    if (cut.inPartials)
        after.partials *= elements;
    if (cut.inInput && cut.inPartials && !cut.inWeights) {
        after.field *= elements;
        after.users *= parts;
    }
    after.macs *= elements;
    after.parts *= parts;
    return after;
}

std::int64_t PartitionSearch::mostTiles(std::size_t decidedCuts, std::int64_t tilesLeft,
                                        const Least& decided) const {
    const double pieces = undecidedPieces_[decidedCuts];
    const bool enough = pieces >= static_cast<double>(tilesLeft);
    return decided.parts * (enough ? tilesLeft : static_cast<std::int64_t>(pieces));
}

const PartitionSearch::Rearranged& PartitionSearch::rearrangedOver(std::int64_t tiles) {
    const auto octave = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(tiles)));
    std::optional<Rearranged>& known = rearrangedOver_[octave];
    if (!known) {
        const std::int64_t most = (std::int64_t{1} << octave) - 1;
        ConvCost cost;
        rearrangement_.addTo(cost, std::min<std::int64_t>(most, target_.tilesPerIpu));
        known = {cost.rearrange, cost.tempBytes};
    }
    return *known;
}

/// Tiles with other output channels have the same input, and tiles of a shared bus receive it at
/// once. Dividing takes long, and most partitions in a row have the same output channels.
double PartitionSearch::receivedBytesOfInput() {
    if (received_.outChans != splits_.outChans) {
        const double bus = splits_.outChans % target_.tilesPerSharedBus == 0
                               ? static_cast<double>(target_.tilesPerSharedBus)
                               : 1;
        received_ = {splits_.outChans,
                     (1 - 1.0 / static_cast<double>(splits_.outChans)) * inBytes_ / bus};
    }
    return received_.bytes;
}

/// True if no completion of the cuts decided so far can be among the best.
bool PartitionSearch::hopeless(std::size_t decidedCuts, std::int64_t tilesLeft,
                               const Least& decided) {
    if (const std::int64_t most = best_.mostTiles(); most > 0) {
        if (decided.parts > most)
            return true;
        tilesLeft = std::min(tilesLeft, most / decided.parts);
    }
    const Objective objective = best_.goal().objective;
    const Least& rest = undecided_[decidedCuts];
    // Whatever is still to be cut is cut into `tilesLeft` pieces at most.
    const double share = 1 / static_cast<double>(tilesLeft);
    const auto least = [&](double done, double open) { return done * std::max(1.0, open * share); };
    const double input = least(decided.input, rest.input);
    const double weights = least(decided.weights, rest.weights) * kernel_;
    const double partials = least(decided.partials, rest.partials);
    const double bytes = ((input + weights) * inBytes_ + partials * partialBytes_) * roundingSlack;
    const bool forMemory = objective == Objective::Memory;
    const std::optional<CostKey>& limit = best_.limit();
    if (forMemory && !limit)
        return false;
    const auto mostBytes = static_cast<double>(forMemory ? limit->first : memoryBound_);
    if (bytes > mostBytes)
        return true;
    const auto rearranged = [&]() -> const Rearranged& {
        return rearrangedOver(mostTiles(decidedCuts, tilesLeft, decided));
    };
    const bool rearranges = overAllTiles_.cycles > 0;
    if (forMemory || (!limit && objective != Objective::Tiles))
        return rearranges && static_cast<double>(rearranged().bytes) > mostBytes;

    const double exchange = input * receivedBytesOfInput() + partials * partialBytes_;
    // Either the field stays whole and the weights have one user, or at least half of the weights
    // are received.
    const auto users = static_cast<double>(decided.users);
    const double weightBytes = weights * inBytes_;
    const double loads = weights * leastCycles_.perWeight;
    const double compute = least(decided.macs, rest.macs) * kernel_ * leastCycles_.perMac;
    const double received = weightBytes * (1 - 1 / users) * perByte_;
    if (objective == Objective::Excess) {
        const Rearranged& copies = rearranges ? rearranged() : overAllTiles_;
        return static_cast<double>(copies.bytes) > mostBytes ||
               exceedsTooMuch(compute + loads, exchange * perByte_ + received, copies.cycles);
    }
    double step = compute + received;
    if (users == 1 && rest.field > 1) {
        const double whole = least(decided.macs * rest.field, rest.macs / rest.field);
        step =
            std::min(compute + weightBytes / 2 * perByte_, whole * kernel_ * leastCycles_.perMac);
    }
    step += loads;
    step += exchange * perByte_;
    const auto most =
        static_cast<double>(objective == Objective::Tiles ? best_.goal().mostCycles : limit->first);
    const auto tooSlow = [&](const Rearranged& copies) {
        const double cycles = static_cast<double>(splits_.serialSteps()) *
                              (step + static_cast<double>(copies.cycles));
        return cycles * roundingSlack > most;
    };
    if (!rearranges || tooSlow(overAllTiles_))
        return tooSlow(overAllTiles_);
    const Rearranged& copies = rearranged();
    return static_cast<double>(copies.bytes) > mostBytes || tooSlow(copies);
}

bool PartitionSearch::exceedsTooMuch(double compute, double exchange,
                                     std::int64_t rearranged) const {
    const auto steps = static_cast<double>(splits_.serialSteps());
    const ConvCost& others = best_.goal().others;
    const auto beyond = [&](double least, std::int64_t theirs) {
        return std::max(0.0, steps * least * roundingSlack - static_cast<double>(theirs));
    };
    const double excess = beyond(compute, others.compute) +
                          beyond(exchange, others.exchange - others.zeros) +
                          beyond(static_cast<double>(rearranged), others.rearrange);
    return excess * roundingSlack > static_cast<double>(best_.limit()->first);
}

void PartitionSearch::descend(std::size_t at, std::int64_t tilesLeft, const Least& decided) {
    if (!best_.mayVisit() || hopeless(at, tilesLeft, decided))
        return;
    if (at == cuts_.size()) {
        evaluate(decided);
        return;
    }
    const Cut& cut = cuts_[at];
    const auto take = [&](std::int64_t parts, double pieces) {
        *cut.parts = parts;
        descend(at + 1, tilesLeft / parts, decide(decided, cut, parts, pieces));
    };
    if (cut.onePiece) {
        if (cut.pieces <= tilesLeft)
            take(cut.pieces, 1);
    } else {
        for (const auto& [parts, pieces] : choicesOf(cut.pieces)) {
            if (parts > tilesLeft)
                break;
            take(parts, pieces);
        }
    }
    *cut.parts = 1;
}

void PartitionSearch::evaluate(const Least& decided) {
    fillTileSizes(problem_, candidate_.grains, splits_, sizes_);
    ConvCost cost =
        costBesideCompute(target_, problem_, candidate_, sizes_, splits_, rearrangement_);
    const bool within = cost.tempBytes <= memoryBound_;
    if (best_.goal().objective != Objective::Memory && !within)
        return;
    const std::int64_t tiles = splits_.tiles();
    // Counting the work of the slowest worker takes longer than all else: often it is not needed.
    const double least =
        (decided.macs * leastCycles_.perMac + decided.weights * leastCycles_.perWeight) * kernel_ *
        roundingSlack;
    cost.compute = static_cast<std::int64_t>(static_cast<double>(splits_.serialSteps()) * least);
    if (!best_.wants(cost, tiles))
        return;
    cost.compute = computeCycles(target_, problem_, candidate_, sizes_, splits_);
    if (!best_.wants(cost, tiles))
        return;
    ConvPlan plan;
    plan.method = candidate_.method;
    plan.convUnits = candidate_.convUnits;
    plan.grains = candidate_.grains;
    plan.splits = splits_;
    plan.transform = form_.transform;
    plan.problem = problem_;
    plan.cost = cost;
    plan.withinMemoryTarget = within;
    best_.add(std::move(plan));
}

} // namespace tilescope::sim
