#include "simulator/lowering/operations/loop.h"

#include <algorithm>
#include <numeric>

#include "core/base/ceil_div.h"

namespace tilescope::sim {

Storage recurrentStorage(const Shape& row, std::int64_t elementBytes, std::int32_t tiles) {
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

std::pair<Storage, ViewDims> recurrentPlace(const Shape& row, std::int64_t elementBytes,
                                            std::int32_t tiles) {
    const ViewDims own{{0}, {1, 2}};
    if (row.size() == 2)
        return {recurrentStorage(row, elementBytes, tiles), own};
    if (row.size() == 3)
        return {sequenceStorage(recurrentStorage({row[1], row[2]}, elementBytes, tiles), row[0]),
                sequenceView(own)};
    return {linearStorage(row, elementBytes, tiles), identityView(row.size())};
}

ViewDims sequenceView(const ViewDims& row) {
    ViewDims view{{0}};
    for (std::vector<int> atoms : row) {
        for (int& atom : atoms)
            ++atom;
        view.push_back(std::move(atoms));
    }
    return view;
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

namespace {

/// Removes an atom that no block and no other atom depends on.
void removeAtom(Storage& storage, ViewDims& view, int atom) {
    auto& dims = storage.layout.blocking.dims;
    for (BlockedDim& dim : dims)
        std::erase(dim.atoms, atom);
    std::erase_if(dims, [](const BlockedDim& dim) { return dim.atoms.empty(); });
    std::erase_if(storage.layout.order,
                  [&](const OrderLevel& level) { return level.atom == atom; });
    storage.atomSizes.erase(storage.atomSizes.begin() + atom);
    const auto renumber = [&](int& other) { other -= other > atom ? 1 : 0; };
    for (BlockedDim& dim : dims)
        std::for_each(dim.atoms.begin(), dim.atoms.end(), renumber);
    for (OrderLevel& level : storage.layout.order)
        renumber(level.atom);
    for (std::vector<int>& atoms : view) {
        std::erase(atoms, atom);
        std::for_each(atoms.begin(), atoms.end(), renumber);
    }
}

/// The dimension of a blocking that is an atom and nothing else, in one block; null if there is
/// none.
const BlockedDim* uncutDim(const Storage& storage, int atom) {
    for (const BlockedDim& dim : storage.layout.blocking.dims)
        if (dim.atoms == std::vector<int>{atom} && dim.blocks.size() == 1)
            return &dim;
    return nullptr;
}

} // namespace

std::pair<Storage, ViewDims> withoutUnitAtoms(Storage storage, ViewDims view) {
    for (int atom = static_cast<int>(storage.atomSizes.size()); atom-- > 0;) {
        if (storage.atomSizes[static_cast<std::size_t>(atom)] != 1)
            continue;
        const auto& dims = storage.layout.blocking.dims;
        const bool joint = std::any_of(dims.begin(), dims.end(), [&](const BlockedDim& dim) {
            return dim.atoms.size() > 1 &&
                   std::find(dim.atoms.begin(), dim.atoms.end(), atom) != dim.atoms.end();
        });
        if (joint || uncutDim(storage, atom) != nullptr)
            removeAtom(storage, view, atom);
    }
    return {std::move(storage), std::move(view)};
}

std::optional<std::pair<Storage, ViewDims>> rowOfSequence(const Storage& sequence,
                                                          const ViewDims& view) {
    if (view.empty() || view.front().size() != 1)
        return std::nullopt;
    const int step = view.front().front();
    const std::vector<OrderLevel>& order = sequence.layout.order;
    if (order.empty() || order.front() != OrderLevel{step, 0} ||
        uncutDim(sequence, step) == nullptr)
        return std::nullopt;
    std::pair<Storage, ViewDims> row{sequence, {view.begin() + 1, view.end()}};
    removeAtom(row.first, row.second, step);
    return row;
}

} // namespace tilescope::sim
