// Rows chosen by indices.
#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "simulator/compute/kernels/broadcast.h"
#include "simulator/compute/kernels/moved_elements.h"

namespace tilescope::sim {
namespace {

/// Row numbers; those below zero count from the end. Throws UserError for rows that do not exist.
std::vector<std::int64_t> checkedRows(const KernelCall& call, const TensorData& indices,
                                      std::int64_t rows) {
    std::vector<std::int64_t> list(static_cast<std::size_t>(indices.elements()));
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto index = static_cast<std::int64_t>(indices.number(static_cast<std::int64_t>(i)));
        list[i] = index < 0 ? index + rows : index;
        if (list[i] < 0 || list[i] >= rows)
            throw UserError(fmt::format("'{}' ({}) reads row {} of {}; give it indices from 0 to "
                                        "{}",
                                        call.op.name, call.op.type, index, rows, rows - 1));
    }
    return list;
}

/// A tensor as [outer, rows, inner] around an axis.
struct AroundAxis {
    std::int64_t outer = 1, rows = 1, inner = 1;
};
AroundAxis aroundAxis(const Shape& shape, std::int64_t axis) {
    const auto middle = shape.begin() + static_cast<std::ptrdiff_t>(axis);
    return {elementsOf({shape.begin(), middle}), *middle, elementsOf({middle + 1, shape.end()})};
}

/// Columns that a thread updates at a time. Threads share out columns, since rows may occur twice.
constexpr std::int64_t columnBlock = 512;

template <class T> T updatedElement(UpdateFunction function, T old, T given) {
    switch (function) {
    case UpdateFunction::Add:
        return old + given;
    case UpdateFunction::Set:
        return given;
    case UpdateFunction::Multiply:
        return old * given;
    case UpdateFunction::Max:
        return old > given ? old : given;
    }
    return given;
}

template <class T>
void updateRows(UpdateFunction function, const AroundAxis& table,
                const std::vector<std::int64_t>& rows, T* to, const T* from) {
    const auto count = static_cast<std::int64_t>(rows.size());
    const std::int64_t columnParts = ceilDiv(table.inner, columnBlock);
    inBlocks(table.outer * columnParts, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t part = begin; part < end; ++part) {
            const std::int64_t outer = part / columnParts;
            const std::int64_t left = part % columnParts * columnBlock;
            const std::int64_t right = std::min(left + columnBlock, table.inner);
            for (std::int64_t i = 0; i < count; ++i) {
                const std::int64_t row = rows[static_cast<std::size_t>(i)];
                T* own = to + (outer * table.rows + row) * table.inner;
                const T* given = from + (outer * count + i) * table.inner;
                for (std::int64_t c = left; c < right; ++c)
                    own[c] = updatedElement(function, own[c], given[c]);
            }
        }
    });
}

} // namespace

void compute(const GatherAttributes& gather, KernelCall& call) {
    TensorData& result = call.make();
    const TensorData& data = call.inputs.at(0);
    const AroundAxis table = aroundAxis(data.shape(), gather.axis);
    const auto rows = checkedRows(call, call.inputs.at(1), table.rows);
    const auto count = static_cast<std::int64_t>(rows.size());
    const std::int32_t* from = elementWords(data);
    std::int32_t* to = elementWords(result);
    inBlocks(table.outer * count, std::max<std::int64_t>(1, computeBlock / table.inner),
             [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                     const std::int64_t row = rows[static_cast<std::size_t>(i % count)];
                     std::copy_n(from + (i / count * table.rows + row) * table.inner, table.inner,
                                 to + i * table.inner);
                 }
             });
}

void compute(const MultiUpdateAttributes& update, KernelCall& call) {
    TensorData& result = call.outputs.at(0) = call.inputs.at(0);
    const AroundAxis table = aroundAxis(result.shape(), update.axis);
    const auto rows = checkedRows(call, call.inputs.at(1), table.rows);
    const TensorData& given = call.inputs.at(2);
    if (given.elements() != table.outer * table.inner * static_cast<std::int64_t>(rows.size()))
        throw InternalError(fmt::format("'{}' does not have a row per index", call.op.name));
    if (result.isReal())
        updateRows(update.function, table, rows, result.reals().data(), given.reals().data());
    else
        updateRows(update.function, table, rows, result.ints().data(), given.ints().data());
}

} // namespace tilescope::sim
