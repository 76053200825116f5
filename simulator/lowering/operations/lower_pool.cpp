#include <algorithm>

#include "simulator/cost/elementwise_cycles.h"
#include "simulator/cost/exchange_cycles.h"
#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/operations/families.h"
#include "simulator/lowering/operations/grid.h"

namespace tilescope::sim {
namespace {

FieldDim fieldDim(const PoolAttributes& pool, const Shape& in, const Shape& out, std::size_t d) {
    return {in[d + 2],       out[d + 2],        pool.kernel[d],
            pool.strides[d], pool.dilations[d], pool.padsBegin[d]};
}

std::int64_t windowOf(const PoolAttributes& pool) {
    std::int64_t window = 1;
    for (const std::int64_t size : pool.kernel)
        window *= size;
    return window;
}

} // namespace

void lowerPool(LoweringContext& context, const Op& op) {
    const auto& pool = std::get<PoolAttributes>(op.attributes);
    const TensorId in = op.inputs[0];
    const TensorId out = op.outputs[0];
    context.ensurePlace(in);
    const Shape& inShape = context.tensor(in).shape;
    const Shape& outShape = context.tensor(out).shape;
    const DataType type = context.tensor(in).type;
    const Target& target = context.target();
    const std::int64_t window = windowOf(pool);

    // Channels are pooled a 64-bit vector at a time.
    std::vector<std::int64_t> grains(outShape.size(), 1);
    grains[1] = std::min(channelGroupOf(outShape[1]), 8 / bytesOf(type));
    const auto cost = [&](const std::vector<std::int64_t>& block) {
        std::int64_t outputs = 1;
        std::int64_t inputs = block[0] * block[1];
        for (const std::int64_t size : block)
            outputs *= size;
        for (std::size_t d = 0; d < pool.kernel.size(); ++d)
            inputs *= std::min(block[d + 2] * pool.kernel[d],
                               (block[d + 2] - 1) * pool.strides[d] +
                                   (pool.kernel[d] - 1) * pool.dilations[d] + 1);
        return static_cast<double>(poolCycles(target, pool.kind, outputs, window, type) +
                                   exchangeCycles(target, inputs * bytesOf(type)));
    };
    const GridSplit split = bestGridSplit(outShape, grains, target.tilesPerIpu, cost);
    Storage result =
        gridStorage(outShape, split, grains, bytesOf(type), channelGroupOf(outShape[1]));

    // Every tile reads the window of its outputs.
    const PlacedStorage placed = context.storageOf(in);
    Blocking need;
    for (std::size_t d = 0; d < outShape.size(); ++d) {
        BlockedDim dim = result.layout.blocking.dims[d];
        dim.atoms = withoutOnes(context.viewOf(in)[d], placed.storage);
        dim.size = inShape[d];
        if (d >= 2) {
            const FieldDim field = fieldDim(pool, inShape, outShape, d - 2);
            for (Interval& block : dim.blocks) {
                const FieldRange range =
                    inputRange(field, {block.begin, block.end}, {0, field.kernel});
                // Dilated windows skip indices between those that they read.
                const std::int64_t read =
                    std::min(range.end - range.begin, block.size() * field.kernel);
                block = {range.begin, range.begin + read};
            }
        }
        if (dim.atoms.empty() && dim.size == 1)
            need.copies.insert(need.copies.end(), dim.digits.begin(), dim.digits.end());
        else
            need.dims.push_back(std::move(dim));
    }
    std::vector<OrderLevel> order;
    for (const OrderLevel& level : result.layout.order) {
        const auto atoms =
            withoutOnes(context.viewOf(in)[static_cast<std::size_t>(level.atom)], placed.storage);
        for (std::size_t i = 0; i < atoms.size(); ++i)
            if (level.extent == 0 || i + 1 == atoms.size())
                order.push_back({atoms[i], level.extent});
    }
    const std::string name = op.name + "/" + (pool.kind == PoolKind::Max ? "maxPool" : "avgPool");
    const OperandMove move = planMove(context, placed, need, order);
    OperandGather gather(context, name);
    const VariableId input = gather.bring(placed, move, "in0");
    gather.emit();
    const TileSeries outputs = result.layout.blocking.elements();
    const VariableId made =
        context.makeResult(out, op.name + "/out", std::move(result), identityView(outShape.size()));
    const TileSeries cycles = outputs.mapped(
        [&](std::int64_t n) { return poolCycles(target, pool.kind, n, window, type); });
    const TileSeries one = outputs.ones();
    context.builder().execute(name, cycles, {{poolVertex(pool.kind, type), one}},
                              {{input}, {made}});
}

} // namespace tilescope::sim
