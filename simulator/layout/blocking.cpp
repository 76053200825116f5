#include "simulator/layout/blocking.h"

#include <algorithm>
#include <numeric>

#include "core/base/ceil_div.h"
#include "core/base/error.h"

namespace tilescope::sim {
namespace {

std::int32_t product(std::span<const TileDigit> digits) {
    return std::accumulate(digits.begin(), digits.end(), 1,
                           [](std::int32_t n, const TileDigit& d) { return n * d.count; });
}

/// How many of the row-major indices below `limit` have every coordinate within its interval.
std::int64_t countBelow(std::int64_t limit, std::span<const std::int64_t> sizes,
                        std::span<const Interval> ranges) {
    if (sizes.empty())
        return limit > 0 ? 1 : 0;
    std::int64_t inner = 1;
    for (const std::int64_t size : sizes.subspan(1))
        inner *= size;
    std::int64_t innerCount = 1;
    for (const Interval& range : ranges.subspan(1))
        innerCount *= range.size();
    const std::int64_t whole = limit / inner;
    std::int64_t count = intersect(ranges[0], {0, whole}).size() * innerCount;
    if (whole >= ranges[0].begin && whole < ranges[0].end)
        count += countBelow(limit % inner, sizes.subspan(1), ranges.subspan(1));
    return count;
}

/// Dimensions of two blockings that share atoms, and so must be compared together.
struct Component {
    std::vector<int> storedDims, neededDims;
    std::int64_t size = 1; ///< elements of all its atoms
    enum class Kind { Same, StoredFlat, NeededFlat, Crossing } kind = Kind::Crossing;
};

std::vector<int> atomsOf(const Blocking& blocking, std::span<const int> dims) {
    std::vector<int> atoms;
    for (const int dim : dims)
        atoms.insert(atoms.end(), blocking.dims[static_cast<std::size_t>(dim)].atoms.begin(),
                     blocking.dims[static_cast<std::size_t>(dim)].atoms.end());
    return atoms;
}

/// True if `parts` (each a run of whole atoms) are consecutive pieces of the flat dimension's atoms
/// in some order of pieces.
bool nests(const std::vector<int>& flat, const Blocking& pieces, std::span<const int> dims,
           std::vector<int>& orderedDims) {
    orderedDims.clear();
    for (std::size_t at = 0; at < flat.size();) {
        const auto piece = std::find_if(dims.begin(), dims.end(), [&](int dim) {
            const auto& atoms = pieces.dims[static_cast<std::size_t>(dim)].atoms;
            return atoms.size() <= flat.size() - at &&
                   std::equal(atoms.begin(), atoms.end(),
                              flat.begin() + static_cast<std::ptrdiff_t>(at));
        });
        if (piece == dims.end())
            return false;
        orderedDims.push_back(*piece);
        at += pieces.dims[static_cast<std::size_t>(*piece)].atoms.size();
    }
    return orderedDims.size() == dims.size();
}

std::vector<Component> components(const Blocking& stored, const Blocking& needed,
                                  std::span<const std::int64_t> atomSizes) {
    // Union-find over atoms: dims merge their atoms.
    std::vector<int> root(atomSizes.size());
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int atom) {
        while (root[static_cast<std::size_t>(atom)] != atom)
            atom = root[static_cast<std::size_t>(atom)];
        return atom;
    };
    for (const Blocking* blocking : {&stored, &needed})
        for (const BlockedDim& dim : blocking->dims)
            for (const int atom : dim.atoms)
                root[static_cast<std::size_t>(find(atom))] = find(dim.atoms.front());
    std::vector<Component> result;
    std::vector<int> componentOf(atomSizes.size(), -1);
    const auto component = [&](int atom) -> Component& {
        int& at = componentOf[static_cast<std::size_t>(find(atom))];
        if (at < 0) {
            at = static_cast<int>(result.size());
            result.emplace_back();
        }
        return result[static_cast<std::size_t>(at)];
    };
    for (std::size_t i = 0; i < stored.dims.size(); ++i)
        if (!stored.dims[i].atoms.empty())
            component(stored.dims[i].atoms.front()).storedDims.push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < needed.dims.size(); ++i)
        if (!needed.dims[i].atoms.empty())
            component(needed.dims[i].atoms.front()).neededDims.push_back(static_cast<int>(i));
    // Atoms of one index cut nothing: a blocking may name them or not.
    const auto cutAtoms = [&](const Blocking& blocking, const std::vector<int>& dims) {
        std::vector<int> atoms = atomsOf(blocking, dims);
        std::erase_if(atoms,
                      [&](int atom) { return atomSizes[static_cast<std::size_t>(atom)] == 1; });
        return atoms;
    };
    for (Component& c : result) {
        for (const int atom : atomsOf(stored, c.storedDims))
            c.size *= atomSizes[static_cast<std::size_t>(atom)];
        std::vector<int> ordered;
        if (c.storedDims.size() == 1 && c.neededDims.size() == 1 &&
            cutAtoms(stored, c.storedDims) == cutAtoms(needed, c.neededDims)) {
            c.kind = Component::Kind::Same;
        } else if (c.storedDims.size() == 1 &&
                   nests(atomsOf(stored, c.storedDims), needed, c.neededDims, ordered)) {
            c.kind = Component::Kind::StoredFlat;
            c.neededDims = ordered;
        } else if (c.neededDims.size() == 1 &&
                   nests(atomsOf(needed, c.neededDims), stored, c.storedDims, ordered)) {
            c.kind = Component::Kind::NeededFlat;
            c.storedDims = ordered;
        }
    }
    return result;
}

