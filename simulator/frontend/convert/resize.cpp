// Operators that sample along dimensions at places known while compiling: Resize, Upsample and the
// modes of Pad that repeat or mirror the edge.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "simulator/frontend/convert/rows.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

/// How a node reads one dimension.
struct SampledDim {
    std::int64_t from = 1, to = 1;
    double scale = 1;
    double cropStart = 0, cropEnd = 1; ///< of tf_crop_and_resize, in shares of the dimension

    /// Size of the result, which the scale may make a fraction.
    [[nodiscard]] double size() const { return scale * static_cast<double>(from); }
};

/// Place in the input that position `i` of the result reads (ONNX Resize,
/// coordinate_transformation_mode).
double originalPlace(const std::string& mode, const SampledDim& dim, std::int64_t i) {
    const auto x = static_cast<double>(i);
    const auto last = static_cast<double>(dim.from - 1);
    if (mode == "asymmetric")
        return x / dim.scale;
    if (mode == "align_corners")
        return dim.to == 1 ? 0 : x * last / (dim.size() - 1);
    if (mode == "tf_half_pixel_for_nn")
        return (x + 0.5) / dim.scale;
    if (mode == "tf_crop_and_resize")
        return dim.to > 1 ? dim.cropStart * last +
                                x * (dim.cropEnd - dim.cropStart) * last / (dim.size() - 1)
                          : 0.5 * (dim.cropStart + dim.cropEnd) * last;
    if (mode == "pytorch_half_pixel" && dim.to == 1)
        return 0;
    if (mode != "half_pixel" && mode != "pytorch_half_pixel")
        NodeConverter::refuse(
            fmt::format("coordinate_transformation_mode '{}' is not supported", mode));
    return (x + 0.5) / dim.scale - 0.5;
}

std::int64_t nearestRow(const std::string& mode, double place) {
    if (mode == "floor")
        return static_cast<std::int64_t>(std::floor(place));
    if (mode == "ceil")
        return static_cast<std::int64_t>(std::ceil(place));
    if (mode == "round_prefer_ceil")
        return static_cast<std::int64_t>(std::floor(place + 0.5));
    if (mode != "round_prefer_floor")
        NodeConverter::refuse(fmt::format("nearest_mode '{}' is not supported", mode));
    return static_cast<std::int64_t>(std::ceil(place - 0.5));
}

class ResizeConverter {
public:
    explicit ResizeConverter(NodeConverter& node)
        : node_(node)
        , mode_(node.node().text("mode", "nearest"))
        , first_(node.node().type == "Upsample" || node.node().opset < 11)
        , coordinates_(first_ ? "asymmetric"
                              : node.node().text("coordinate_transformation_mode", "half_pixel"))
        , rounding_(first_ ? "floor" : node.node().text("nearest_mode", "round_prefer_floor")) {}

    void run() {
        const Shape from = node_.shape(0);
        const Shape to = node_.output().shape;
        if (from.size() != to.size())
            NodeConverter::refuse("its scales do not have the rank of its input");
        if (repeatsPixels())
            return node_.result(repeated(node_.input(0)));
        TensorId x = node_.input(0);
        // The smallest intermediate results come from the dimensions that shrink.
        for (const bool shrinks : {true, false})
            for (std::size_t d = 0; d < from.size(); ++d)
                if ((from[d] > to[d]) == shrinks && (from[d] != to[d] || crops()))
                    x = resized(x, d, dimension(d));
        node_.result(x);
    }

private:
    [[nodiscard]] bool crops() const { return coordinates_ == "tf_crop_and_resize"; }

    /// Whether each dimension grows by an integer factor and every row is repeated that often.
    [[nodiscard]] bool repeatsPixels() const {
        const Shape& to = node_.output().shape;
        for (std::size_t d = 0; d < to.size(); ++d) {
            const SampledDim dim = dimension(d);
            if (mode_ != "nearest" || crops() || dim.to % dim.from != 0)
                return false;
            const std::vector<std::int64_t> rows = nearestRows(dim, places(dim));
            for (std::int64_t i = 0; i < dim.to; ++i)
                if (rows[static_cast<std::size_t>(i)] != i / (dim.to / dim.from))
                    return false;
        }
        return true;
    }

