// TopK as a network of comparisons; running sums and Fourier transforms as products.
#include <bit>

#include <fmt/format.h>

#include "simulator/frontend/convert/rows.h"
#include "simulator/frontend/resolve/index_rules.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

/// Keeps the k best of each row by bitonic sorting (PopLibs popops/BitonicTopK: sorts runs of k,
/// then merges pairs of runs and keeps the better half of each until one is left). Each step
/// compares elements at a distance and exchanges their keys and indices where they are out of
/// order.
class TopKNetwork {
public:
    TopKNetwork(NodeConverter& node, TensorId keys, TensorId indices, std::int64_t rows)
        : node_(node)
        , rows_(rows)
        , keys_(keys)
        , indices_(indices) {}

    void run(std::int64_t length, std::int64_t k) {
        const std::int64_t run = powerAbove(k);
        for (std::int64_t sorted = 2; sorted <= run; sorted *= 2)
            for (std::int64_t distance = sorted / 2; distance >= 1; distance /= 2)
                compare(length, distance, true);
        while (length > run) {
            compare(length, run, false);
            length /= 2;
            for (std::int64_t distance = run / 2; distance >= 1; distance /= 2)
                compare(length, distance, true);
        }
    }

    [[nodiscard]] TensorId keys() const { return keys_; }
    [[nodiscard]] TensorId indices() const { return indices_; }

    static std::int64_t powerAbove(std::int64_t n) {
        return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
    }

private:
    struct Pair {
        TensorId first, second;
    };

    Pair split(const std::string& part, TensorId x, std::int64_t length, std::int64_t distance) {
        const TensorId pairs =
            node_.reshape(part + "/pairs", x, {rows_, length / (2 * distance), 2, distance});
        return {rowsFrom(node_, part + "/first", pairs, 2, 0, 1),
                rowsFrom(node_, part + "/second", pairs, 2, 1, 1)};
    }

    TensorId join(const std::string& part, Pair pair, std::int64_t length, bool both) {
        const TensorId x =
            both ? node_.emit(part + "/join", ConcatAttributes{2}, {pair.first, pair.second})
                 : pair.first;
        return node_.reshape(part + "/row", x, {rows_, both ? length : length / 2});
    }

    void compare(std::int64_t length, std::int64_t distance, bool both) {
        const std::string part = fmt::format("step{}", step_++);
        const Pair keys = split(part + "/keys", keys_, length, distance);
        const Pair places = split(part + "/indices", indices_, length, distance);
        const TensorId inOrder =
            node_.elementwise(part + "/compare", Greater, {keys.first, keys.second});
        const auto choose = [&](const std::string& name, TensorId a, TensorId b) {
            return node_.elementwise(part + name, Select, {inOrder, a, b});
        };
        Pair newKeys{choose("/best", keys.first, keys.second), {}};
        Pair newPlaces{choose("/bestIndex", places.first, places.second), {}};
        if (both) {
            newKeys.second = choose("/rest", keys.second, keys.first);
            newPlaces.second = choose("/restIndex", places.second, places.first);
        }
        keys_ = join(part + "/keys", newKeys, length, both);
        indices_ = join(part + "/indices", newPlaces, length, both);
    }

    NodeConverter& node_;
    std::int64_t rows_;
    TensorId keys_, indices_;
    int step_ = 0;
};

TensorId axisLast(NodeConverter& node, const std::string& part, TensorId x, std::size_t axis) {
    const std::size_t rank = node.shapeOf(x).size();
    if (axis + 1 == rank)
        return x;
    auto order = axesFrom(0, rank);
    std::swap(order[axis], order[rank - 1]);
    return node.emit(part, TransposeAttributes{std::move(order)}, {x});
}

