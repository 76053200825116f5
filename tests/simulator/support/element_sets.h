// Blockings and views spelled out element by element: the oracle for arithmetic on intervals.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "simulator/layout/layout.h"

namespace tilescope::test {

using namespace sim;

/// Coordinates along every atom.
using Element = std::vector<std::int64_t>;
using ElementSet = std::set<Element>;

std::vector<Element> allElements(const std::vector<std::int64_t>& atomSizes);

/// Row-major index of an element along some atoms.
std::int64_t flatIndex(const Element& element, const std::vector<int>& atoms,
                       const std::vector<std::int64_t>& atomSizes);

/// What each tile's block holds (all of it, where copies share it).
std::map<std::int32_t, ElementSet> elementsByTile(const Blocking& blocking,
                                                  const std::vector<std::int64_t>& atomSizes);

/// The elements of a view in the row-major order of its dimensions, each as its index in
/// `identity`, the atoms of the storage's own order.
std::vector<std::int64_t> enumerate(const ViewDims& view, const Storage& storage,
                                    const std::vector<int>& identity);

/// The elements in the order in which they lie on a tile that holds the whole storage.
std::vector<std::int64_t> enumerate(const std::vector<OrderLevel>& order, const Storage& storage,
                                    const std::vector<int>& identity);

} // namespace tilescope::test