const BlockedDim& dimAt(const Blocking& blocking, int dim) {
    return blocking.dims[static_cast<std::size_t>(dim)];
}

/// Elements of one component that are in both blocks.
double overlap(const Component& c, const Blocking& stored, std::span<const std::int32_t> storedAt,
               const Blocking& needed, std::span<const std::int32_t> neededAt) {
    const auto block = [](const Blocking& blocking, int dim, std::span<const std::int32_t> at) {
        return dimAt(blocking, dim)
            .blocks[static_cast<std::size_t>(at[static_cast<std::size_t>(dim)])];
    };
    const auto flatOverlap = [&](Interval flat, const Blocking& pieces, std::span<const int> dims,
                                 std::span<const std::int32_t> at) {
        std::vector<std::int64_t> sizes;
        std::vector<Interval> ranges;
        for (const int dim : dims) {
            sizes.push_back(dimAt(pieces, dim).size);
            ranges.push_back(block(pieces, dim, at));
        }
        return countBelow(flat.end, sizes, ranges) - countBelow(flat.begin, sizes, ranges);
    };
    switch (c.kind) {
    case Component::Kind::Same:
        return static_cast<double>(intersect(block(stored, c.storedDims[0], storedAt),
                                             block(needed, c.neededDims[0], neededAt))
                                       .size());
    case Component::Kind::StoredFlat:
        return static_cast<double>(
            flatOverlap(block(stored, c.storedDims[0], storedAt), needed, c.neededDims, neededAt));
    case Component::Kind::NeededFlat:
        return static_cast<double>(
            flatOverlap(block(needed, c.neededDims[0], neededAt), stored, c.storedDims, storedAt));
    case Component::Kind::Crossing:
        break;
    }
    double storedPart = 1;
    double neededPart = 1;
    for (const int dim : c.storedDims)
        storedPart *= static_cast<double>(block(stored, dim, storedAt).size());
    for (const int dim : c.neededDims)
        neededPart *= static_cast<double>(block(needed, dim, neededAt).size());
    return c.size == 0 ? 0 : storedPart * neededPart / static_cast<double>(c.size);
}

std::int64_t blockElements(const Blocking& blocking, std::span<const std::int32_t> at) {
    std::int64_t elements = 1;
    for (std::size_t i = 0; i < blocking.dims.size(); ++i)
        elements *= blocking.dims[i].blocks[static_cast<std::size_t>(at[i])].size();
    return elements;
}

/// For each tile of the device up to the last one used, its place among those that take part.
std::vector<std::int32_t> placeByTile(const Blocking& blocking) {
    std::vector<std::int32_t> place;
    const std::int32_t tiles = blocking.tiles();
    for (std::int32_t nth = 0; nth < tiles; ++nth) {
        const auto tile = static_cast<std::size_t>(blocking.tileOf(nth));
        if (tile >= place.size())
            place.resize(tile + 1, -1);
        place[tile] = nth;
    }
    return place;
}

/// Source blocks of one dimension that an interval touches.
std::int64_t blocksTouched(const BlockedDim& dim, Interval wanted) {
    std::int64_t touched = 0;
    for (const Interval& block : dim.blocks)
        touched += intersect(block, wanted).size() > 0 ? 1 : 0;
    return touched;
}

