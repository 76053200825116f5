// Matrix products: of reals by oneDNN, of whole numbers here.
#include "simulator/compute/kernels/elementwise_loops.h"
#include "simulator/compute/kernels/onednn.h"
#include "simulator/compute/kernels/partial_convolutions.h"

namespace tilescope::sim {
namespace {

using Library = ComputeContext::Library;
using Dims = dnnl::memory::dims;

/// Sizes and strides of an operand as a stack of matrices of the result's rank.
struct MatrixStack {
    Dims dims, strides;
};

MatrixStack asStack(const Shape& shape, std::size_t rank, bool transposed) {
    MatrixStack stack{Dims(rank - shape.size(), 1), Dims(rank, 1)};
    stack.dims.insert(stack.dims.end(), shape.begin(), shape.end());
    for (std::size_t d = rank; d-- > 1;)
        stack.strides[d - 1] = stack.strides[d] * stack.dims[d];
    if (transposed) {
        std::swap(stack.dims[rank - 1], stack.dims[rank - 2]);
        std::swap(stack.strides[rank - 1], stack.strides[rank - 2]);
    }
    return stack;
}

/// Joins leading dimensions of the result where all operands have them whole, so that few remain,
/// and the rows of all matrices where the second operand is the same for all.
void joinLeading(MatrixStack& a, MatrixStack& b, MatrixStack& result) {
    const auto joins = [](const MatrixStack& stack, std::size_t d, bool both) {
        return both && stack.strides[d] == stack.strides[d + 1] * stack.dims[d + 1];
    };
    for (std::size_t d = 0; d + 2 < result.dims.size();) {
        const bool isRows = d + 3 == result.dims.size();
        const bool wholeA =
            a.dims[d] == result.dims[d] && (isRows || a.dims[d + 1] == result.dims[d + 1]);
        const bool wholeB = b.dims[d] == result.dims[d] && b.dims[d + 1] == result.dims[d + 1];
        const bool noneB = b.dims[d] == 1 && (isRows || b.dims[d + 1] == 1);
        const bool possible = joins(a, d, wholeA) && joins(result, d, true) &&
                              (isRows ? noneB : noneB || joins(b, d, wholeB));
        if (!possible) {
            ++d;
            continue;
        }
        const auto at = static_cast<std::ptrdiff_t>(d);
        for (MatrixStack* stack : {&a, &result}) {
            stack->dims[d + 1] *= stack->dims[d];
            stack->dims.erase(stack->dims.begin() + at);
            stack->strides.erase(stack->strides.begin() + at);
        }
        if (!isRows)
            b.dims[d + 1] *= b.dims[d];
        b.dims.erase(b.dims.begin() + at);
        b.strides.erase(b.strides.begin() + at);
    }
}

/// Strides of dimensions of size one have no meaning, but oneDNN takes them for those of rows all
/// the same.
void stateUnusedSteps(MatrixStack& stack) {
    const std::size_t columns = stack.dims.size() - 1;
    const std::size_t rows = columns - 1;
    if (stack.dims[rows] == 1)
        stack.strides[rows] = stack.dims[columns];
    else if (stack.dims[columns] == 1)
        stack.strides[columns] = stack.dims[rows];
}

dnnl::memory::desc orderOf(const MatrixStack& stack) {
    return {stack.dims, dnnl::memory::data_type::f32, stack.strides};
}

Library::Signature signatureOf(const MatrixStack& a, const MatrixStack& b) {
    constexpr std::int64_t isProduct = -1;
    Library::Signature all{isProduct, static_cast<std::int64_t>(a.dims.size())};
    for (const Dims* list : {&a.dims, &a.strides, &b.dims, &b.strides})
        all.insert(all.end(), list->begin(), list->end());
    return all;
}

void multiplyReals(const MatMulAttributes& product, KernelCall& call) {
    TensorData& made = call.make();
    const TensorData left = asReals(call.inputs.at(0));
    const TensorData right = asReals(call.inputs.at(1));
    const std::size_t rank = made.shape().size();
    MatrixStack a = asStack(left.shape(), rank, product.transposeA);
    MatrixStack b = asStack(right.shape(), rank, product.transposeB);
    MatrixStack result = asStack(made.shape(), rank, false);
    joinLeading(a, b, result);
    stateUnusedSteps(a);
    stateUnusedSteps(b);
    Library& library = call.context.library();
    const auto [entry, isNew] = library.primitives.try_emplace(signatureOf(a, b));
    if (isNew) {
        const dnnl::matmul::primitive_desc primitive(
            dnnl::matmul::desc(orderOf(a), orderOf(b), orderOf(result)), library.engine);
        entry->second = {dnnl::matmul(primitive),
                         {DNNL_ARG_SRC, orderOf(a), primitive.src_desc()},
                         {DNNL_ARG_WEIGHTS, orderOf(b), primitive.weights_desc()},
                         {DNNL_ARG_DST, orderOf(result), primitive.dst_desc()}};
        library.prepare(entry->second);
    }
    library.run(entry->second, left, right, made.reals().data());
}

/// Offset of the operand of the n-th matrix in a result's stack.
std::int64_t matrixOffset(const MatrixStack& stack, const Dims& result, std::int64_t n) {
    std::int64_t offset = 0;
    for (std::size_t d = result.size() - 2; d-- > 0;) {
        if (stack.dims[d] != 1)
            offset += n % result[d] * stack.strides[d];
        n /= result[d];
    }
    return offset;
}

/// Matrix by matrix, each in the parts in which the device sums it.
void multiplyInHalves(const MatMulAttributes& product, KernelCall& call) {
    TensorData& made = call.make();
    const TensorData& left = call.inputs.at(0);
    const TensorData& right = call.inputs.at(1);
    const std::size_t rank = made.shape().size();
    MatrixStack a = asStack(left.shape(), rank, product.transposeA);
    MatrixStack b = asStack(right.shape(), rank, product.transposeB);
    MatrixStack result = asStack(made.shape(), rank, false);
    joinLeading(a, b, result);
    const std::size_t columns = result.dims.size() - 1;
    const std::size_t rows = columns - 1;
    PartialProduct one;
    one.rows = result.dims[rows];
    one.aRow = a.strides[rows];
    one.aChannel = a.strides[columns];
    one.bChannel = b.strides[rows];
    one.outRow = result.strides[rows];
    WindowDim along{result.dims[columns], 1};
    for (std::int64_t i = 0; i < along.columns; ++i)
        along.places.push_back(i * b.strides[columns]);
    one.window = {along};
    const SumOrder& order = call.context.sumOrders.of(*call.partials, a.dims[columns], {});
    const HalfRounding rounding = partialRounding(call.context);
    std::uint64_t key = roundingKey(call.place);
    const std::int64_t each = one.rows * along.columns;
    for (std::int64_t n = 0; n < (each == 0 ? 0 : made.elements() / each); ++n) {
        one.a = left.reals().data() + matrixOffset(a, result.dims, n);
        one.b = right.reals().data() + matrixOffset(b, result.dims, n);
        one.out = made.reals().data() + n * each;
        multiplyInParts(one, order, call.partials->stages, rounding, ++key << 8U);
    }
}

void multiplyWhole(const MatMulAttributes& product, KernelCall& call) {
    TensorData& made = call.make();
    const TensorData& left = call.inputs.at(0);
    const TensorData& right = call.inputs.at(1);
    const std::size_t rank = made.shape().size();
    const MatrixStack a = asStack(left.shape(), rank, product.transposeA);
    const MatrixStack b = asStack(right.shape(), rank, product.transposeB);
    const std::int64_t rows = a.dims[rank - 2];
    const std::int64_t depth = a.dims[rank - 1];
    const std::int64_t columns = b.dims[rank - 1];
    inBlocks(made.elements(), std::max<std::int64_t>(1, computeBlock / depth),
             [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                     const std::int64_t matrix = i / columns / rows;
                     const std::int64_t fromA = matrixOffset(a, made.shape(), matrix) +
                                                i / columns % rows * a.strides[rank - 2];
                     const std::int64_t fromB =
                         matrixOffset(b, made.shape(), matrix) + i % columns * b.strides[rank - 1];
                     double sum = 0;
                     for (std::int64_t k = 0; k < depth; ++k)
                         sum += left.number(fromA + k * a.strides[rank - 1]) *
                                right.number(fromB + k * b.strides[rank - 2]);
                     made.setNumber(i, sum);
                 }
             });
}

} // namespace

void compute(const MatMulAttributes& product, KernelCall& call) {
    const bool real = isFloating(call.graph.tensors[call.op.outputs.at(0)].type);
    if (real && call.partials != nullptr)
        multiplyInHalves(product, call);
    else if (real)
        multiplyReals(product, call);
    else
        multiplyWhole(product, call);
}

} // namespace tilescope::sim
