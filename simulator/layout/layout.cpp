#include "simulator/layout/layout.h"

#include <algorithm>

#include "core/base/ceil_div.h"
#include "simulator/layout/inner_run.h"

namespace tilescope::sim {
namespace {

// PopLibs poputil/TileMapping.cpp: no tile gets less than this when a tensor is mapped linearly.
constexpr std::int64_t minBytesPerTile = 128;
// The grain is a 64-bit vector.
constexpr std::int64_t grainBytes = 8;

/// Splits one atom in `outer` times the rest, in a storage and in all views of it.
void splitAtom(int atom, std::int64_t inner, Storage& storage, std::vector<ViewDims*>& views) {
    const auto index = static_cast<std::size_t>(atom);
    const auto innerAtom = static_cast<int>(storage.atomSizes.size());
    storage.atomSizes.push_back(inner);
    storage.atomSizes[index] /= inner;
    const auto replace = [&](std::vector<int>& atoms) {
        const auto at = std::find(atoms.begin(), atoms.end(), atom);
        if (at != atoms.end())
            atoms.insert(at + 1, innerAtom);
    };
    for (BlockedDim& dim : storage.layout.blocking.dims)
        replace(dim.atoms);
    for (ViewDims* view : views)
        for (std::vector<int>& atoms : *view)
            replace(atoms);
    // From the innermost level outwards: `left` indices of the inner part are still to be counted
    // by levels further out.
    std::vector<OrderLevel> order;
    std::int64_t left = inner;
    for (auto level = storage.layout.order.rbegin(); level != storage.layout.order.rend();
         ++level) {
        if (level->atom != atom) {
            order.push_back(*level);
        } else if (level->extent == 0) {
            if (left > 1)
                order.push_back({innerAtom, 0});
            order.push_back({atom, 0});
        } else if (level->extent <= left) {
            order.push_back({innerAtom, level->extent});
            left = ceilDiv(left, level->extent);
        } else {
            order.push_back({innerAtom, 0});
            order.push_back({atom, ceilDiv(level->extent, left)});
            left = 1;
        }
    }
    std::reverse(order.begin(), order.end());
    storage.layout.order = std::move(order);
}

} // namespace

std::int64_t sizeOf(const std::vector<int>& atoms, const Storage& storage) {
    std::int64_t size = 1;
    for (const int atom : atoms)
        size *= storage.atomSizes[static_cast<std::size_t>(atom)];
    return size;
}

ViewDims identityView(std::size_t rank) {
    ViewDims view(rank);
    for (std::size_t i = 0; i < rank; ++i)
        view[i] = {static_cast<int>(i)};
    return view;
}

std::vector<OrderLevel> rowMajorOrder(const ViewDims& view) {
    std::vector<OrderLevel> order;
    for (const std::vector<int>& atoms : view)
        for (const int atom : atoms)
            order.push_back({atom, 0});
    return order;
}

namespace {

/// A linear mapping whose equal blocks are whole inner dimensions (and an even part of the next
/// one) cuts each dimension on its own; none if the blocks run across dimensions.
std::optional<std::vector<BlockedDim>> alignedDims(const Shape& shape, std::int64_t size,
                                                   std::int64_t parts, std::int64_t grain) {
    if (parts <= 1 || size % parts != 0 || size / parts % grain != 0)
        return std::nullopt;
    std::int64_t block = size / parts;
    std::vector<BlockedDim> dims(shape.size());
    std::int32_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        const std::int64_t held = std::min(block, shape[d]);
        if (block % held != 0 || shape[d] % held != 0)
            return std::nullopt;
        block /= held;
        const auto cuts = static_cast<std::int32_t>(shape[d] / held);
        if (cuts > 1 && block != 1)
            return std::nullopt;
        dims[d] = {{static_cast<int>(d)}, shape[d], evenBlocks(shape[d], cuts), {{cuts, stride}}};
        stride *= cuts;
    }
    return dims;
}

} // namespace