__extension__ using Wide = __int128; // products of two byte counts

} // namespace

Interval intersect(Interval a, Interval b) {
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

std::vector<Interval> evenBlocks(std::int64_t size, std::int64_t parts, std::int64_t grain) {
    const std::int64_t grains = ceilDiv(size, grain);
    std::vector<Interval> blocks;
    blocks.reserve(static_cast<std::size_t>(parts));
    for (std::int64_t part = 0; part < parts; ++part)
        blocks.push_back({std::min(size, part * grains / parts * grain),
                          std::min(size, (part + 1) * grains / parts * grain)});
    return blocks;
}

std::int32_t Blocking::tiles() const {
    std::int32_t count = product(copies);
    for (const BlockedDim& dim : dims)
        count *= product(dim.digits);
    return count;
}

void Blocking::blockIndex(std::int32_t nth, std::span<std::int32_t> index) const {
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const auto blocks = static_cast<std::int32_t>(dims[i].blocks.size());
        index[i] = nth % blocks;
        nth /= blocks;
    }
}

std::int32_t Blocking::tileOf(std::int32_t nth) const {
    std::int32_t tile = firstTile;
    const auto take = [&](std::span<const TileDigit> digits) {
        for (const TileDigit& digit : digits) {
            tile += nth % digit.count * digit.stride;
            nth /= digit.count;
        }
    };
    for (const BlockedDim& dim : dims)
        take(dim.digits);
    take(copies);
    return tile;
}

TileSeries Blocking::elements() const {
    const std::int32_t count = tiles();
    std::vector<TileRun> runs;
    runs.reserve(static_cast<std::size_t>(count));
    std::vector<std::int32_t> index(dims.size());
    for (std::int32_t nth = 0; nth < count; ++nth) {
        blockIndex(nth, index);
        const std::int32_t tile = tileOf(nth);
        runs.push_back({tile, tile + 1, shareOf(nth, blockElements(*this, index))});
    }
    return TileSeries::fromRuns(std::move(runs));
}

std::int32_t Blocking::copyCount() const {
    return product(copies);
}

std::int64_t Blocking::shareOf(std::int32_t nth, std::int64_t elements) const {
    const std::int64_t sharers = copiesShare ? copyCount() : 1;
    if (sharers == 1)
        return elements;
    const std::int64_t which = nth / (tiles() / sharers);
    const std::int64_t grains = ceilDiv(elements, shareGrain);
    return std::min(elements, (which + 1) * grains / sharers * shareGrain) -
           std::min(elements, which * grains / sharers * shareGrain);
}

std::int64_t Blocking::largestBlock() const {
    std::int64_t elements = 1;
    for (const BlockedDim& dim : dims) {
        std::int64_t largest = 0;
        for (const Interval& block : dim.blocks)
            largest = std::max(largest, block.size());
        elements *= largest;
    }
    return elements;
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
    if (stored == needed)
        return stored.elements();
    const std::vector<Component> parts = components(stored, needed, atomSizes);
    const std::vector<std::int32_t> place = placeByTile(stored);
    std::vector<std::int32_t> storedAt(stored.dims.size());
    std::vector<std::int32_t> neededAt(needed.dims.size());
    std::vector<TileRun> runs;
    const std::int32_t count = needed.tiles();
    for (std::int32_t nth = 0; nth < count; ++nth) {
        const std::int32_t tile = needed.tileOf(nth);
        if (static_cast<std::size_t>(tile) >= place.size() ||
            place[static_cast<std::size_t>(tile)] < 0)
            continue;
        needed.blockIndex(nth, neededAt);
        stored.blockIndex(place[static_cast<std::size_t>(tile)], storedAt);
        double local = 1;
        for (const Component& c : parts)
            local *= overlap(c, stored, storedAt, needed, neededAt);
        const std::int64_t storedBlock = blockElements(stored, storedAt);
        const std::int64_t share =
            stored.shareOf(place[static_cast<std::size_t>(tile)], storedBlock);
        // Multiplied first: 49 * (1.0 / 49) is less than one.
        if (storedBlock > 0)
            local = local * static_cast<double>(share) / static_cast<double>(storedBlock);
        const std::int64_t neededBlock = blockElements(needed, neededAt);
        const std::int64_t neededShare = needed.shareOf(nth, neededBlock);
        if (neededBlock > 0)
            local = local * static_cast<double>(neededShare) / static_cast<double>(neededBlock);
        // Crossing cuts give a mean, which must not exceed what either side holds.
        const std::int64_t most = std::min(share, neededShare);
        runs.push_back({tile, tile + 1, std::min(most, static_cast<std::int64_t>(local))});
    }
    return TileSeries::fromRuns(std::move(runs));
}

