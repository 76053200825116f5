// Layout: where a tensor is and in which order its elements are on a tile.
//
// A storage is a lowered variable. Its elements are indexed by atoms: the finest dimensions that
// any use of it distinguishes. A tensor is a view of a storage: each of its dimensions is a run of
// atoms. Transposes reorder the dimensions of a view and reshapes regroup atoms (splitting them
// where they must), so neither moves data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/graph/graph.h"
#include "simulator/layout/blocking.h"

namespace tilescope::sim {

/// One level of the order on a tile, from the outermost to the innermost: `extent` consecutive
/// indices of an atom (0: all that the tile holds). Channel groups make an atom appear twice.
struct OrderLevel {
    int atom = 0;
    std::int64_t extent = 0;
    friend bool operator==(const OrderLevel&, const OrderLevel&) = default;
};

struct Layout {
    Blocking blocking;
    std::vector<OrderLevel> order;
};

/// A storage's atoms and layout.
struct Storage {
    std::vector<std::int64_t> atomSizes;
    Layout layout;
    std::int64_t elementBytes = 4;
};

/// The dimensions of a view, outermost first, each a run of atoms of its storage.
using ViewDims = std::vector<std::vector<int>>;

std::int64_t sizeOf(const std::vector<int>& atoms, const Storage& storage);

/// The storage of a tensor of this shape laid out linearly over tiles: whole grains, at least
/// `minBytes` a tile, from `firstTile` on (PopLibs mapTensorLinearly; poputil/TileMapping.cpp).
Storage linearStorage(const Shape& shape, std::int64_t elementBytes, std::int32_t tiles,
                      std::int32_t firstTile = 0);

/// The part of a storage with the indices [begin, end) of one atom, on the tiles that hold them.
/// None where a part has no layout of its own: the atom is cut together with others, its groups are
/// cut, tiles share blocks, or runs would be shorter than `shortestRun` bytes.
std::optional<Storage> partOfStorage(const Storage& whole, int atom, Interval range,
                                     std::int64_t shortestRun);

/// The trivial view of a storage made for a shape: dimension i is atom i.
ViewDims identityView(std::size_t rank);

/// Regroups a view into a new shape of equal element count. Splits atoms of the storage where the
/// new dimensions cut them. None if the cuts do not nest (the elements must then be copied);
/// the storage is unchanged in that case.
std::optional<ViewDims> reshapeView(const ViewDims& view, const Shape& newShape, Storage& storage,
                                    std::vector<ViewDims*> otherViews);

/// Contiguous elements that a copy from one order to another can move at a time, on a tile that
/// holds about `blockSizes[atom]` indices of each atom. `sourceSizes`: indices that a tile has at
/// the source; where it has several of a dimension of which the copy takes one, elements of outer
/// dimensions are that far apart. At least 1.
std::int64_t contiguousElements(const std::vector<OrderLevel>& from,
                                const std::vector<OrderLevel>& to,
                                const std::vector<std::int64_t>& blockSizes,
                                const std::vector<std::int64_t>& sourceSizes);

/// Elements sent from one tile to another that are contiguous at both ends: `moved` indices of each
/// atom, of `held` on the sending tile and `wanted` on the receiving one. At least 1.
std::int64_t pieceElements(const std::vector<OrderLevel>& from, const std::vector<OrderLevel>& to,
                           const std::vector<std::int64_t>& moved,
                           const std::vector<std::int64_t>& held,
                           const std::vector<std::int64_t>& wanted);

/// Whether two orders hold the elements of a tile in the same sequence, `sizes` of each atom.
bool isSameSequence(const std::vector<OrderLevel>& a, const std::vector<OrderLevel>& b,
                    const std::vector<std::int64_t>& sizes);

/// Indices of each atom that the largest block of a blocking holds.
std::vector<std::int64_t> blockSizes(const Blocking& blocking,
                                     const std::vector<std::int64_t>& atomSizes);

/// The row-major order of a view.
std::vector<OrderLevel> rowMajorOrder(const ViewDims& view);

} // namespace tilescope::sim