Storage linearStorage(const Shape& shape, std::int64_t elementBytes, std::int32_t tiles,
                      std::int32_t firstTile) {
    Storage storage;
    storage.atomSizes = shape;
    storage.elementBytes = elementBytes;
    BlockedDim flat;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        flat.atoms.push_back(static_cast<int>(i));
        flat.size *= shape[i];
    }
    const std::int64_t grain = std::max<std::int64_t>(1, grainBytes / elementBytes);
    const std::int64_t grains = ceilDiv(flat.size, grain);
    const std::int64_t grainsPerMin = minBytesPerTile / elementBytes / grain;
    // Grains per tile first: they may fill fewer tiles than the least size would allow.
    const std::int64_t partsAtMost = std::clamp<std::int64_t>(grains / grainsPerMin, 1, tiles);
    const std::int64_t grainsPerTile = ceilDiv(grains, partsAtMost);
    const std::int64_t parts = grains == 0 ? 1 : ceilDiv(grains, grainsPerTile);
    if (auto dims = alignedDims(shape, flat.size, parts, grain)) {
        storage.layout.blocking.dims = *std::move(dims);
    } else {
        flat.blocks = evenBlocks(flat.size, parts, grain);
        flat.digits = {{static_cast<std::int32_t>(parts), 1}};
        storage.layout.blocking.dims = {flat};
    }
    storage.layout.blocking.firstTile = firstTile;
    storage.layout.order = rowMajorOrder(identityView(shape.size()));
    return storage;
}

std::optional<Storage> partOfStorage(const Storage& whole, int atom, Interval range,
                                     std::int64_t shortestRun) {
    Storage part = whole;
    std::vector<std::int64_t>& sizes = part.atomSizes;
    sizes[static_cast<std::size_t>(atom)] = range.size();
    bool innermost = true;
    for (auto level = whole.layout.order.rbegin(); level != whole.layout.order.rend(); ++level) {
        const std::int64_t size = sizes[static_cast<std::size_t>(level->atom)];
        const std::int64_t run = level->extent == 0 ? size : std::min(level->extent, size);
        if (level->atom == atom) {
            if (level->extent > 0 && range.begin % level->extent != 0)
                return std::nullopt;
            if (innermost && run * whole.elementBytes < shortestRun)
                return std::nullopt;
        }
        innermost = innermost && run == 1;
    }
    Blocking& blocking = part.layout.blocking;
    for (BlockedDim& dim : blocking.dims) {
        if (std::find(dim.atoms.begin(), dim.atoms.end(), atom) == dim.atoms.end())
            continue;
        for (const int other : dim.atoms)
            if (other != atom && sizes[static_cast<std::size_t>(other)] != 1)
                return std::nullopt;
        dim.size = range.size();
        for (Interval& block : dim.blocks) {
            const Interval held = intersect(block, range);
            block = held.size() > 0 ? Interval{held.begin - range.begin, held.end - range.begin}
                                    : Interval{};
        }
        return part;
    }
    return std::nullopt;
}

std::optional<ViewDims> reshapeView(const ViewDims& view, const Shape& newShape, Storage& storage,
                                    std::vector<ViewDims*> otherViews) {
    // Try on copies: a failure must leave no trace.
    Storage trial = storage;
    std::vector<ViewDims> trialViews{view};
    for (const ViewDims* other : otherViews)
        trialViews.push_back(*other);
    std::vector<ViewDims*> pointers;
    for (ViewDims& v : trialViews)
        pointers.push_back(&v);

    ViewDims result(newShape.size());
    std::vector<int> used;
    const auto remaining = [&] {
        std::vector<int> flat;
        for (const std::vector<int>& atoms : trialViews.front())
            for (const int atom : atoms)
                if (std::find(used.begin(), used.end(), atom) == used.end())
                    flat.push_back(atom);
        return flat;
    };
    for (std::size_t d = newShape.size(); d-- > 0;) {
        std::int64_t need = newShape[d];
        while (need > 1) {
            const std::vector<int> flat = remaining();
            if (flat.empty())
                return std::nullopt;
            const int atom = flat.back();
            const std::int64_t size = trial.atomSizes[static_cast<std::size_t>(atom)];
            if (need % size == 0) {
                result[d].insert(result[d].begin(), atom);
                used.push_back(atom);
                need /= size;
            } else if (size % need == 0) {
                splitAtom(atom, need, trial, pointers);
            } else {
                return std::nullopt;
            }
        }
    }
    // What is left are atoms of size one: the first dimension takes them.
    std::vector<int> rest = remaining();
    for (const int atom : rest)
        if (trial.atomSizes[static_cast<std::size_t>(atom)] != 1)
            return std::nullopt;
    if (!rest.empty()) {
        if (result.empty())
            return std::nullopt;
        result[0].insert(result[0].begin(), rest.begin(), rest.end());
    }
    storage = std::move(trial);
    for (std::size_t i = 0; i < otherViews.size(); ++i)
        *otherViews[i] = trialViews[i + 1];
    return result;
}