Traffic trafficBetween(const Blocking& stored, const Blocking& needed,
                       std::span<const std::int64_t> atomSizes) {
    const std::vector<Component> parts = components(stored, needed, atomSizes);
    const bool independent = std::all_of(parts.begin(), parts.end(), [](const Component& c) {
        return c.kind == Component::Kind::Same;
    });
    const TileSeries local = localElements(stored, needed, atomSizes);
    Traffic traffic;
    traffic.received = needed.elements() - local;
    traffic.total = traffic.received.sum();
    if (!independent || stored.copyCount() > 1) {
        traffic.sent = shareOut(traffic.total, stored.elements());
    } else {
        // Dimensions are independent: what a stored block is asked for is the product over
        // dimensions of the sum over all needed blocks, times the number of copies.
        std::vector<std::vector<std::int64_t>> asked(stored.dims.size());
        for (const Component& c : parts) {
            const BlockedDim& have = dimAt(stored, c.storedDims[0]);
            const BlockedDim& want = dimAt(needed, c.neededDims[0]);
            auto& sums = asked[static_cast<std::size_t>(c.storedDims[0])];
            for (const Interval& block : have.blocks) {
                std::int64_t sum = 0;
                for (const Interval& wanted : want.blocks)
                    sum += intersect(block, wanted).size();
                sums.push_back(sum);
            }
        }
        const std::int64_t copies = needed.copiesShare ? 1 : needed.copyCount();
        std::vector<TileRun> runs;
        std::vector<std::int32_t> index(stored.dims.size());
        const std::int32_t count = stored.tiles();
        for (std::int32_t nth = 0; nth < count; ++nth) {
            stored.blockIndex(nth, index);
            std::int64_t elements = copies;
            for (std::size_t i = 0; i < asked.size(); ++i)
                if (!asked[i].empty())
                    elements *= asked[i][static_cast<std::size_t>(index[i])];
            const std::int32_t tile = stored.tileOf(nth);
            runs.push_back({tile, tile + 1, elements});
        }
        traffic.sent = TileSeries::fromRuns(std::move(runs)) - local;
    }
    if (traffic.sent.sum() != traffic.total)
        traffic.sent = shareOut(traffic.total, stored.elements());

    // Messages: how many stored blocks a need touches, dimension by dimension.
    std::vector<std::vector<std::int64_t>> touched(needed.dims.size());
    std::int64_t crossing = 1;
    for (const Component& c : parts) {
        if (c.kind == Component::Kind::Same) {
            for (const Interval& wanted : dimAt(needed, c.neededDims[0]).blocks)
                touched[static_cast<std::size_t>(c.neededDims[0])].push_back(
                    blocksTouched(dimAt(stored, c.storedDims[0]), wanted));
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
    // Of the tiles that share a block, as many hold something as it has grains.
    if (stored.copiesShare)
        crossing *= std::clamp<std::int64_t>(ceilDiv(stored.largestBlock(), stored.shareGrain), 1,
                                             stored.copyCount());
    std::vector<TileRun> runs;
    std::vector<std::int32_t> index(needed.dims.size());
    const std::int32_t count = needed.tiles();
    for (std::int32_t nth = 0; nth < count; ++nth) {
        needed.blockIndex(nth, index);
        std::int64_t messages = crossing;
        for (std::size_t i = 0; i < touched.size(); ++i)
            if (!touched[i].empty())
                messages *= touched[i][static_cast<std::size_t>(index[i])];
        // A share of a block comes from a share of the block's sources, and one more.
        if (needed.copiesShare && needed.copyCount() > 1)
            messages = std::min(messages, messages / needed.copyCount() + 1);
        const std::int32_t tile = needed.tileOf(nth);
        // A message carries one element at least.
        runs.push_back({tile, tile + 1, std::min(messages, traffic.received.at(TileId(tile)))});
    }
    traffic.messages = TileSeries::fromRuns(std::move(runs));
    return traffic;
}

} // namespace tilescope::sim
