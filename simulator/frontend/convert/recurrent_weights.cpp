#include "simulator/frontend/convert/recurrent_weights.h"

#include <optional>

#include "simulator/frontend/onnx_types/weight_values.h"

namespace tilescope::sim {
namespace {

std::optional<TensorData> numbersOf(const Value& operand, DataType type) {
    if (operand.data)
        return dataOf(*operand.data, type);
    if (operand.large)
        return converted(*operand.large, type);
    return std::nullopt;
}

/// Puts the transposed gates of W or R, `size` numbers each, into rows of the product from `row`.
void addColumns(TensorData& product, const TensorData& from, std::int64_t first, std::int64_t size,
                std::int64_t row) {
    const std::int64_t columns = product.shape()[1];
    for (std::int64_t c = 0; c < columns; ++c)
        for (std::int64_t i = 0; i < size; ++i)
            product.setNumber((row + i) * columns + c, from.number((first + c) * size + i));
}

} // namespace

std::shared_ptr<const TensorData> cellWeightValue(const RecurrentCell& cell,
                                                  const CellWeight& weight, std::int64_t direction,
                                                  const RecurrentOperands& operands) {
    const std::int64_t all = cell.gates() * cell.units;
    const std::int64_t firstGate = weight.firstGate * cell.units;
    auto made = std::make_shared<TensorData>(cell.type, weight.shape);
    if (weight.use == CellWeight::Use::Product) {
        std::int64_t row = 0;
        const auto add = [&](const Value* operand, std::int64_t size) {
            const auto from = numbersOf(*operand, cell.type);
            if (from)
                addColumns(*made, *from, direction * all + firstGate, size, row);
            row += size;
            return from.has_value();
        };
        if ((weight.ofInput && !add(operands.w, cell.inputs)) ||
            (weight.ofHidden && !add(operands.r, cell.units)))
            return nullptr;
        return made;
    }
    const auto from = numbersOf(*operands.b, cell.type);
    if (!from)
        return nullptr;
    const std::int64_t first = direction * 2 * all + firstGate;
    for (std::int64_t i = 0; i < made->elements(); ++i)
        made->setNumber(i, (weight.ofInput ? from->number(first + i) : 0) +
                               (weight.ofHidden ? from->number(first + all + i) : 0));
    return made;
}

} // namespace tilescope::sim
