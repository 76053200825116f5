// Operations that move elements without computing: views, padding and rows.
#include "simulator/compute/kernels/moved_elements.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "core/base/error.h"
#include "simulator/compute/kernels/broadcast.h"

namespace tilescope::sim {
namespace {

std::vector<std::int64_t> rowMajorStrides(const Shape& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;)
        strides[d - 1] = strides[d] * shape[d];
    return strides;
}

/// Dimensions that are traversed together, joined where the steps of both sides allow it.
struct Walk {
    std::vector<std::int64_t> sizes, from, to;
};

Walk joinedWalk(const Shape& sizes, const std::vector<std::int64_t>& from,
                const std::vector<std::int64_t>& to) {
    Walk walk;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] == 1)
            continue;
        if (!walk.sizes.empty() && walk.from.back() == from[d] * sizes[d] &&
            walk.to.back() == to[d] * sizes[d]) {
            walk.sizes.back() *= sizes[d];
            walk.from.back() = from[d];
            walk.to.back() = to[d];
            continue;
        }
        walk.sizes.push_back(sizes[d]);
        walk.from.push_back(from[d]);
        walk.to.push_back(to[d]);
    }
    if (walk.sizes.empty())
        walk = {{1}, {1}, {1}};
    return walk;
}

void copyRow(const std::int32_t* from, std::int64_t stepFrom, std::int32_t* to, std::int64_t stepTo,
             std::int64_t count) {
    if (stepFrom == 1 && stepTo == 1) {
        std::copy_n(from, count, to);
        return;
    }
    for (std::int64_t i = 0; i < count; ++i)
        to[i * stepTo] = from[i * stepFrom];
}

/// Copies a matrix, in squares that stay in the cache where one side is traversed across its rows.
void copyPlane(const std::int32_t* from, std::int32_t* to, const Walk& walk, std::size_t rows) {
    const std::size_t last = walk.sizes.size() - 1;
    const std::int64_t height = walk.sizes[rows];
    const std::int64_t width = walk.sizes[last];
    const bool along = walk.from[last] == 1 && walk.to[last] == 1;
    const std::int64_t side = along ? width : 32;
    for (std::int64_t top = 0; top < height; top += side)
        for (std::int64_t left = 0; left < width; left += side)
            for (std::int64_t y = top; y < std::min(top + side, height); ++y)
                copyRow(from + y * walk.from[rows] + left * walk.from[last], walk.from[last],
                        to + y * walk.to[rows] + left * walk.to[last], walk.to[last],
                        std::min(side, width - left));
}

} // namespace

const std::int32_t* elementWords(const TensorData& data) {
    return data.isReal() ? reinterpret_cast<const std::int32_t*>(data.reals().data())
                         : data.ints().data();
}
std::int32_t* elementWords(TensorData& data) {
    return const_cast<std::int32_t*>(elementWords(std::as_const(data)));
}

void copyStrided(const std::int32_t* from, const std::vector<std::int64_t>& stepsFrom,
                 std::int32_t* to, const std::vector<std::int64_t>& stepsTo, const Shape& sizes) {
    const Walk walk = joinedWalk(sizes, stepsFrom, stepsTo);
    // The last two dimensions are one piece of work, unless they are long.
    const std::size_t rank = walk.sizes.size();
    const std::size_t outerRank = rank > 2 ? rank - 2 : 0;
    const std::int64_t pieces = std::accumulate(
        walk.sizes.begin(), walk.sizes.begin() + static_cast<std::ptrdiff_t>(outerRank),
        std::int64_t{1}, std::multiplies<>());
    const std::int64_t pieceElements = elementsOf(walk.sizes) / pieces;
    const auto runPiece = [&](std::int64_t piece) {
        const std::int32_t* source = from;
        std::int32_t* target = to;
        for (std::size_t d = outerRank; d-- > 0;) {
            source += piece % walk.sizes[d] * walk.from[d];
            target += piece % walk.sizes[d] * walk.to[d];
            piece /= walk.sizes[d];
        }
        if (rank == 1)
            copyRow(source, walk.from[0], target, walk.to[0], walk.sizes[0]);
        else
            copyPlane(source, target, walk, rank - 2);
    };
    if (pieces == 1 && rank == 2 && pieceElements > computeBlock) { // share out the rows
        constexpr std::int64_t rowsAtOnce = 64;
        inBlocks(walk.sizes[0], rowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
            Walk part = walk;
            part.sizes[0] = end - begin;
            copyPlane(from + begin * walk.from[0], to + begin * walk.to[0], part, 0);
        });
        return;
    }
    inBlocks(pieces, std::max<std::int64_t>(1, computeBlock / pieceElements),
             [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t piece = begin; piece < end; ++piece)
                     runPiece(piece);
             });
}