void convertTopK(NodeConverter& node) {
    const auto axis = static_cast<std::size_t>(node.axis("axis", -1));
    const TensorId x = axisLast(node, "transpose", node.input(0), axis);
    Shape shape = node.shapeOf(x);
    const std::int64_t length = shape.back();
    const std::int64_t k = node.at(node.output().shape, axis);
    const std::int64_t rows = elementsOf(shape) / length;
    constexpr std::int64_t longest = 1 << 20;
    if (k < 1 || k > length || length > longest)
        NodeConverter::refuse(fmt::format("the {} best of {} cannot be found", k, length));
    // PopLibs pads to whole runs; here to a power of two.
    const std::int64_t padded = TopKNetwork::powerAbove(length);
    TensorId keys = node.reshape("keys", x, {rows, length});
    if (padded > length)
        keys = node.emit("pad", PadAttributes{{0, 0}, {0, padded - length}}, {keys});
    TensorId indices = node.emit("iota", ExpandAttributes{},
                                 {indexConstant(node, "indices", {1, padded})}, {rows, padded});
    TopKNetwork network(node, keys, indices, rows);
    network.run(padded, k);
    shape.back() = k;
    const auto finish = [&](const std::string& part, TensorId found) {
        const TensorId best = rowsFrom(node, part + "/slice", found, 1, 0, k);
        return axisLast(node, part + "/transpose", node.reshape(part, best, shape), axis);
    };
    node.result(finish("values", network.keys()));
    if (node.isOutputUsed(1))
        node.result(finish("positions", network.indices()), 1);
}

/// A product with a triangular matrix (PopART popx CumSumOpx).
void convertCumSum(NodeConverter& node) {
    const Constant& stated = node.constant(1);
    if (stated.size() != 1 || node.rank(0) == 0)
        NodeConverter::refuse("its axis is not one number");
    const std::size_t axis =
        normalizedAxis(static_cast<std::int64_t>(stated.real(0)), node.rank(0));
    const TensorId x = axisLast(node, "transpose", node.input(0), axis);
    const Shape shape = node.shapeOf(x);
    const std::int64_t length = shape.back();
    const TensorId rows = node.reshape("rows", x, {elementsOf(shape) / length, length});
    const TensorId triangle = constantLike(node, "triangle", rows, {length, length});
    const TensorId sums = node.emit("cumsum_mul", MatMulAttributes{}, {rows, triangle});
    node.result(axisLast(node, "back", node.reshape("reshape", sums, shape), axis));
}

/// A product with the matrix of a discrete Fourier transform, real and imaginary parts as columns
/// (*assumed*: PopLibs has no transform of its own).
void convertDft(NodeConverter& node) {
    const Shape& in = node.shape(0);
    const Shape out = node.output().shape;
    if (in.size() < 3 || (in.back() != 1 && in.back() != 2))
        NodeConverter::refuse(
            fmt::format("its input {} is not of real or complex signals", toString(in)));
    const std::size_t axis = normalizedAxis(node.node().integer("axis", 1), in.size());
    const std::size_t signal = in.size() - 2; // where the product wants the axis
    if (axis > signal)
        NodeConverter::refuse("its axis is that of the parts of complex numbers");
    auto order = axesFrom(0, in.size());
    std::swap(order[axis], order[signal]);
    const auto moved = [&](const std::string& part, TensorId x) {
        return axis == signal ? x : node.emit(part, TransposeAttributes{order}, {x});
    };
    TensorId x = node.input(0);
    const std::int64_t used =
        std::min(in[axis], node.has(1) ? node.constant(1).ints.at(0) : in[axis]);
    x = moved("transpose", rowsFrom(node, "shortened", x, axis, 0, used));
    const Shape shape = node.shapeOf(x);
    const std::int64_t columns = out[axis] * out.back();
    const TensorId rows =
        node.reshape("signals", x, {elementsOf(shape) / (used * in.back()), used * in.back()});
    const TensorId matrix = constantLike(node, "transform", rows, {used * in.back(), columns});
    const TensorId product = node.emit("dft_mul", MatMulAttributes{}, {rows, matrix});
    Shape result = shape;
    result[signal] = out[axis];
    result.back() = out.back();
    node.result(moved("back", node.reshape("spectra", product, result)));
}

} // namespace

void addSortConversions(ConversionTable& table) {
    table["TopK"] = convertTopK;
    table["CumSum"] = convertCumSum;
    table["DFT"] = convertDft;
}

} // namespace tilescope::sim
