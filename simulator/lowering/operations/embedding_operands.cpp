#include "simulator/lowering/operations/embedding_operands.h"

namespace tilescope::sim {

void ensureTable(LoweringContext& context, const EmbeddingLayout& layout, TensorId table,
                 std::size_t axis) {
    context.ensurePlace(table, [&] {
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
        return std::pair(std::move(storage), identityView(t.shape.size()));
    });
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

VariableId bringIndices(LoweringContext& context, const EmbeddingLayout& layout, TensorId indices,
                        OperandGather& gather) {
    const PlacedStorage placed = context.storageOf(indices);
    const Blocking need = layout.indices(placed.storage.layout.blocking);
    return gather.bring(placed, planMove(context, placed, need, placed.storage.layout.order),
                        "offsets");
}

} // namespace tilescope::sim
