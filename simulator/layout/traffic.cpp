#include "simulator/layout/traffic.h"

#include <algorithm>

#include "core/base/ceil_div.h"
#include "simulator/layout/atom_components.h"
#include "simulator/layout/interval_sums.h"
#include "simulator/layout/tile_walk.h"

namespace tilescope::sim {
namespace {

__extension__ using Wide = __int128; // products of two byte counts

/// Each tile's part of a blocking: the index of its block, the block's size and its own share.
class HeldBlocks {
public:
    explicit HeldBlocks(const Blocking& blocking)
        : dims_(blocking.dims.size()) {
        TileWalk walk(blocking);
        held_.resize(static_cast<std::size_t>(walk.end()));
        indices_.resize(held_.size() * dims_);
        for (; !walk.done(); walk.next()) {
            const auto tile = static_cast<std::size_t>(walk.tile());
            held_[tile] = {walk.block(), walk.share()};
            std::copy(walk.index().begin(), walk.index().end(),
                      indices_.begin() + static_cast<std::ptrdiff_t>(tile * dims_));
        }
    }

    struct Held {
        std::int64_t block = -1; ///< elements; -1: the tile takes no part
        std::int64_t share = 0;
    };
    [[nodiscard]] Held at(std::int32_t tile) const {
        const auto i = static_cast<std::size_t>(tile);
        return i < held_.size() ? held_[i] : Held();
    }
    [[nodiscard]] std::span<const std::int32_t> indexOn(std::int32_t tile) const {
        return {indices_.data() + static_cast<std::size_t>(tile) * dims_, dims_};
    }

private:
    std::size_t dims_;
    std::vector<Held> held_;
    std::vector<std::int32_t> indices_;
};

TileSeries localElements(const Blocking& stored, const Blocking& needed,
                         const std::vector<AtomComponent>& components,
                         const ElementsOf& elementsOf) {
    if (stored == needed)
        return elementsOf(stored);
    BlockOverlap overlap(stored, needed, components);
    const HeldBlocks have(stored);
    TileWalk want(needed);
    DenseTiles locals(want);
    for (; !want.done(); want.next()) {
        const std::int32_t tile = want.tile();
        const auto [block, share] = have.at(tile);
        if (block < 0)
            continue;
        double local = overlap.of(have.indexOn(tile), want.index());
        // Multiplied first: 49 * (1.0 / 49) is less than one.
        if (block > 0)
            local = local * static_cast<double>(share) / static_cast<double>(block);
        const std::int64_t wantedBlock = want.block();
        const std::int64_t wantedShare = want.share();
        if (wantedBlock > 0)
            local = local * static_cast<double>(wantedShare) / static_cast<double>(wantedBlock);
        // Crossing cuts give a mean, which must not exceed what either side holds.
        locals.set(tile, std::min(std::min(share, wantedShare), static_cast<std::int64_t>(local)));
    }
    return locals.series();
}

/// A number for each block of some dimensions of a blocking; no numbers: 1 for all blocks.
using ByDimension = std::vector<std::vector<std::int64_t>>;

std::int64_t productAt(const ByDimension& numbers, std::span<const std::int32_t> index) {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (!numbers[i].empty())
            product *= numbers[i][static_cast<std::size_t>(index[i])];
    return product;
}

/// Elements requested from each tile, including its own needs, where all dimensions are
/// independent: for a stored block, the product over dimensions of the sum over all needed blocks,
/// times the number of copies.
TileSeries askedFor(const Blocking& stored, const Blocking& needed,
                    const std::vector<AtomComponent>& components) {
    ByDimension asked(stored.dims.size());
    for (const AtomComponent& c : components) {
        const IntervalSums wanted(dimAt(needed, c.neededDims[0]).blocks);
        for (const Interval& block : dimAt(stored, c.storedDims[0]).blocks)
            asked[static_cast<std::size_t>(c.storedDims[0])].push_back(wanted.elementsIn(block));
    }
    const std::int64_t copies = needed.copiesShare ? 1 : needed.copyCount();
    TileWalk walk(stored);
    DenseTiles elements(walk);
    for (; !walk.done(); walk.next())
        elements.set(walk.tile(), copies * productAt(asked, walk.index()));
    return elements.series();
}

/// How many stored blocks a need touches, dimension by dimension, where it receives something.
TileSeries messagesTo(const Blocking& stored, const Blocking& needed,
                      const std::vector<AtomComponent>& components, const TileSeries& received) {
    ByDimension touched(needed.dims.size());
    std::int64_t crossing = 1;
    for (const AtomComponent& c : components) {
        if (c.kind == AtomComponent::Kind::Same) {
            const IntervalSums sources(dimAt(stored, c.storedDims[0]).blocks);
            for (const Interval& wanted : dimAt(needed, c.neededDims[0]).blocks)
                touched[static_cast<std::size_t>(c.neededDims[0])].push_back(
                    sources.touchedBy(wanted));
            continue;
        }
        std::int64_t storedBlocks = 1;
        std::int64_t neededBlocks = 1;
        for (const int dim : c.storedDims)
            storedBlocks *= static_cast<std::int64_t>(dimAt(stored, dim).blocks.size());
        for (const int dim : c.neededDims)
            neededBlocks *= static_cast<std::int64_t>(dimAt(needed, dim).blocks.size());
        // Cuts across each other: a need touches its share of the stored blocks and one more.
        crossing *=
            std::min(storedBlocks, storedBlocks / std::max<std::int64_t>(1, neededBlocks) + 1);
    }
    if (stored.copiesShare)
        crossing *= std::max<std::int64_t>(
            1, stored.sharing.holders(stored.largestBlock(), stored.copyCount()));
    const std::int64_t sharers = needed.copiesShare ? needed.copyCount() : 1;
    TileWalk walk(needed);
    DenseTiles counts(walk);
    const std::vector<std::int64_t> elements = received.toDense(walk.end());
    for (; !walk.done(); walk.next()) {
        std::int64_t messages = crossing * productAt(touched, walk.index());
        // A share of a block comes from a share of the block's sources, and one more.
        if (sharers > 1)
            messages = std::min(messages, messages / sharers + 1);
        // A message carries one element at least.
        counts.set(walk.tile(),
                   std::min(messages, elements[static_cast<std::size_t>(walk.tile())]));
    }
    return counts.series();
}

} // namespace

std::int64_t receiversOf(std::int64_t received, std::int64_t held) {
    return std::max<std::int64_t>(1, received / std::max<std::int64_t>(1, held));
}

TileSeries shareOut(std::int64_t total, const TileSeries& weights) {
    const std::int64_t weightSum = weights.sum();
    if (weightSum == 0)
        return {};
    TileSeries result;
    std::int64_t seen = 0;
    std::int64_t given = 0;
    for (const TileRun& run : weights.runs())
        for (std::int32_t tile = run.first; tile < run.end; ++tile) {
            seen += run.value;
            const auto upTo =
                static_cast<std::int64_t>(static_cast<Wide>(total) * seen / weightSum);
            result.append(tile, tile + 1, upTo - given);
            given = upTo;
        }
    return result;
}

TileSeries localElements(const Blocking& stored, const Blocking& needed,
                         std::span<const std::int64_t> atomSizes) {
    return localElements(stored, needed, atomComponents(stored, needed, atomSizes),
                         &Blocking::elements);
}

Traffic trafficBetween(const Blocking& stored, const Blocking& needed,
                       std::span<const std::int64_t> atomSizes, const ElementsOf& elementsOf) {
    const std::vector<AtomComponent> components = atomComponents(stored, needed, atomSizes);
    const bool independent =
        std::all_of(components.begin(), components.end(),
                    [](const AtomComponent& c) { return c.kind == AtomComponent::Kind::Same; });
    const TileSeries local = localElements(stored, needed, components, elementsOf);
    Traffic traffic;
    traffic.received = elementsOf(needed) - local;
    traffic.total = traffic.received.sum();
    if (independent && stored.copyCount() == 1)
        traffic.sent = askedFor(stored, needed, components) - local;
    if (traffic.sent.sum() != traffic.total)
        traffic.sent = shareOut(traffic.total, elementsOf(stored));
    traffic.messages = messagesTo(stored, needed, components, traffic.received);
    traffic.receivers = needed.copiesShare ? 1 : needed.copyCount();
    return traffic;
}

} // namespace tilescope::sim
