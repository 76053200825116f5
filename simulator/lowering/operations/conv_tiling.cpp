#include "simulator/lowering/operations/conv_tiling.h"

#include <algorithm>

#include "core/base/ceil_div.h"
#include "simulator/planner/transform.h"
#include <numeric>

namespace tilescope::sim {
namespace {

TileDigit take(std::int64_t count, std::int32_t& stride) {
    const TileDigit digit{static_cast<std::int32_t>(count), stride};
    stride *= digit.count;
    return digit;
}

} // namespace

ConvTiling::ConvTiling(const ConvPlan& plan)
    : planned_(plan)
    , plan_(withSeparateGroups(plan)) {
    // Consecutive tiles hold different output channels of the same input, so that they share the
    // exchange bus (PopLibs poplin/ConvUtilInternal.cpp, linearizeTileIndices).
    const ConvSplits& s = plan.splits;
    std::int32_t stride = 1;
    const auto next = [&](std::int64_t count, TileDigit& digit) {
        digit = take(count, stride);
        digits_.push_back(digit);
    };
    const bool backward = s.tileOrder == TileOrder::DenseBackward;
    const bool update = s.tileOrder == TileOrder::DenseUpdate;
    field_.resize(s.field.size());
    kernel_.resize(s.kernel.size());
    next(update ? s.inChans : s.outChans, update ? inChans_ : outChans_);
    for (std::size_t d = s.field.size(); d-- > 0;) {
        const bool innermost = backward && d + 1 == s.field.size();
        next(innermost ? s.inChans : s.field[d], innermost ? inChans_ : field_[d]);
    }
    next(s.batch, batch_);
    for (std::size_t d = s.kernel.size(); d-- > 0;)
        next(s.kernel[d], kernel_[d]);
    if (backward)
        next(s.field.back(), field_.back());
    else
        next(update ? s.outChans : s.inChans, update ? outChans_ : inChans_);
    next(s.groups, groups_);
}

std::int64_t ConvTiling::fieldGrain(std::size_t dim) const {
    return dim + 1 == plan_.problem.field.size() ? plan_.grains.field : 1;
}

std::int64_t ConvTiling::inStep() const {
    return ceilDiv(plan_.problem.inChans, plan_.splits.inChansSerial);
}

std::int64_t ConvTiling::outStep() const {
    return ceilDiv(plan_.problem.outChans, plan_.splits.outChansSerial);
}

std::int64_t ConvTiling::inGroup() const {
    return std::gcd(plan_.problem.inChans, plan_.grains.inChans);
}

std::int64_t ConvTiling::shareGrain(std::int64_t group) const {
    return std::lcm(group, std::max<std::int64_t>(1, 8 / bytesOf(plan_.problem.inType)));
}

void ConvTiling::shareByUse(Blocking& storage, std::int64_t group) const {
    storage.copiesShare = true;
    storage.sharing.grain = shareGrain(group);
    storage.sharing.least = 1;
    std::sort(storage.copies.begin(), storage.copies.end(),
              [](const TileDigit& a, const TileDigit& b) { return a.stride < b.stride; });
}

void ConvTiling::addOrCopy(Blocking& blocking, BlockedDim dim) {
    if (dim.atoms.empty() && dim.size == 1) {
        blocking.copies.insert(blocking.copies.end(), dim.digits.begin(), dim.digits.end());
        return;
    }
    blocking.dims.push_back(std::move(dim));
}

void ConvTiling::addCut(Blocking& blocking, const std::vector<int>& atoms, std::int64_t size,
                        std::int64_t step, std::int64_t parts, std::int64_t grain,
                        TileDigit digit) {
    addOrCopy(blocking, {atoms, atoms.empty() ? 1 : size, evenBlocks(step, parts, grain), {digit}});
}

void ConvTiling::addGroups(Blocking& blocking, const ConvAtoms& atoms) const {
    const std::int64_t groups = plan_.problem.groups;
    addCut(blocking, atoms.groups, groups, groups, plan_.splits.groups, plan_.grains.groups,
           groups_);
}

void ConvTiling::addBatch(Blocking& blocking, const ConvAtoms& atoms) const {
    const std::int64_t batch = plan_.problem.batch;
    addCut(blocking, atoms.batch, batch, batch, plan_.splits.batch, 1, batch_);
}

void ConvTiling::addInChans(Blocking& blocking, const ConvAtoms& atoms) const {
    addCut(blocking, atoms.inChans, plan_.problem.inChans, inStep(), plan_.splits.inChans,
           plan_.grains.inChans, inChans_);
}

void ConvTiling::addOutChans(Blocking& blocking, const ConvAtoms& atoms, std::int64_t step) const {
    addCut(blocking, atoms.outChans, plan_.problem.outChans, step, plan_.splits.outChans,
           plan_.grains.outChans, outChans_);
}

void ConvTiling::addWhole(Blocking& blocking, const ConvAtoms& atoms) {
    if (!atoms.whole.empty())
        blocking.dims.push_back({atoms.whole, atoms.wholeSize, {{0, atoms.wholeSize}}, {{1, 1}}});
}

Blocking ConvTiling::inputNeed(const ConvAtoms& atoms) const {
    const ConvProblem& p = plan_.problem;
    const ConvSplits& s = plan_.splits;
    Blocking need;
    need.firstTile = plan_.firstTile;
    addGroups(need, atoms);
    addBatch(need, atoms);
    for (std::size_t d = 0; d < p.field.size(); ++d) {
        const FieldDim& field = p.field[d];
        std::vector<Interval> blocks;
        for (const Interval& kernel : evenBlocks(field.kernel, s.kernel[d]))
            for (const Interval& out : evenBlocks(field.out, s.field[d], fieldGrain(d))) {
                const FieldRange range =
                    inputRange(field, {out.begin, out.end}, {kernel.begin, kernel.end});
                blocks.push_back({range.begin, range.end});
            }
        addOrCopy(need, {atoms.field[d],
                         atoms.field[d].empty() ? 1 : field.in,
                         std::move(blocks),
                         {field_[d], kernel_[d]}});
    }
    addInChans(need, atoms);
    addWhole(need, atoms);
    need.copies.push_back(outChans_);
    return need;
}

Blocking ConvTiling::inputStorage(const ConvAtoms& atoms, bool allSteps) const {
    Blocking storage = inputNeed(atoms);
    // Without the halo: each input dimension cut evenly, in as many parts as the output; tiles that
    // differ only in kernel or output channels share a block.
    for (BlockedDim& blocked : storage.dims) {
        const auto field = std::find(atoms.field.begin(), atoms.field.end(), blocked.atoms);
        const auto dim = static_cast<std::size_t>(field - atoms.field.begin());
        const bool isOutput = field != atoms.field.end() && !blocked.atoms.empty() &&
                              plan_.problem.field[dim].in == plan_.problem.field[dim].out;
        if (field != atoms.field.end() && blocked.digits.size() == 2) {
            storage.copies.push_back(blocked.digits[1]);
            blocked.digits.pop_back();
        }
        const bool oneStep = !allSteps && !blocked.atoms.empty() && blocked.atoms == atoms.inChans;
        blocked.blocks = evenBlocks(oneStep ? inStep() : blocked.size,
                                    static_cast<std::int64_t>(blocked.digits[0].count),
                                    blocked.atoms == atoms.inChans ? plan_.grains.inChans
                                    : isOutput                     ? fieldGrain(dim)
                                                                   : 1);
    }
    shareByUse(storage, plan_.grains.groups * inGroup());
    if (allSteps)
        storage.sharing.slices = plan_.splits.inChansSerial;
    return storage;
}

Blocking ConvTiling::weightsNeed(const ConvAtoms& atoms) const {
    const ConvProblem& p = plan_.problem;
    const ConvSplits& s = plan_.splits;
    Blocking need;
    need.firstTile = plan_.firstTile;
    addGroups(need, atoms);
    addOutChans(need, atoms, outStep());
    addInChans(need, atoms);
    for (std::size_t d = 0; d < p.field.size(); ++d)
        addCut(need, atoms.kernel[d], p.field[d].kernel, p.field[d].kernel, s.kernel[d], 1,
               kernel_[d]);
    addWhole(need, atoms);
    need.copies.insert(need.copies.end(), field_.begin(), field_.end());
    need.copies.push_back(batch_);
    return need;
}

Blocking ConvTiling::weightsStorage(const ConvAtoms& atoms, bool allSteps) const {
    Blocking storage = weightsNeed(atoms);
    if (allSteps)
        for (BlockedDim& blocked : storage.dims) {
            if (blocked.atoms == atoms.outChans)
                blocked.blocks =
                    evenBlocks(blocked.size, plan_.splits.outChans, plan_.grains.outChans);
            if (blocked.atoms == atoms.inChans)
                blocked.blocks =
                    evenBlocks(blocked.size, plan_.splits.inChans, plan_.grains.inChans);
        }
    shareByUse(storage, plan_.grains.groups * inGroup() *
                            std::gcd(plan_.problem.outChans, plan_.grains.outChans));
    storage.sharing.fromLast = true;
    if (allSteps)
        storage.sharing.slices = plan_.splits.serialSteps();
    return storage;
}

Blocking ConvTiling::outputStorage(const ConvAtoms& atoms, std::int64_t shareGrain,
                                   bool allSteps) const {
    const ConvProblem& p = plan_.problem;
    const ConvSplits& s = plan_.splits;
    Blocking storage;
    storage.firstTile = plan_.firstTile;
    addGroups(storage, atoms);
    addBatch(storage, atoms);
    for (std::size_t d = 0; d < p.field.size(); ++d)
        addCut(storage, atoms.field[d], p.field[d].out, p.field[d].out, s.field[d], fieldGrain(d),
               field_[d]);
    addOutChans(storage, atoms, allSteps ? p.outChans : outStep());
    storage.copies.insert(storage.copies.end(), kernel_.begin(), kernel_.end());
    storage.copies.push_back(inChans_);
    storage.copiesShare = true;
    storage.sharing.grain = shareGrain;
    return storage;
}

Blocking withZerosBetween(Blocking blocking, const std::vector<std::int64_t>& atomSizes) {
    for (BlockedDim& dim : blocking.dims) {
        std::int64_t whole = 1;
        for (const int atom : dim.atoms)
            whole *= atomSizes[static_cast<std::size_t>(atom)];
        if (dim.atoms.empty() || whole <= dim.size)
            continue;
        for (Interval& block : dim.blocks)
            block = {block.begin * whole / dim.size, block.end * whole / dim.size};
        dim.size = whole;
    }
    return blocking;
}

Blocking ConvTiling::partials() const {
    ConvAtoms atoms;
    int next = 0;
    atoms.groups = {next++};
    atoms.outChans = {next++};
    atoms.batch = {next++};
    for (std::size_t d = 0; d < plan_.problem.field.size(); ++d)
        atoms.field.push_back({next++});
    Blocking partials = outputStorage(atoms, 1, false);
    partials.copiesShare = false;
    // Vertices write whole grains.
    const auto roundUp = [&](const std::vector<int>& dim, std::int64_t grain) {
        for (BlockedDim& blocked : partials.dims)
            if (blocked.atoms == dim)
                for (Interval& block : blocked.blocks)
                    block.end = block.begin + ceilDiv(block.size(), grain) * grain;
    };
    roundUp(atoms.groups, plan_.grains.groups);
    if (plan_.transform.combinedGroups == 1) {
        roundUp(atoms.outChans, plan_.grains.outChans);
        return partials;
    }
    // The grain of output channels runs over the combined groups: its padding counts as groups.
    const std::int64_t chans = planned_.problem.outChans;
    const std::int64_t padded = ceilDiv(chans, plan_.grains.outChans) * plan_.grains.outChans;
    for (BlockedDim& blocked : partials.dims)
        if (blocked.atoms == atoms.groups)
            for (Interval& block : blocked.blocks)
                block.end = block.begin + ceilDiv(block.size() * padded, chans);
    return partials;
}

std::int32_t ConvTiling::tiles() const {
    return static_cast<std::int32_t>(plan_.splits.tiles());
}

std::int32_t ConvTiling::tileOf(std::int32_t nth) const {
    return nth;
}

std::vector<TileDigit> ConvTiling::digits() const {
    return digits_;
}

bool ConvTiling::hasLastInChans(std::int32_t nth) const {
    return nth / inChans_.stride % inChans_.count == inChans_.count - 1;
}

bool ConvTiling::hasLastOutChans(std::int32_t nth) const {
    return nth / outChans_.stride % outChans_.count == outChans_.count - 1;
}

ConvTileSizes ConvTiling::sizesOf(std::int32_t nth) const {
    const ConvProblem& p = planned_.problem;
    const ConvSplits& s = plan_.splits;
    const auto digit = [&](const TileDigit& d) { return nth / d.stride % d.count; };
    const auto part = [&](std::int64_t size, std::int64_t parts, std::int64_t grain,
                          const TileDigit& d) {
        const std::int64_t grains = ceilDiv(size, grain);
        const std::int64_t at = digit(d);
        return ((at + 1) * grains / parts - at * grains / parts) * grain;
    };
    ConvTileSizes sizes;
    sizes.groups = part(p.groups, s.groups, planned_.grains.groups, groups_);
    sizes.batch = part(p.batch, s.batch, 1, batch_);
    sizes.inChans =
        part(ceilDiv(p.inChans, s.inChansSerial), s.inChans, planned_.grains.inChans, inChans_);
    sizes.outChans = part(ceilDiv(p.outChans, s.outChansSerial), s.outChans,
                          planned_.grains.outChans, outChans_);
    sizes.stride = p.field.back().stride;
    for (std::size_t d = 0; d < p.field.size(); ++d) {
        const FieldDim& field = p.field[d];
        const std::int64_t grain = fieldGrain(d);
        const std::int64_t first =
            digit(field_[d]) * ceilDiv(field.out, grain) / s.field[d] * grain;
        const std::int64_t out = std::clamp<std::int64_t>(
            field.out - first, 0, part(field.out, s.field[d], grain, field_[d]));
        const std::int64_t kernel = part(field.kernel, s.kernel[d], 1, kernel_[d]);
        sizes.outField.push_back(out);
        sizes.kernel.push_back(kernel);
        const std::int64_t span = (out - 1) * field.stride + (kernel - 1) * field.dilation;
        sizes.inField.push_back(std::min(field.in, span / field.inDilation + 1));
        sizes.outStep.push_back(kernel > 1 ? field.inDilation : 1);
    }
    return sizes;
}

bool isSplitOverTiles(const Blocking& blocking, const std::vector<int>& atoms,
                      const std::vector<std::int64_t>& sizes) {
    if (atoms.empty() || (blocking.copiesShare && blocking.copyCount() > 1))
        return !atoms.empty();
    return std::any_of(blocking.dims.begin(), blocking.dims.end(), [&](const BlockedDim& dim) {
        const auto first = std::find_if(dim.atoms.begin(), dim.atoms.end(), [&](int atom) {
            return std::find(atoms.begin(), atoms.end(), atom) != atoms.end();
        });
        std::int64_t whole = first == dim.atoms.end() ? 0 : 1;
        for (auto atom = first; atom != dim.atoms.end(); ++atom)
            whole *= sizes[static_cast<std::size_t>(*atom)];
        return whole > 0 &&
               std::any_of(dim.blocks.begin(), dim.blocks.end(),
                           [&](const Interval& block) { return block.begin % whole != 0; });
    });
}

} // namespace tilescope::sim
