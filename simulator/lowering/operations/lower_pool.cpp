#include "simulator/lowering/operations/families.h"
#include "simulator/lowering/operations/pool_steps.h"

namespace tilescope::sim {
namespace {

/// A window that is the whole field: popops::reduce, which cuts the field, too.
void lowerAsReduction(LoweringContext& context, const Op& op, const PoolAttributes& pool) {
    ReduceAttributes reduce;
    reduce.function = pool.kind == PoolKind::Max       ? ReduceFunction::Max
                      : pool.kind == PoolKind::Average ? ReduceFunction::Mean
                                                       : ReduceFunction::Add;
    for (std::size_t d = 0; d < pool.kernel.size(); ++d)
        reduce.axes.push_back(static_cast<std::int64_t>(d) + 2);
    Op reduction = op;
    reduction.attributes = std::move(reduce);
    lowerReduce(context, reduction);
}

} // namespace

void lowerPool(LoweringContext& context, const Op& op) {
    const auto& pool = std::get<PoolAttributes>(op.attributes);
    const TensorId in = op.inputs[0];
    if (isGlobal(pool, context.tensor(in).shape)) {
        lowerAsReduction(context, op, pool);
        return;
    }
    context.ensurePlace(in);
    PoolSteps steps(context, pool, false, in, op.outputs[0]);
    const std::string name = op.name + "/" + (pool.kind == PoolKind::Max ? "maxPool" : "avgPool");
    OperandGather gather(context, name);
    const OperandMove move = steps.move(in, PoolSteps::Reads::Windows);
    const VariableId input = steps.bring(gather, context.storageOf(in), move, "in0");
    gather.emit();
    steps.execute(name, {input});
}

} // namespace tilescope::sim
