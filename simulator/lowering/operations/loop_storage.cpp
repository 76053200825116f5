#include "simulator/lowering/operations/loop.h"

#include <algorithm>
#include <numeric>

#include "core/base/ceil_div.h"

namespace tilescope::sim {

Storage recurrentStorage(const Shape& row, std::int64_t elementBytes, std::int32_t tiles) {
    if (row.size() != 2)
        return linearStorage(row, elementBytes, tiles);
    constexpr std::int64_t largestGroup = 16; // elements
    const std::int64_t group = std::gcd(largestGroup, row[1]);
    const std::int64_t groups = row[1] / group;
    const std::int64_t perTile = ceilDiv(groups * row[0], static_cast<std::int64_t>(tiles));
    const std::int64_t used = ceilDiv(groups * row[0], perTile);
    const auto apart = static_cast<std::int32_t>(tiles / used);
    Storage storage;
    storage.atomSizes = {row[0], groups, group};
    storage.elementBytes = elementBytes;
    BlockedDim dim;
    dim.atoms = {1, 0};
    dim.size = groups * row[0];
    for (std::int64_t i = 0; i < used; ++i)
        dim.blocks.push_back({i * perTile, std::min(dim.size, (i + 1) * perTile)});
    dim.digits = {{static_cast<std::int32_t>(used), apart}};
    BlockedDim inner;
    inner.atoms = {2};
    inner.size = group;
    inner.blocks = {{0, group}};
    storage.layout.blocking.dims = {std::move(dim), std::move(inner)};
    // Other variables begin at the first tile.
    storage.layout.blocking.firstTile = apart - 1;
    storage.layout.order = {{1, 0}, {0, 0}, {2, 0}};
    return storage;
}

Storage sequenceStorage(const Storage& row, std::int64_t steps) {
    Storage storage = row;
    storage.atomSizes.insert(storage.atomSizes.begin(), steps);
    for (BlockedDim& dim : storage.layout.blocking.dims)
        for (int& atom : dim.atoms)
            ++atom;
    for (OrderLevel& level : storage.layout.order)
        ++level.atom;
    BlockedDim all;
    all.atoms = {0};
    all.size = steps;
    all.blocks = {{0, steps}};
    auto& dims = storage.layout.blocking.dims;
    dims.insert(dims.begin(), std::move(all));
    storage.layout.order.insert(storage.layout.order.begin(), {0, 0});
    return storage;
}

std::optional<std::pair<Storage, ViewDims>> rowOfSequence(const Storage& sequence,
                                                          const ViewDims& view) {
    if (view.empty() || view.front().size() != 1)
        return std::nullopt;
    const int step = view.front().front();
    const std::vector<OrderLevel>& order = sequence.layout.order;
    if (order.empty() || order.front() != OrderLevel{step, 0})
        return std::nullopt;
    Storage row = sequence;
    auto& dims = row.layout.blocking.dims;
    const auto own = std::find_if(dims.begin(), dims.end(), [&](const BlockedDim& dim) {
        return std::find(dim.atoms.begin(), dim.atoms.end(), step) != dim.atoms.end();
    });
    if (own == dims.end() || own->atoms.size() != 1 || own->blocks.size() != 1)
        return std::nullopt;
    dims.erase(own);
    row.atomSizes.erase(row.atomSizes.begin() + step);
    row.layout.order.erase(row.layout.order.begin());
    const auto renumber = [&](int& atom) { atom -= atom > step ? 1 : 0; };
    for (BlockedDim& dim : dims)
        for (int& atom : dim.atoms)
            renumber(atom);
    for (OrderLevel& level : row.layout.order)
        renumber(level.atom);
    ViewDims rest(view.begin() + 1, view.end());
    for (std::vector<int>& atoms : rest)
        for (int& atom : atoms)
            renumber(atom);
    return std::pair(std::move(row), std::move(rest));
}

} // namespace tilescope::sim
