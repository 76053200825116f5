#include "simulator/lowering/operations/grid.h"

#include <limits>

#include "core/base/ceil_div.h"
#include "simulator/planner/planner.h"

namespace tilescope::sim {
namespace {

class GridSearch {
public:
    GridSearch(const Shape& shape, const std::vector<std::int64_t>& grains,
               const std::function<double(const std::vector<std::int64_t>&)>& cost)
        : shape_(shape)
        , grains_(grains)
        , cost_(cost)
        , split_(shape.size(), 1)
        , block_(shape.size(), 1) {}

    GridSplit run(std::int64_t tiles) {
        cut(0, tiles);
        return best_;
    }

private:
    void cut(std::size_t d, std::int64_t tilesLeft) {
        if (d == shape_.size()) {
            const double cost = cost_(block_);
            if (best_.empty() || cost < bestCost_) {
                bestCost_ = cost;
                best_ = split_;
            }
            return;
        }
        const std::int64_t grains = ceilDiv(shape_[d], grains_[d]);
        for (const std::int64_t parts : distinctSplits(grains, tilesLeft)) {
            split_[d] = parts;
            block_[d] = std::min(shape_[d], ceilDiv(grains, parts) * grains_[d]);
            cut(d + 1, tilesLeft / parts);
        }
    }

    const Shape& shape_;
    const std::vector<std::int64_t>& grains_;
    const std::function<double(const std::vector<std::int64_t>&)>& cost_;
    GridSplit split_, best_;
    std::vector<std::int64_t> block_;
    double bestCost_ = std::numeric_limits<double>::max();
};

} // namespace

GridSplit bestGridSplit(const Shape& shape, const std::vector<std::int64_t>& grains,
                        std::int64_t tiles,
                        const std::function<double(const std::vector<std::int64_t>& block)>& cost) {
    return GridSearch(shape, grains, cost).run(tiles);
}

Storage gridStorage(const Shape& shape, const GridSplit& split,
                    const std::vector<std::int64_t>& grains, std::int64_t elementBytes,
                    std::int64_t channelGroup) {
    Storage storage;
    storage.atomSizes = shape;
    storage.elementBytes = elementBytes;
    std::vector<std::int32_t> strides(shape.size(), 1);
    std::int32_t stride = 1;
    const auto place = [&](std::size_t d) {
        strides[d] = stride;
        stride *= static_cast<std::int32_t>(split[d]);
    };
    if (shape.size() > 1)
        place(1);
    for (std::size_t d = shape.size(); d-- > 0;)
        if (d != 1)
            place(d);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        BlockedDim dim;
        if (shape[d] != 1)
            dim.atoms = {static_cast<int>(d)};
        dim.size = shape[d];
        dim.blocks = evenBlocks(shape[d], split[d], grains[d]);
        dim.digits = {{static_cast<std::int32_t>(split[d]), strides[d]}};
        storage.layout.blocking.dims.push_back(std::move(dim));
    }
    if (shape.size() > 1)
        storage.layout.order.push_back({1, 0});
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (d != 1)
            storage.layout.order.push_back({static_cast<int>(d), 0});
    if (shape.size() > 1)
        storage.layout.order.push_back({1, channelGroup});
    return storage;
}

std::int64_t channelGroupOf(std::int64_t channels) {
    for (const std::int64_t group : {16, 8, 4, 2})
        if (channels % group == 0)
            return group;
    return 1;
}

Storage activationStorage(const Target& target, const Shape& shape, std::int64_t elementBytes) {
    if (shape.size() < 3 || channelGroupOf(shape[1]) == 1)
        return linearStorage(shape, elementBytes, target.tilesPerIpu);
    const std::int64_t group = channelGroupOf(shape[1]);
    std::vector<std::int64_t> grains(shape.size(), 1);
    grains[1] = group;
    const GridSplit split = bestGridSplit(shape, grains, target.tilesPerIpu,
                                          [](const std::vector<std::int64_t>& block) {
                                              double elements = 1;
                                              for (const std::int64_t size : block)
                                                  elements *= static_cast<double>(size);
                                              return elements;
                                          });
    return gridStorage(shape, split, grains, elementBytes, group);
}

} // namespace tilescope::sim
