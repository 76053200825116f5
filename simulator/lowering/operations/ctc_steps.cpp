#include "simulator/lowering/operations/ctc_steps.h"

namespace tilescope::sim {
namespace {

/// A dimension that is cut in parts of which tiles `stride` apart have one each.
BlockedDim cutDimension(const std::vector<int>& atoms, std::int64_t size, std::int64_t parts,
                        std::int64_t stride) {
    BlockedDim dim;
    dim.atoms = atoms;
    dim.size = size;
    dim.blocks = evenBlocks(size, parts);
    if (parts > 1)
        dim.digits = {{static_cast<std::int32_t>(parts), static_cast<std::int32_t>(stride)}};
    return dim;
}

} // namespace

Blocking ctcBlocking(const ViewDims& view, const Storage& storage, const Shape& shape,
                     std::int64_t timeParts, std::int64_t batchParts, std::int64_t copies) {
    Blocking blocking;
    const auto add = [&](std::size_t d, std::int64_t parts, std::int64_t stride) {
        const std::vector<int> atoms = withoutOnes(view[d], storage);
        if (!atoms.empty())
            blocking.dims.push_back(cutDimension(atoms, shape[d], parts, stride));
        else if (parts > 1)
            blocking.copies.push_back(
                {static_cast<std::int32_t>(parts), static_cast<std::int32_t>(stride)});
    };
    add(0, timeParts, copies);
    add(1, batchParts, copies * timeParts);
    add(2, 1, 1);
    if (copies > 1)
        blocking.copies.push_back({static_cast<std::int32_t>(copies), 1});
    return blocking;
}

Storage ctcDataStorage(const Shape& shape, std::int64_t elementBytes, std::int64_t tiles,
                       std::int64_t batchParts) {
    Storage storage;
    storage.atomSizes = shape;
    storage.elementBytes = elementBytes;
    const std::int64_t timeParts = ceilDiv(shape[0], ceilDiv(shape[0], tiles));
    storage.layout.blocking.dims = {cutDimension({0}, shape[0], timeParts, 1),
                                    cutDimension({1}, shape[1], batchParts, tiles),
                                    cutDimension({2}, shape[2], 1, 1)};
    storage.layout.order = {{1, 0}, {0, 0}, {2, 0}};
    return storage;
}

} // namespace tilescope::sim
