#include "element_sets.h"

#include <functional>

namespace tilescope::test {
namespace {

std::int64_t sizeAt(const std::vector<std::int64_t>& sizes, int atom) {
    return sizes[static_cast<std::size_t>(atom)];
}

/// Calls `visit` for each coordinate of the atoms, the last of them fastest.
void walk(const std::vector<int>& atoms, const std::vector<std::int64_t>& sizes, std::size_t at,
          Element& element, const std::function<void()>& visit) {
    if (at == atoms.size()) {
        visit();
        return;
    }
    for (std::int64_t i = 0; i < sizeAt(sizes, atoms[at]); ++i) {
        element[static_cast<std::size_t>(atoms[at])] = i;
        walk(atoms, sizes, at + 1, element, visit);
    }
}

} // namespace

std::vector<Element> allElements(const std::vector<std::int64_t>& atomSizes) {
    std::vector<int> atoms;
    for (std::size_t i = 0; i < atomSizes.size(); ++i)
        atoms.push_back(static_cast<int>(i));
    std::vector<Element> result;
    Element element(atomSizes.size(), 0);
    walk(atoms, atomSizes, 0, element, [&] { result.push_back(element); });
    return result;
}

std::int64_t flatIndex(const Element& element, const std::vector<int>& atoms,
                       const std::vector<std::int64_t>& atomSizes) {
    std::int64_t index = 0;
    for (const int atom : atoms)
        index = index * sizeAt(atomSizes, atom) + element[static_cast<std::size_t>(atom)];
    return index;
}

std::map<std::int32_t, ElementSet> elementsByTile(const Blocking& blocking,
                                                  const std::vector<std::int64_t>& atomSizes) {
    std::map<std::int32_t, ElementSet> result;
    const std::vector<Element> all = allElements(atomSizes);
    std::vector<std::int32_t> index(blocking.dims.size());
    for (std::int32_t nth = 0; nth < blocking.tiles(); ++nth) {
        blocking.blockIndex(nth, index);
        ElementSet& set = result[blocking.tileOf(nth)];
        for (const Element& element : all) {
            bool inside = true;
            for (std::size_t d = 0; d < blocking.dims.size(); ++d) {
                const BlockedDim& dim = blocking.dims[d];
                const Interval block = dim.blocks[static_cast<std::size_t>(index[d])];
                const std::int64_t at = flatIndex(element, dim.atoms, atomSizes);
                inside = inside && at >= block.begin && at < block.end;
            }
            if (inside)
                set.insert(element);
        }
    }
    return result;
}

std::vector<std::int64_t> enumerate(const ViewDims& view, const Storage& storage,
                                    const std::vector<int>& identity) {
    std::vector<int> atoms;
    for (const std::vector<int>& dim : view)
        atoms.insert(atoms.end(), dim.begin(), dim.end());
    std::vector<std::int64_t> result;
    Element element(storage.atomSizes.size(), 0);
    walk(atoms, storage.atomSizes, 0, element,
         [&] { result.push_back(flatIndex(element, identity, storage.atomSizes)); });
    return result;
}

std::vector<std::int64_t> enumerate(const std::vector<OrderLevel>& order, const Storage& storage,
                                    const std::vector<int>& identity) {
    // Level by level from the innermost: how many indices it counts, and how far apart they are.
    std::vector<std::int64_t> counts(order.size());
    std::vector<std::int64_t> steps(order.size());
    std::vector<std::int64_t> taken(storage.atomSizes.size(), 1);
    for (std::size_t i = order.size(); i-- > 0;) {
        std::int64_t& inner = taken[static_cast<std::size_t>(order[i].atom)];
        const std::int64_t rest = sizeAt(storage.atomSizes, order[i].atom) / inner;
        counts[i] = order[i].extent == 0 ? rest : std::min(order[i].extent, rest);
        steps[i] = inner;
        inner *= counts[i];
    }
    std::vector<std::int64_t> result;
    Element element(storage.atomSizes.size(), 0);
    const std::function<void(std::size_t)> level = [&](std::size_t at) {
        if (at == order.size()) {
            result.push_back(flatIndex(element, identity, storage.atomSizes));
            return;
        }
        auto& coordinate = element[static_cast<std::size_t>(order[at].atom)];
        for (std::int64_t i = 0; i < counts[at]; ++i) {
            level(at + 1);
            coordinate += steps[at];
        }
        coordinate -= counts[at] * steps[at];
    };
    level(0);
    return result;
}

} // namespace tilescope::test
