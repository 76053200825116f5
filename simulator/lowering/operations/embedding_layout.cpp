#include "simulator/lowering/operations/embedding_layout.h"

#include <algorithm>

namespace tilescope::sim {
namespace {

TileDigit digit(std::int64_t count, std::int32_t stride) {
    return {static_cast<std::int32_t>(count), stride};
}

} // namespace

EmbeddingLayout::EmbeddingLayout(const EmbeddingPlan& plan)
    : plan_(plan)
    , width_(digit(plan.splits.unsliced, 1))
    , rows_(digit(plan.splits.sliced, width_.count))
    , lookups_(digit(plan.splits.lookups, width_.count * rows_.count)) {}

std::vector<Interval> EmbeddingLayout::widthBlocks() const {
    return evenBlocks(plan_.problem.width, plan_.splits.unsliced, plan_.grain);
}

Blocking EmbeddingLayout::table(const std::vector<int>& width, const std::vector<int>& rows,
                                Use use) const {
    Blocking blocking;
    if (!width.empty())
        blocking.dims.push_back({width, plan_.problem.width, widthBlocks(), {width_}});
    else
        blocking.copies.push_back(width_);
    if (!rows.empty())
        blocking.dims.push_back({rows,
                                 plan_.problem.rows,
                                 evenBlocks(plan_.problem.rows, plan_.splits.sliced),
                                 {rows_}});
    else
        blocking.copies.push_back(rows_);
    blocking.copies.push_back(lookups_);
    blocking.copiesShare = use == Use::Storage;
    blocking.sharing.grain = plan_.grain;
    return blocking;
}

Storage EmbeddingLayout::slices(std::int64_t count, std::int64_t before,
                                std::int64_t elementBytes) const {
    const std::int64_t row = std::max<std::int64_t>(1, plan_.problem.width);
    Storage storage;
    storage.elementBytes = elementBytes;
    storage.atomSizes = {std::max<std::int64_t>(1, count), before,
                         row / std::max<std::int64_t>(1, before)};
    storage.layout.blocking = wholeSlices(count);
    storage.layout.blocking.copiesShare = true;
    storage.layout.blocking.sharing.grain = plan_.columns();
    storage.layout.order = {{0, 0}, {1, 0}, {2, 0}};
    return storage;
}

Blocking EmbeddingLayout::wholeSlices(std::int64_t count) const {
    const std::int64_t size = std::max<std::int64_t>(1, count);
    Blocking blocking;
    blocking.dims = {
        {{1, 2}, std::max<std::int64_t>(1, plan_.problem.width), widthBlocks(), {width_}},
        {{0}, size, evenBlocks(size, plan_.splits.lookups), {lookups_}}};
    blocking.copies = {rows_};
    return blocking;
}

Blocking EmbeddingLayout::indices(const Blocking& stored) const {
    Blocking need;
    need.copies = {width_, rows_};
    const auto cuts = std::count_if(stored.dims.begin(), stored.dims.end(),
                                    [](const BlockedDim& dim) { return !dim.atoms.empty(); });
    for (const BlockedDim& dim : stored.dims) {
        if (dim.atoms.empty())
            continue;
        if (cuts == 1)
            need.dims.push_back(
                {dim.atoms, dim.size, evenBlocks(dim.size, plan_.splits.lookups), {lookups_}});
        else
            need.dims.push_back({dim.atoms, dim.size, {{0, dim.size}}, {{1, 1}}});
    }
    if (cuts != 1)
        need.copies.push_back(lookups_);
    return need;
}

} // namespace tilescope::sim
