#include "simulator/lowering/operations/embedding_operands.h"

#include <iterator>
#include <utility>

#include "simulator/lowering/movement/views.h"

namespace tilescope::sim {

namespace {

std::pair<Storage, ViewDims> plannedTable(const LoweringContext& context,
                                          const EmbeddingLayout& layout, TensorId table,
                                          std::size_t axis) {
    const Tensor& t = context.tensor(table);
    std::vector<int> width, rows;
    for (std::size_t d = 0; d < t.shape.size(); ++d)
        if (t.shape[d] != 1)
            (d == axis ? rows : width).push_back(static_cast<int>(d));
    Storage storage;
    storage.atomSizes = t.shape;
    storage.elementBytes = bytesOf(t.type);
    storage.layout.blocking = layout.table(width, rows, EmbeddingLayout::Use::Storage);
    storage.layout.order = rowMajorOrder(identityView(t.shape.size()));
    return {std::move(storage), identityView(t.shape.size())};
}

} // namespace

void ensureTable(LoweringContext& context, const EmbeddingLayout& layout, TensorId table,
                 std::size_t axis) {
    context.ensurePlace(table, [&] { return plannedTable(context, layout, table, axis); });
}

void shareTable(LoweringContext& context, const EmbeddingLayout& layout, TensorId table,
                std::size_t axis) {
    if (context.tensor(table).role != TensorRole::Activation || layout.plan().splits.lookups == 1 ||
        context.storageOf(table).storage.layout.blocking.copyCount() > 1)
        return;
    auto [storage, view] = plannedTable(context, layout, table, axis);
    rearrangeTo(context, table, std::move(storage), std::move(view));
}

VariableId bringTable(LoweringContext& context, const EmbeddingLayout& layout, TensorId table,
                      std::size_t axis, OperandGather& gather) {
    const PlacedStorage placed = context.storageOf(table);
    const ViewDims& view = context.viewOf(table);
    std::vector<int> width, rows;
    std::vector<OrderLevel> wanted;
    for (std::size_t d = 0; d < view.size(); ++d)
        for (const int atom : withoutOnes(view[d], placed.storage)) {
            wanted.push_back({atom, 0});
            (d == axis ? rows : width).push_back(atom);
        }
    const Blocking need = layout.table(width, rows, EmbeddingLayout::Use::Need);
    return gather.bring(placed, planMove(context, placed, need, wanted), "baseT");
}

void preferApart(ProgramBuilder& builder, std::initializer_list<VariableId> operands) {
    for (auto one = operands.begin(); one != operands.end(); ++one)
        for (auto other = std::next(one); other != operands.end(); ++other)
            builder.preferApart(*other, *one);
}

VariableId bringIndices(LoweringContext& context, const EmbeddingLayout& layout, TensorId indices,
                        OperandGather& gather) {
    const PlacedStorage placed = context.storageOf(indices);
    const Blocking need = layout.indices(placed.storage.layout.blocking);
    return gather.bring(placed, planMove(context, placed, need, placed.storage.layout.order),
                        "offsets");
}

} // namespace tilescope::sim
