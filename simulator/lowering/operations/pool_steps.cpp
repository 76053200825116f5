#include "simulator/lowering/operations/pool_steps.h"

#include <algorithm>

#include "simulator/lowering/operations/grid.h"
#include "simulator/lowering/operations/pool_work.h"

namespace tilescope::sim {
namespace {

/// A level of the result's order as levels of the atoms that a dimension has elsewhere: a group may
/// be several whole indices of an outer atom.
void addLevels(std::vector<OrderLevel>& order, const std::vector<int>& atoms, std::int64_t extent,
               const Storage& storage) {
    if (extent == 0) {
        for (const int atom : atoms)
            order.push_back({atom, 0});
        return;
    }
    std::vector<OrderLevel> levels;
    for (auto atom = atoms.rbegin(); atom != atoms.rend() && extent > 0; ++atom) {
        const std::int64_t size = storage.atomSizes[static_cast<std::size_t>(*atom)];
        levels.push_back({*atom, std::min(size, extent)});
        extent = extent > size && extent % size == 0 ? extent / size : 0;
    }
    order.insert(order.end(), levels.rbegin(), levels.rend());
}

} // namespace

std::int64_t storedChannelGroup(LoweringContext& context, TensorId tensor) {
    const Storage& storage = context.storageOf(tensor).storage;
    const std::vector<int> channels = withoutOnes(context.viewOf(tensor)[1], storage);
    for (auto level = storage.layout.order.rbegin(); level != storage.layout.order.rend();
         ++level) {
        const std::int64_t size = storage.atomSizes[static_cast<std::size_t>(level->atom)];
        if (size == 1 || level->extent == 1)
            continue;
        if (channels.empty() || level->atom != channels.back())
            break;
        return level->extent == 0 ? size : std::min(size, level->extent);
    }
    return 1;
}

bool isGlobal(const PoolAttributes& pool, const Shape& in) {
    for (std::size_t d = 0; d < pool.kernel.size(); ++d)
        if (pool.kernel[d] != in[d + 2] || pool.padsBegin[d] != 0 || pool.padsEnd[d] != 0)
            return false;
    return true;
}

std::vector<FieldDim> poolField(const PoolAttributes& pool, const Shape& in, const Shape& out,
                                bool gradient) {
    std::vector<FieldDim> field;
    for (std::size_t d = 0; d < pool.kernel.size(); ++d) {
        const std::int64_t span = (pool.kernel[d] - 1) * pool.dilations[d];
        if (gradient)
            field.push_back({out[d + 2], in[d + 2], pool.kernel[d], 1, pool.dilations[d],
                             span - pool.padsBegin[d], pool.strides[d]});
        else
            field.push_back({in[d + 2], out[d + 2], pool.kernel[d], pool.strides[d],
                             pool.dilations[d], pool.padsBegin[d], 1});
    }
    return field;
}

PoolSteps::PoolSteps(LoweringContext& context, const PoolAttributes& pool, bool gradient,
                     TensorId operand, TensorId result)
    : context_(context)
    , result_(result) {
    const Shape& shape = context.tensor(result).shape;
    const Shape& other = context.tensor(operand).shape;
    PoolProblem problem;
    problem.kind = pool.kind;
    problem.gradient = gradient;
    problem.type = context.tensor(operand).type;
    problem.batch = shape[0];
    problem.channels = shape[1];
    problem.field = poolField(pool, gradient ? shape : other, gradient ? other : shape, gradient);
    problem.storedGroup = storedChannelGroup(context, operand);
    plan_ = planPool(context.target(), problem);
    storage_ = gridStorage(shape, plan_.splits, plan_.grains, bytesOf(context.tensor(result).type),
                           plan_.group.channels);
    std::vector<OrderLevel>& order = storage_.layout.order;
    const auto within = [&](std::size_t dim, std::int64_t extent) {
        if (extent > 1)
            order.insert(order.end() - 1, {static_cast<int>(dim), extent});
    };
    within(shape.size() - 1, plan_.group.inner);
    within(0, plan_.group.batch);
}

Blocking PoolSteps::need(TensorId operand, Reads reads) const {
    const PlacedStorage& placed = context_.storageOf(operand);
    const Shape& shape = context_.tensor(operand).shape;
    Blocking need;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        BlockedDim dim = storage_.layout.blocking.dims[d];
        dim.atoms = withoutOnes(context_.viewOf(operand)[d], placed.storage);
        dim.size = shape[d];
        if (d >= 2 && reads == Reads::Windows) {
            const FieldDim& field = plan_.problem.field[d - 2];
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
    return need;
}

OperandMove PoolSteps::move(TensorId operand, Reads reads) const {
    const PlacedStorage& placed = context_.storageOf(operand);
    std::vector<OrderLevel> order;
    for (const OrderLevel& level : storage_.layout.order)
        addLevels(order,
                  withoutOnes(context_.viewOf(operand)[static_cast<std::size_t>(level.atom)],
                              placed.storage),
                  level.extent, placed.storage);
    return planMove(context_, placed, need(operand, reads), order);
}

VariableId PoolSteps::bring(OperandGather& gather, const PlacedStorage& placed,
                            const OperandMove& move, const std::string& role) {
    const VariableId brought = gather.bring(placed, move, role);
    if (brought != placed.variable)
        context_.builder().keepApart(brought, placed.variable);
    return brought;
}

void PoolSteps::execute(const std::string& name, std::vector<VariableId> operands) {
    ProgramBuilder& b = context_.builder();
    const Op& op = context_.graph().ops[context_.current()];
    const PoolWork work(context_.target(), plan_, storage_.layout.blocking);
    const std::string vertex =
        poolVertexName(plan_.vertexOf(1, plan_.group.channels), plan_.problem.type);
    operands.push_back(
        b.constant(work.content(), name + "/worklist", work.worklistBytes(), "unsigned short"));
    const std::size_t rank = context_.tensor(result_).shape.size();
    const VariableId made =
        context_.makeResult(result_, op.name + "/out", std::move(storage_), identityView(rank));
    VertexUse use{vertex, work.cycles().ones()};
    use.listBytes = work.listBytes();
    b.execute(name, work.cycles(), {std::move(use)}, {std::move(operands), {made}});
}

} // namespace tilescope::sim