    /// Dimensions of 1 between the others are expanded, all at once.
    TensorId repeated(TensorId x) {
        const Shape& from = node_.shape(0);
        const Shape& to = node_.output().shape;
        if (from == to)
            return x;
        Shape split, copies;
        for (std::size_t d = 0; d < from.size(); ++d) {
            split.push_back(from[d]);
            copies.push_back(from[d]);
            if (to[d] == from[d])
                continue;
            split.push_back(1);
            copies.push_back(to[d] / from[d]);
        }
        const TensorId apart = node_.reshape("split", x, split);
        return node_.reshape("join", node_.emit("", ExpandAttributes{}, {apart}, copies), to);
    }

    [[nodiscard]] std::vector<double> places(const SampledDim& dim) const {
        std::vector<double> result;
        for (std::int64_t i = 0; i < dim.to; ++i)
            result.push_back(originalPlace(coordinates_, dim, i));
        return result;
    }

    [[nodiscard]] std::vector<std::int64_t> nearestRows(const SampledDim& dim,
                                                        const std::vector<double>& places) const {
        std::vector<std::int64_t> rows;
        for (const double place : places)
            rows.push_back(clamped(nearestRow(rounding_, place), dim));
        return rows;
    }

    [[nodiscard]] SampledDim dimension(std::size_t d) const {
        SampledDim dim{node_.shape(0)[d], node_.output().shape[d], 1, 0, 1};
        dim.scale = static_cast<double>(dim.to) / static_cast<double>(dim.from);
        const std::size_t scales = first_ ? 1 : 2;
        if (node_.has(scales) && node_.value(scales).data &&
            node_.constant(scales).size() == node_.rank(0))
            dim.scale = node_.constant(scales).real(d);
        else if (const auto stated = node_.node().reals("scales"); stated.size() == node_.rank(0))
            dim.scale = stated[d]; // before operator set 9
        if (crops()) {
            const Constant& roi = node_.constant(1);
            if (roi.size() != 2 * node_.rank(0))
                NodeConverter::refuse("its region of interest does not have its input's rank");
            dim.cropStart = roi.real(d);
            dim.cropEnd = roi.real(d + node_.rank(0));
        }
        if (!(dim.scale > 0) || dim.from < 1)
            NodeConverter::refuse(fmt::format("a scale of {} is impossible", dim.scale));
        checkListedRows(dim.to);
        return dim;
    }

    TensorId resized(TensorId x, std::size_t d, const SampledDim& dim) {
        const std::vector<double> places = this->places(dim);
        const std::string part = fmt::format("dim{}", d);
        TensorId y;
        if (mode_ != "nearest" && !isFloating(node_.builder().tensor(x).type))
            node_.refuseToCompute("it interpolates whole numbers");
        if (mode_ == "nearest")
            y = selectRows(node_, part, x, d, nearestRows(dim, places));
        else if (mode_ == "linear" || mode_ == "bilinear")
            y = weighted(x, part, d, dim, tapsOf(places, dim, 0, 2));
        else if (mode_ == "cubic")
            y = weighted(x, part, d, dim, tapsOf(places, dim, -1, 4));
        else
            NodeConverter::refuse(fmt::format("mode '{}' is not supported, only 'nearest', "
                                              "'linear' and 'cubic'",
                                              mode_));
        return crops() ? outsideReplaced(y, part, d, dim, places) : y;
    }

    static std::int64_t clamped(std::int64_t row, const SampledDim& dim) {
        return std::clamp<std::int64_t>(row, 0, dim.from - 1);
    }

    /// The rows that one tap reads for each place, and their weights.
    struct Tap {
        std::vector<std::int64_t> rows;
        std::vector<double> weights;
    };

    [[nodiscard]] double weightAt(double distance, std::int64_t taps) const {
        const double d = std::abs(distance);
        if (taps == 2)
            return 1 - d;
        const double a = node_.node().real("cubic_coeff_a", -0.75);
        return d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1
                      : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    }