TensorData padded(const TensorData& data, const std::vector<std::int64_t>& begin, Shape shape,
                  double value) {
    TensorData result = TensorData::filled(data.type(), std::move(shape), value);
    const auto stepsFrom = rowMajorStrides(data.shape());
    const auto stepsTo = rowMajorStrides(result.shape());
    Shape sizes = data.shape();
    const std::int32_t* from = elementWords(data);
    std::int32_t* to = elementWords(result);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        const std::int64_t cropped = std::max<std::int64_t>(0, -begin[d]);
        const std::int64_t first = std::max<std::int64_t>(0, begin[d]);
        sizes[d] = std::min(sizes[d] - cropped, result.shape()[d] - first);
        if (sizes[d] <= 0)
            return result; // all of it is cropped
        from += cropped * stepsFrom[d];
        to += first * stepsTo[d];
    }
    copyStrided(from, stepsFrom, to, stepsTo, sizes);
    return result;
}

void compute(const ReshapeAttributes&, KernelCall& call) {
    call.outputs.at(0) =
        call.inputs.at(0).reshaped(call.graph.tensors[call.op.outputs.at(0)].shape);
}

void compute(const TransposeAttributes& transpose, KernelCall& call) {
    TensorData& result = call.make();
    const TensorData& operand = call.inputs.at(0);
    const auto steps = rowMajorStrides(operand.shape());
    std::vector<std::int64_t> permuted;
    for (const std::int64_t dim : transpose.permutation)
        permuted.push_back(steps[static_cast<std::size_t>(dim)]);
    copyStrided(elementWords(operand), permuted, elementWords(result),
                rowMajorStrides(result.shape()), result.shape());
}

void compute(const ConcatAttributes& concat, KernelCall& call) {
    TensorData& result = call.make();
    const auto steps = rowMajorStrides(result.shape());
    std::int32_t* to = elementWords(result);
    for (const TensorData& operand : call.inputs) {
        copyStrided(elementWords(operand), rowMajorStrides(operand.shape()), to, steps,
                    operand.shape());
        const auto axis = static_cast<std::size_t>(concat.axis);
        to += operand.shape()[axis] * steps[axis];
    }
}

void compute(const SliceAttributes& slice, KernelCall& call) {
    TensorData& result = call.make();
    const TensorData& operand = call.inputs.at(0);
    auto steps = rowMajorStrides(operand.shape());
    const std::int32_t* from = elementWords(operand);
    for (std::size_t d = 0; d < steps.size(); ++d) {
        from += slice.starts[d] * steps[d];
        steps[d] *= slice.steps[d];
    }
    copyStrided(from, steps, elementWords(result), rowMajorStrides(result.shape()), result.shape());
}

void compute(const ExpandAttributes&, KernelCall& call) {
    TensorData& result = call.make();
    const TensorData& operand = call.inputs.at(0);
    const std::size_t lead = result.shape().size() - operand.shape().size();
    const auto own = rowMajorStrides(operand.shape());
    std::vector<std::int64_t> steps(result.shape().size(), 0);
    for (std::size_t d = 0; d < own.size(); ++d)
        steps[lead + d] = operand.shape()[d] == 1 ? 0 : own[d];
    copyStrided(elementWords(operand), steps, elementWords(result), rowMajorStrides(result.shape()),
                result.shape());
}

void compute(const PadAttributes& pad, KernelCall& call) {
    call.outputs.at(0) = padded(call.inputs.at(0), pad.padsBegin,
                                call.graph.tensors[call.op.outputs.at(0)].shape, pad.value);
}

void compute(const FillAttributes&, KernelCall& call) {
    const Tensor& tensor = call.graph.tensors[call.op.outputs.at(0)];
    call.outputs.at(0) = TensorData::filled(tensor.type, tensor.shape, 0);
}

} // namespace tilescope::sim
