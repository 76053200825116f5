// Gradients of poolings, and tensors of zeros.
#include <algorithm>
#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/cost/exchange_cycles.h"
#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/operations/families.h"
#include "simulator/lowering/operations/grid.h"

namespace tilescope::sim {
namespace {

/// Windows that an input index lies in, at most.
std::int64_t windowsOf(const PoolAttributes& pool, const Shape& pooled) {
    std::int64_t windows = 1;
    for (std::size_t d = 0; d < pool.kernel.size(); ++d)
        windows *= std::min(pooled[d + 2], ceilDiv(pool.kernel[d], pool.strides[d]));
    return windows;
}

/// Pooled indices whose windows touch input indices [begin, end) of dimension `d`.
Interval windowsOver(const PoolAttributes& pool, std::size_t d, Interval in, std::int64_t pooled) {
    const std::int64_t span = (pool.kernel[d] - 1) * pool.dilations[d];
    const std::int64_t stride = pool.strides[d];
    const std::int64_t low = std::max<std::int64_t>(0, in.begin + pool.padsBegin[d] - span);
    const std::int64_t first = std::min(pooled, ceilDiv(low, stride));
    const std::int64_t last = (in.end - 1 + pool.padsBegin[d]) / stride + 1;
    return {first, std::clamp(last, first, pooled)};
}

class PoolGradLowering {
public:
    PoolGradLowering(LoweringContext& context, const Op& op)
        : context_(context)
        , op_(op)
        , pool_(std::get<PoolGradAttributes>(op.attributes).pool)
        , in_(context.tensor(op.outputs[0]).shape)
        , pooled_(context.tensor(op.inputs[0]).shape)
        , type_(context.tensor(op.inputs[0]).type) {}

    void run() {
        const std::string name = op_.name + "/poolInputGradient";
        Storage result = spread();
        OperandGather gather(context_, name);
        Access access;
        for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
            context_.ensurePlace(op_.inputs[i]);
            const bool ofInput = i == 1;
            const PlacedStorage placed = context_.storageOf(op_.inputs[i]);
            const OperandMove move = planMove(
                context_, placed, need(result, op_.inputs[i], ofInput), orderOf(result, i));
            access.reads.push_back(gather.bring(placed, move, fmt::format("in{}", i)));
        }
        gather.emit();
        const TileSeries elements = result.layout.blocking.elements();
        const VariableId made = context_.makeResult(op_.outputs[0], op_.name + "/out",
                                                    std::move(result), identityView(in_.size()));
        access.writes = {made};
        const std::int64_t windows = windowsOf(pool_, pooled_);
        const TileSeries cycles = elements.mapped([&](std::int64_t n) {
            return poolCycles(context_.target(), pool_.kind, n, windows, type_);
        });
        const auto vertex = fmt::format(
            "popnn::{}<{}>", pool_.kind == PoolKind::Max ? "MaxPoolingGradient" : "SumPooling",
            toString(type_));
        context_.builder().execute(name, cycles, {{vertex, elements.ones()}}, std::move(access));
    }

private:
    Storage spread() const {
        std::vector<std::int64_t> grains(in_.size(), 1);
        grains[1] = std::min(channelGroupOf(in_[1]), 8 / bytesOf(type_));
        const std::int64_t windows = windowsOf(pool_, pooled_);
        const Target& target = context_.target();
        const auto cost = [&](const std::vector<std::int64_t>& block) {
            std::int64_t elements = 1;
            for (const std::int64_t size : block)
                elements *= size;
            return static_cast<double>(poolCycles(target, pool_.kind, elements, windows, type_) +
                                       exchangeCycles(target, elements * bytesOf(type_)));
        };
        const GridSplit split = bestGridSplit(in_, grains, target.tilesPerIpu, cost);
        return gridStorage(in_, split, grains, bytesOf(type_), channelGroupOf(in_[1]));
    }

    Blocking need(const Storage& result, TensorId operand, bool ofInput) {
        const PlacedStorage& placed = context_.storageOf(operand);
        const Shape& shape = context_.tensor(operand).shape;
        Blocking need;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            BlockedDim dim = result.layout.blocking.dims[d];
            dim.atoms = withoutOnes(context_.viewOf(operand)[d], placed.storage);
            dim.size = shape[d];
            if (d >= 2 && !ofInput)
                for (Interval& block : dim.blocks)
                    block = windowsOver(pool_, d - 2, block, pooled_[d]);
            if (dim.atoms.empty() && dim.size == 1)
                need.copies.insert(need.copies.end(), dim.digits.begin(), dim.digits.end());
            else
                need.dims.push_back(std::move(dim));
        }
        return need;
    }

    std::vector<OrderLevel> orderOf(const Storage& result, std::size_t operand) {
        const TensorId id = op_.inputs[operand];
        std::vector<OrderLevel> order;
        for (const OrderLevel& level : result.layout.order) {
            const auto atoms =
                withoutOnes(context_.viewOf(id)[static_cast<std::size_t>(level.atom)],
                            context_.storageOf(id).storage);
            for (std::size_t i = 0; i < atoms.size(); ++i)
                if (level.extent == 0 || i + 1 == atoms.size())
                    order.push_back({atoms[i], level.extent});
        }
        return order;
    }

    LoweringContext& context_;
    const Op& op_;
    const PoolAttributes& pool_;
    const Shape& in_;
    const Shape& pooled_;
    DataType type_;
};

} // namespace

void lowerPoolGrad(LoweringContext& context, const Op& op) {
    PoolGradLowering(context, op).run();
}

void lowerFill(LoweringContext& context, const Op& op) {
    const Tensor& t = context.tensor(op.outputs[0]);
    const bool follows = t.layoutOf.valid() && context.hasPlace(t.layoutOf);
    Storage storage = follows
                          ? context.storageOf(t.layoutOf).storage
                          : linearStorage(t.shape, bytesOf(t.type), context.target().tilesPerIpu);
    storage.elementBytes = bytesOf(t.type);
    const TileSeries elements = storage.layout.blocking.elements();
    const VariableId made =
        context.makeResult(op.outputs[0], op.name + "/out", std::move(storage),
                           follows ? context.viewOf(t.layoutOf) : identityView(t.shape.size()));
    const TileSeries cycles = elements.mapped([&](std::int64_t n) {
        return elementwiseCycles(context.target(), ElementwiseFunction::Zero, Operands::Unary,
                                 false, t.type, n);
    });
    context.builder().execute(
        op.name + "/Fill", cycles,
        {{fmt::format("popops::Fill<{}>", toString(t.type)), elements.ones()}}, {{}, {made}});
}

} // namespace tilescope::sim