    [[nodiscard]] std::vector<Tap> tapsOf(const std::vector<double>& places, const SampledDim& dim,
                                          std::int64_t firstTap, std::int64_t count) const {
        const bool excludes = node_.node().integer("exclude_outside", 0) != 0;
        std::vector<Tap> taps(static_cast<std::size_t>(count));
        for (const double place : places) {
            const double floor = std::floor(place);
            double sum = 0;
            for (std::int64_t i = 0; i < count; ++i) {
                const std::int64_t row = static_cast<std::int64_t>(floor) + firstTap + i;
                const bool counts = !excludes || row == clamped(row, dim);
                const double weight =
                    counts ? weightAt(place - floor - static_cast<double>(firstTap + i), count) : 0;
                taps[static_cast<std::size_t>(i)].rows.push_back(clamped(row, dim));
                taps[static_cast<std::size_t>(i)].weights.push_back(weight);
                sum += weight;
            }
            for (Tap& tap : taps)
                if (excludes && sum != 0)
                    tap.weights.back() /= sum;
        }
        return taps;
    }

    /// A sum of neighbouring rows with weights that are part of the program.
    TensorId weighted(TensorId x, const std::string& part, std::size_t d, const SampledDim& dim,
                      const std::vector<Tap>& taps) {
        Shape along(node_.rank(0), 1);
        along[d] = dim.to;
        std::vector<TensorId> terms;
        for (const Tap& tap : taps) {
            const std::string name = fmt::format("{}/tap{}", part, terms.size());
            const TensorId row = selectRows(node_, name, x, d, tap.rows);
            const TensorId weights =
                constantLike(node_, name + "/weights", x, along, [&](std::int64_t i) {
                    return tap.weights[static_cast<std::size_t>(i)];
                });
            terms.push_back(node_.elementwise(name + "/weigh", Multiply, {row, weights}));
        }
        return node_.elementwise(part + "/sum", Add, terms);
    }

    TensorId outsideReplaced(TensorId y, const std::string& part, std::size_t d,
                             const SampledDim& dim, const std::vector<double>& places) {
        const auto outside = [&](double place) {
            return place < 0 || place > static_cast<double>(dim.from - 1);
        };
        if (std::none_of(places.begin(), places.end(), outside))
            return y;
        Shape along(node_.rank(0), 1);
        along[d] = dim.to;
        const TensorId inside =
            node_.constantTensor(part + "/inside", DataType::Bool, along, [&](std::int64_t i) {
                return outside(places[static_cast<std::size_t>(i)]) ? 0 : 1;
            });
        const TensorId given =
            node_.scalar(part + "/outside", y, node_.node().real("extrapolation_value", 0));
        return node_.elementwise(part + "/extrapolate", Select, {inside, y, given});
    }

    NodeConverter& node_;
    std::string mode_;
    bool first_; ///< before operator set 11: floor of position over scale
    std::string coordinates_, rounding_;
};

void convertResize(NodeConverter& node) {
    ResizeConverter(node).run();
}

/// The row that position `i`, counted from the input's first row, repeats or mirrors.
std::int64_t paddedRow(const std::string& mode, std::int64_t i, std::int64_t size) {
    if (mode == "edge")
        return std::clamp<std::int64_t>(i, 0, size - 1);
    const std::int64_t mirrored = i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    if (mirrored < 0 || mirrored >= size)
        NodeConverter::refuse("it mirrors more than its input has");
    return mirrored;
}

} // namespace

void convertPadByRows(NodeConverter& node, const std::string& mode,
                      const std::vector<std::int64_t>& pads) {
    const std::size_t rank = node.rank(0);
    if (mode != "edge" && mode != "reflect")
        NodeConverter::refuse(
            fmt::format("mode '{}' is not supported, only 'constant', 'edge' and 'reflect'", mode));
    TensorId x = node.input(0);
    for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t size = node.shape(0)[d];
        if (size < 1)
            NodeConverter::refuse(fmt::format("dimension {} has nothing to pad with", d));
        for (const std::int64_t count : {size, pads[d], pads[d + rank]})
            checkListedRows(count);
        std::vector<std::int64_t> rows;
        for (std::int64_t i = -pads[d]; i < size + pads[d + rank]; ++i)
            rows.push_back(paddedRow(mode, i, size));
        if (rows.empty())
            NodeConverter::refuse(fmt::format("it crops dimension {} away", d));
        x = selectRows(node, fmt::format("dim{}", d), x, d, rows);
    }
    node.result(x);
}

void addResizeConversions(ConversionTable& table) {
    table["Resize"] = convertResize;
    table["Upsample"] = convertResize;
}

} // namespace tilescope::sim
