#include "simulator/layout/atom_components.h"

#include <algorithm>
#include <numeric>

namespace tilescope::sim {
namespace {

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

Interval blockAt(const Blocking& blocking, int dim, std::span<const std::int32_t> at) {
    return dimAt(blocking, dim).blocks[static_cast<std::size_t>(at[static_cast<std::size_t>(dim)])];
}

} // namespace

std::vector<AtomComponent> atomComponents(const Blocking& stored, const Blocking& needed,
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
    std::vector<AtomComponent> result;
    std::vector<int> componentOf(atomSizes.size(), -1);
    const auto component = [&](int atom) -> AtomComponent& {
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
    // Atoms of one index cut nothing: a blocking may list them or not.
    const auto cutAtoms = [&](const Blocking& blocking, const std::vector<int>& dims) {
        std::vector<int> atoms = atomsOf(blocking, dims);
        std::erase_if(atoms,
                      [&](int atom) { return atomSizes[static_cast<std::size_t>(atom)] == 1; });
        return atoms;
    };
    for (AtomComponent& c : result) {
        for (const int atom : atomsOf(stored, c.storedDims))
            c.size *= atomSizes[static_cast<std::size_t>(atom)];
        std::vector<int> ordered;
        if (c.storedDims.size() == 1 && c.neededDims.size() == 1 &&
            cutAtoms(stored, c.storedDims) == cutAtoms(needed, c.neededDims)) {
            c.kind = AtomComponent::Kind::Same;
        } else if (c.storedDims.size() == 1 &&
                   nests(atomsOf(stored, c.storedDims), needed, c.neededDims, ordered)) {
            c.kind = AtomComponent::Kind::StoredFlat;
            c.neededDims = ordered;
        } else if (c.neededDims.size() == 1 &&
                   nests(atomsOf(needed, c.neededDims), stored, c.storedDims, ordered)) {
            c.kind = AtomComponent::Kind::NeededFlat;
            c.storedDims = ordered;
        }
    }
    return result;
}

BlockOverlap::BlockOverlap(const Blocking& stored, const Blocking& needed,
                           const std::vector<AtomComponent>& components)
    : stored_(stored)
    , needed_(needed)
    , components_(components) {}

double BlockOverlap::of(std::span<const std::int32_t> storedAt,
                        std::span<const std::int32_t> neededAt) {
    double elements = 1;
    for (const AtomComponent& component : components_)
        elements *= inComponent(component, storedAt, neededAt);
    return elements;
}

double BlockOverlap::flat(Interval range, const Blocking& pieces, const std::vector<int>& dims,
                          std::span<const std::int32_t> at) {
    sizes_.clear();
    ranges_.clear();
    for (const int dim : dims) {
        sizes_.push_back(dimAt(pieces, dim).size);
        ranges_.push_back(blockAt(pieces, dim, at));
    }
    return static_cast<double>(countBelow(range.end, sizes_, ranges_) -
                               countBelow(range.begin, sizes_, ranges_));
}

double BlockOverlap::inComponent(const AtomComponent& c, std::span<const std::int32_t> storedAt,
                                 std::span<const std::int32_t> neededAt) {
    switch (c.kind) {
    case AtomComponent::Kind::Same:
        return static_cast<double>(intersect(blockAt(stored_, c.storedDims[0], storedAt),
                                             blockAt(needed_, c.neededDims[0], neededAt))
                                       .size());
    case AtomComponent::Kind::StoredFlat:
        return flat(blockAt(stored_, c.storedDims[0], storedAt), needed_, c.neededDims, neededAt);
    case AtomComponent::Kind::NeededFlat:
        return flat(blockAt(needed_, c.neededDims[0], neededAt), stored_, c.storedDims, storedAt);
    case AtomComponent::Kind::Crossing:
        break;
    }
    double storedPart = 1;
    double neededPart = 1;
    for (const int dim : c.storedDims)
        storedPart *= static_cast<double>(blockAt(stored_, dim, storedAt).size());
    for (const int dim : c.neededDims)
        neededPart *= static_cast<double>(blockAt(needed_, dim, neededAt).size());
    return c.size == 0 ? 0 : storedPart * neededPart / static_cast<double>(c.size);
}

} // namespace tilescope::sim