std::vector<std::int64_t> blockSizes(const Blocking& blocking,
                                     const std::vector<std::int64_t>& atomSizes) {
    std::vector<std::int64_t> sizes = atomSizes;
    for (const BlockedDim& dim : blocking.dims) {
        std::int64_t left = 0;
        for (const Interval& block : dim.blocks)
            left = std::max(left, block.size());
        for (auto atom = dim.atoms.rbegin(); atom != dim.atoms.rend(); ++atom) {
            auto& size = sizes[static_cast<std::size_t>(*atom)];
            size = std::clamp<std::int64_t>(left, 1, size);
            left = ceilDiv(left, size);
        }
    }
    return sizes;
}

namespace {

/// Indices that each level of an order counts on a tile with `sizes` indices of each atom: an outer
/// level of a grouped atom counts the groups.
std::vector<std::int64_t> levelExtents(const std::vector<OrderLevel>& order,
                                       std::vector<std::int64_t> sizes) {
    std::vector<std::int64_t> extents(order.size());
    for (std::size_t at = order.size(); at-- > 0;) {
        std::int64_t& held = sizes[static_cast<std::size_t>(order[at].atom)];
        extents[at] = order[at].extent == 0 ? held : std::min(order[at].extent, held);
        held = ceilDiv(held, std::max<std::int64_t>(1, extents[at]));
    }
    return extents;
}

/// Levels with more than one index on a tile; those of one atom that follow each other are one.
std::vector<OrderLevel> walkedLevels(const std::vector<OrderLevel>& order,
                                     const std::vector<std::int64_t>& sizes) {
    const std::vector<std::int64_t> extents = levelExtents(order, sizes);
    std::vector<OrderLevel> walked;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (extents[i] == 1)
            continue;
        if (!walked.empty() && walked.back().atom == order[i].atom)
            walked.back().extent *= extents[i];
        else
            walked.push_back({order[i].atom, extents[i]});
    }
    return walked;
}

} // namespace

InnerRun innerRun(const std::vector<OrderLevel>& order, const std::vector<bool>& isOne,
                  const std::vector<std::int64_t>& sizes) {
    const std::vector<OrderLevel> walked = walkedLevels(order, sizes);
    const auto isOfThem = [&](const OrderLevel& level) {
        return bool{isOne[static_cast<std::size_t>(level.atom)]};
    };
    InnerRun run;
    if (!walked.empty())
        run.isOfThem = isOfThem(walked.back());
    for (auto level = walked.rbegin(); level != walked.rend(); ++level) {
        if (isOfThem(*level) != run.isOfThem)
            break;
        run.elements *= level->extent;
    }
    return run;
}

bool isSameSequence(const std::vector<OrderLevel>& a, const std::vector<OrderLevel>& b,
                    const std::vector<std::int64_t>& sizes) {
    const std::vector<OrderLevel> one = walkedLevels(a, sizes);
    const std::vector<OrderLevel> other = walkedLevels(b, sizes);
    // An atom that is walked once is walked whole, whatever its groups.
    const auto isWhole = [&](const OrderLevel& level) {
        return std::count_if(one.begin(), one.end(), [&](const OrderLevel& other) {
                   return other.atom == level.atom;
               }) == 1;
    };
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [&](const OrderLevel& x, const OrderLevel& y) {
                          return x.atom == y.atom && (x.extent == y.extent || isWhole(x));
                      });
}

std::int64_t pieceElements(const std::vector<OrderLevel>& from, const std::vector<OrderLevel>& to,
                           const std::vector<std::int64_t>& moved,
                           const std::vector<std::int64_t>& held,
                           const std::vector<std::int64_t>& wanted) {
    const std::vector<std::int64_t> stored = levelExtents(from, held);
    const std::vector<std::int64_t> needed = levelExtents(to, wanted);
    const std::vector<std::int64_t> sent = levelExtents(from, moved);
    const std::vector<std::int64_t> landed = levelExtents(to, moved);
    std::int64_t piece = 1;
    std::size_t a = from.size();
    std::size_t b = to.size();
    while (true) {
        while (a > 0 && sent[a - 1] == 1 && stored[a - 1] == 1)
            --a;
        while (b > 0 && landed[b - 1] == 1 && needed[b - 1] == 1)
            --b;
        if (a == 0 || b == 0 || from[a - 1].atom != to[b - 1].atom)
            return piece;
        --a;
        --b;
        piece *= std::min(sent[a], landed[b]);
        if (sent[a] != landed[b] || sent[a] < stored[a] || landed[b] < needed[b])
            return piece;
    }
}

std::int64_t contiguousElements(const std::vector<OrderLevel>& from,
                                const std::vector<OrderLevel>& to,
                                const std::vector<std::int64_t>& blockSizes,
                                const std::vector<std::int64_t>& sourceSizes) {
    return pieceElements(from, to, blockSizes, sourceSizes, blockSizes);
}

} // namespace tilescope::sim
