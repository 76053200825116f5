// TopK as a network of comparisons; running sums and Fourier transforms as products.
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "simulator/frontend/convert/rows.h"
#include "simulator/frontend/resolve/index_rules.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

/// Keeps the k best of each row by bitonic sorting (PopLibs popops/BitonicTopK: sorts runs of k,
/// then merges pairs of runs and keeps the better half of each until one is left). Each step
/// compares elements at a distance and exchanges their keys and indices where they are out of
/// order. All runs are sorted the same way: the first step of a merge compares with the second run
/// backwards.
class TopKNetwork {
public:
    TopKNetwork(NodeConverter& node, TensorId keys, TensorId indices, std::int64_t rows,
                bool largest)
        : node_(node)
        , rows_(rows)
        , largest_(largest)
        , keys_(keys)
        , indices_(indices) {}

    void run(std::int64_t length, std::int64_t k) {
        const std::int64_t run = powerAbove(k);
        for (std::int64_t sorted = 2; sorted <= run; sorted *= 2)
            for (std::int64_t distance = sorted / 2; distance >= 1; distance /= 2)
                compare(length, distance, true, distance == sorted / 2);
        while (length > run) {
            compare(length, run, false, true);
            length /= 2;
            for (std::int64_t distance = run / 2; distance >= 1; distance /= 2)
                compare(length, distance, true, false);
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

    Pair split(const std::string& part, TensorId x, std::int64_t length, std::int64_t distance,
               bool backwards) {
        const TensorId pairs =
            node_.reshape(part + "/pairs", x, {rows_, length / (2 * distance), 2, distance});
        Pair pair{rowsFrom(node_, part + "/first", pairs, 2, 0, 1),
                  rowsFrom(node_, part + "/second", pairs, 2, 1, 1)};
        if (backwards && distance > 1)
            pair.second =
                rowsFrom(node_, part + "/backwards", pair.second, 3, distance - 1, distance, -1);
        return pair;
    }

    /// Whether the first of each pair comes first. Of equal keys it is the one with the lower
    /// index; PopLibs does not look at it, so that only a graph that is computed does.
    TensorId comesFirst(const std::string& part, const Pair& keys, const Pair& places) {
        const TensorId better = node_.elementwise(part + "/compare", largest_ ? Greater : Less,
                                                  {keys.first, keys.second});
        if (!node_.builder().keepsValues())
            return better;
        const TensorId equal = node_.elementwise(part + "/equal", Equal, {keys.first, keys.second});
        const TensorId earlier =
            node_.elementwise(part + "/earlier", Less, {places.first, places.second});
        return node_.elementwise(part + "/either", Or,
                                 {better, node_.elementwise(part + "/tie", And, {equal, earlier})});
    }

    TensorId join(const std::string& part, Pair pair, std::int64_t length, bool both) {
        const TensorId x =
            both ? node_.emit(part + "/join", ConcatAttributes{2}, {pair.first, pair.second})
                 : pair.first;
        return node_.reshape(part + "/row", x, {rows_, both ? length : length / 2});
    }

    void compare(std::int64_t length, std::int64_t distance, bool both, bool backwards) {
        const std::string part = fmt::format("step{}", step_++);
        const Pair keys = split(part + "/keys", keys_, length, distance, backwards);
        const Pair places = split(part + "/indices", indices_, length, distance, backwards);
        const TensorId inOrder = comesFirst(part, keys, places);
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
    bool largest_;
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

/// A value that is not better than any element.
double worstOf(DataType type, bool largest) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto limit = [&]<class T>(T) {
        return static_cast<double>(largest ? std::numeric_limits<T>::lowest()
                                           : std::numeric_limits<T>::max());
    };
    switch (type) {
    case DataType::Int32:
        return limit(std::int32_t{});
    case DataType::UInt32:
        return limit(std::uint32_t{});
    case DataType::Int8:
        return limit(std::int8_t{});
    case DataType::UInt8:
        return limit(std::uint8_t{});
    default:
        return largest ? -infinity : infinity;
    }
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
        NodeConverter::refuse(fmt::format("the {} best of {} cannot be selected", k, length));
    const bool largest = node.node().integer("largest", 1) != 0;
    // PopLibs pads to whole runs; here to a power of two.
    const std::int64_t padded = TopKNetwork::powerAbove(length);
    TensorId keys = node.reshape("keys", x, {rows, length});
    if (padded > length)
        keys = node.emit("pad",
                         PadAttributes{{0, 0},
                                       {0, padded - length},
                                       worstOf(node.builder().tensor(keys).type, largest)},
                         {keys});
    TensorId indices =
        node.emit("iota", ExpandAttributes{},
                  {indexConstant(node, "indices", {1, padded}, elementNumber)}, {rows, padded});
    TopKNetwork network(node, keys, indices, rows, largest);
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
    const bool reverse = node.node().integer("reverse", 0) != 0;
    const std::int64_t beside = node.node().integer("exclusive", 0) != 0 ? 1 : 0;
    const TensorId triangle =
        constantLike(node, "triangle", rows, {length, length}, [=](std::int64_t i) {
            const std::int64_t from = i / length;
            const std::int64_t to = i % length;
            return (reverse ? from - to : to - from) >= beside;
        });
    const TensorId sums = node.emit("cumsum_mul", MatMulAttributes{}, {rows, triangle});
    node.result(axisLast(node, "back", node.reshape("reshape", sums, shape), axis));
}

/// Elements of a matrix from samples to frequencies, each of them real and imaginary parts.
ElementNumbers fourierMatrix(const NodeConverter& node, std::int64_t length, std::int64_t partsIn,
                             std::int64_t partsOut) {
    const bool inverse = node.node().integer("inverse", 0) != 0;
    const std::int64_t frequencies =
        node.node().integer("onesided", 0) != 0 ? length / 2 + 1 : length;
    return [=](std::int64_t i) {
        const std::int64_t row = i / (frequencies * partsOut);
        const std::int64_t column = i % (frequencies * partsOut);
        const std::int64_t turns = row / partsIn * (column / partsOut) % length;
        const double angle = (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(turns) /
                             static_cast<double>(length);
        const bool fromImaginary = row % partsIn == 1;
        const bool toImaginary = column % partsOut == 1;
        const double part = fromImaginary == toImaginary ? std::cos(angle)
                            : fromImaginary              ? -std::sin(angle)
                                                         : std::sin(angle);
        return inverse ? part / static_cast<double>(length) : part;
    };
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
    const std::size_t signal = in.size() - 2; // where the product needs the axis
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
    const std::int64_t length = node.has(1) ? node.constant(1).ints.at(0) : in[axis];
    const TensorId matrix = constantLike(node, "transform", rows, {used * in.back(), columns},
                                         fourierMatrix(node, length, in.back(), out.back()));
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
