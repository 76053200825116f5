#include "simulator/frontend/convert/rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tilescope::sim {

namespace {

/// Rows of one slice: evenly spaced, or one row `count` times.
struct RowPiece {
    std::int64_t first = 0;
    std::int64_t count = 1;
    std::int64_t step = 0; ///< 0: a repeated row
    std::int64_t each = 1; ///< how often each row occurs in succession
};

std::vector<RowPiece> runsOf(const std::vector<std::int64_t>& rows) {
    std::vector<RowPiece> runs;
    for (const std::int64_t row : rows) {
        if (!runs.empty() && runs.back().first == row)
            ++runs.back().each;
        else
            runs.push_back({row, 1, 0, 1});
    }
    return runs;
}

/// Joins runs of the same length whose rows are evenly spaced.
std::vector<RowPiece> piecesOf(const std::vector<std::int64_t>& rows) {
    std::vector<RowPiece> pieces;
    for (const RowPiece& run : runsOf(rows)) {
        if (!pieces.empty()) {
            RowPiece& last = pieces.back();
            const std::int64_t step = run.first - last.first;
            const bool opens = last.count == 1;
            if (run.each == last.each &&
                (opens || run.first == last.first + last.count * last.step)) {
                last.step = opens ? step : last.step;
                ++last.count;
                continue;
            }
        }
        pieces.push_back(run);
    }
    return pieces;
}

TensorId emitPiece(NodeConverter& node, const std::string& part, TensorId x, std::size_t axis,
                   const RowPiece& piece) {
    const std::int64_t step = piece.count == 1 ? 1 : piece.step;
    TensorId rows = rowsFrom(node, part + "/slice", x, axis, piece.first, piece.count, step);
    if (piece.each == 1)
        return rows;
    Shape split = node.shapeOf(rows);
    split.insert(split.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 1);
    Shape repeated = split;
    repeated[axis + 1] = piece.each;
    Shape joined = node.shapeOf(rows);
    joined[axis] *= piece.each;
    rows = node.reshape(part + "/split", rows, split);
    rows = node.emit(part + "/expand", ExpandAttributes{}, {rows}, repeated);
    return node.reshape(part + "/join", rows, joined);
}

} // namespace

SliceAttributes wholeSlice(std::size_t rank) {
    return {std::vector<std::int64_t>(rank, 0), std::vector<std::int64_t>(rank, 1)};
}

TensorId rowsFrom(NodeConverter& node, const std::string& part, TensorId x, std::size_t axis,
                  std::int64_t first, std::int64_t count, std::int64_t step) {
    Shape shape = node.shapeOf(x);
    const std::int64_t last = first + std::max<std::int64_t>(count - 1, 0) * step;
    if (axis >= shape.size() || std::min(first, last) < 0 || std::max(first, last) >= shape[axis])
        NodeConverter::refuse(
            fmt::format("an operand of shape {} has too few rows", toString(shape)));
    if (first == 0 && step == 1 && shape[axis] == count)
        return x;
    SliceAttributes slice = wholeSlice(shape.size());
    slice.starts[axis] = first;
    slice.steps[axis] = step;
    shape[axis] = count;
    return node.emit(part, slice, {x}, shape);
}

TensorId constantLike(NodeConverter& node, const std::string& part, TensorId like, Shape shape,
                      const ElementNumbers& numbers) {
    return node.constantTensor(part, node.builder().tensor(like).type, std::move(shape), numbers);
}

TensorId indexConstant(NodeConverter& node, const std::string& part, Shape shape,
                       const ElementNumbers& numbers) {
    return node.constantTensor(part, DataType::Int32, std::move(shape), numbers);
}

double elementNumber(std::int64_t i) {
    return static_cast<double>(i);
}

void checkListedRows(std::int64_t rows) {
    constexpr std::int64_t most = 1 << 21;
    if (rows < -most || rows > most)
        NodeConverter::refuse(fmt::format("{} rows along one dimension are too many", rows));
}

TensorId selectRows(NodeConverter& node, const std::string& part, TensorId x, std::size_t axis,
                    const std::vector<std::int64_t>& rows) {
    constexpr std::size_t mostPieces = 16; // each is a copy program of its own
    const std::vector<RowPiece> pieces = piecesOf(rows);
    if (pieces.size() > mostPieces) {
        const auto count = static_cast<std::int64_t>(rows.size());
        return node.emit(part, GatherAttributes{static_cast<std::int64_t>(axis)},
                         {x, indexConstant(node, part + "/rows", {count}, [&](std::int64_t i) {
                              return static_cast<double>(rows[static_cast<std::size_t>(i)]);
                          })});
    }
    std::vector<TensorId> parts;
    for (const RowPiece& piece : pieces)
        parts.push_back(emitPiece(node, part, x, axis, piece));
    if (parts.size() == 1)
        return parts.front();
    return node.emit(part, ConcatAttributes{static_cast<std::int64_t>(axis)}, parts);
}

} // namespace tilescope::sim
