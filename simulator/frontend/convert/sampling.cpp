// Operators that read images at places that are only known at run time: each sample looks up its
// neighbours' pixels, all channels of one as a row of a table, and weighs them.
#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "simulator/frontend/convert/rows.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

/// Samples of an image [N, C, H, W] at places that have one value for each sample.
class Sampler {
public:
    enum class Outside { Border, Zeros, Mirrored };
    /// Maps a place outside the border to one inside, along a dimension of that size.
    using Mirror = std::function<TensorId(const std::string&, TensorId, std::int64_t)>;

    Sampler(NodeConverter& node, Outside outside, Mirror mirror = {})
        : node_(node)
        , outside_(outside)
        , mirror_(std::move(mirror))
        , shape_(node.shape(0)) {
        const TensorId last =
            node.emit("channelsLast", TransposeAttributes{{0, 2, 3, 1}}, {node.input(0)});
        table_ = node.reshape("table", last, {shape_[0] * shape_[2] * shape_[3], shape_[1]});
    }

    /// Weighted pixels [samples, C] around (y, x): of the nearest one, the nearest 2 x 2, or 4 x 4.
    /// `image`: first row of each sample's image in the table.
    TensorId sample(TensorId y, TensorId x, TensorId image, std::int64_t taps) {
        const auto rows = neighbours("y", y, shape_[2], taps);
        const auto columns = neighbours("x", x, shape_[3], taps);
        std::vector<TensorId> terms;
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = 0; j < columns.size(); ++j)
                terms.push_back(pixel(fmt::format("pixel{}{}", i, j), rows[i], columns[j], image));
        return terms.size() == 1 ? terms[0] : node_.elementwise("sum", Add, terms);
    }

private:
    struct Neighbour {
        TensorId index;  ///< within the image
        TensorId weight; ///< invalid: 1
    };

    std::vector<Neighbour> neighbours(const std::string& part, TensorId place, std::int64_t size,
                                      std::int64_t taps) {
        if (taps == 1) {
            const TensorId nearest = node_.elementwise(part + "/round", Round, {place});
            return {bounded(part, nearest, {}, size)};
        }
        const TensorId floor = node_.elementwise(part + "/floor", Floor, {place});
        const TensorId rest = node_.elementwise(part + "/rest", Subtract, {place, floor});
        std::vector<Neighbour> result;
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            const std::string name = fmt::format("{}/tap{}", part, tap);
            const auto step = static_cast<double>(taps == 2 ? tap : tap - 1);
            const TensorId at =
                node_.elementwise(name, Add, {floor, node_.scalar(name + "/step", floor, step)});
            result.push_back(bounded(name, at, weight(name, rest, taps, step), size));
        }
        return result;
    }

    /// Linear in the distance, or a cubic of it (by Horner's rule), of the neighbour that is `step`
    /// rows from the one below.
    TensorId weight(const std::string& part, TensorId rest, std::int64_t taps, double step) {
        const auto scalar = [&](const std::string& what, double value) {
            return node_.scalar(part + what, rest, value);
        };
        const TensorId difference =
            node_.elementwise(part + "/distance", Subtract, {rest, scalar("/at", step)});
        const TensorId distance = node_.elementwise(part + "/abs", Abs, {difference});
        if (taps == 2)
            return node_.elementwise(part + "/weight", Subtract, {scalar("/one", 1), distance});
        // c ((d + p) d + q) d + c r, within one row of the place and beyond (Keys' kernel).
        constexpr double a = -0.75;
        const bool within = step == 0 || step == 1;
        const double cube = within ? a + 2 : a;
        const double square = within ? -(a + 3) / cube : -5;
        const double line = within ? 0 : 8;
        const double one = within ? 1 / cube : -4;
        TensorId value = node_.elementwise(part + "/cube", Add, {distance, scalar("/p", square)});
        value = node_.elementwise(part + "/cube/times", Multiply, {value, distance});
        value = node_.elementwise(part + "/square", Add, {value, scalar("/q", line)});
        value = node_.elementwise(part + "/square/times", Multiply, {value, distance});
        value = node_.elementwise(part + "/line", Add, {value, scalar("/r", one)});
        return node_.elementwise(part + "/line/times", Multiply, {value, scalar("/c", cube)});
    }

    /// A neighbour within the image; outside of it, the border or one with weight zero.
    Neighbour bounded(const std::string& part, TensorId at, TensorId weight, std::int64_t size) {
        if (outside_ == Outside::Mirrored)
            at = mirror_(part, at, size);
        const TensorId inside =
            node_.elementwise(part + "/clamp", Clip, {at}, 0, static_cast<double>(size - 1));
        if (outside_ == Outside::Zeros) {
            const TensorId same = node_.elementwise(part + "/inside", Equal, {at, inside});
            const TensorId mask = node_.cast(part + "/mask", same, node_.builder().tensor(at).type);
            weight = weight.valid() ? node_.elementwise(part + "/masked", Multiply, {weight, mask})
                                    : mask;
        }
        return {node_.cast(part + "/index", inside, DataType::Int32), weight};
    }

    TensorId pixel(const std::string& part, Neighbour row, Neighbour column, TensorId image) {
        TensorId number = node_.elementwise(
            part + "/row", Multiply,
            {row.index, node_.scalar(part + "/width", row.index, static_cast<double>(shape_[3]))});
        number = node_.elementwise(part + "/number", Add, {number, column.index, image});
        const std::int64_t samples = elementsOf(node_.shapeOf(number));
        number = node_.reshape(part + "/numbers", number, {samples});
        TensorId value = node_.emit(part, GatherAttributes{0}, {table_, number});
        if (!row.weight.valid())
            return value;
        const TensorId weight =
            node_.elementwise(part + "/weight", Multiply, {row.weight, column.weight});
        return node_.elementwise(part + "/weigh", Multiply,
                                 {value, node_.reshape(part + "/column", weight, {samples, 1})});
    }

    NodeConverter& node_;
    Outside outside_;
    Mirror mirror_;
    Shape shape_;
    TensorId table_;
};

TensorId linearIn(NodeConverter& node, const std::string& part, TensorId x, double factor,
                  double offset) {
    const TensorId scaled =
        node.elementwise(part + "/scale", Multiply, {x, node.scalar(part + "/factor", x, factor)});
    return node.elementwise(part + "/shift", Add,
                            {scaled, node.scalar(part + "/offset", x, offset)});
}

/// Mirrored at `first` and at `last` as often as it takes: to and fro within twice the distance.
TensorId mirrored(NodeConverter& node, const std::string& part, TensorId x, double first,
                  double last) {
    const auto scalar = [&](const std::string& what, double value) {
        return node.scalar(part + what, x, value);
    };
    const TensorId moved =
        node.elementwise(part + "/moved", Subtract, {x, scalar("/first", first)});
    const double both = 2 * std::max(last - first, 0.0);
    if (both == 0) // one pixel
        return node.elementwise(part + "/reflect", Multiply, {moved, scalar("/zero", 0)});
    const TensorId rest =
        node.elementwise(part + "/rest", Remainder, {moved, scalar("/both", both)});
    const TensorId back =
        node.elementwise(part + "/mirror", Subtract, {scalar("/twice", both), rest});
    const TensorId nearer = node.elementwise(part + "/nearer", Min, {rest, back});
    return node.elementwise(part + "/reflect", Add, {nearer, scalar("/start", first)});
}

std::int64_t gridTaps(const std::string& mode) {
    if (mode == "nearest")
        return 1;
    if (mode == "bilinear" || mode == "linear")
        return 2;
    if (mode != "bicubic" && mode != "cubic")
        NodeConverter::refuse(fmt::format("mode '{}' is not supported", mode));
    return 4;
}

void convertGridSample(NodeConverter& node) {
    const Shape& grid = node.shape(1);
    if (node.rank(0) != 4 || grid.size() != 4 || grid.back() != 2)
        NodeConverter::refuse(fmt::format("only images are sampled, not {} at {}",
                                          toString(node.shape(0)), toString(grid)));
    const std::string padding = node.node().text("padding_mode", "zeros");
    if (padding != "zeros" && padding != "border" && padding != "reflection")
        NodeConverter::refuse(fmt::format("padding_mode '{}' is not supported", padding));
    if (!isFloating(node.builder().deviceType(node.value(0).type)))
        node.refuseToCompute("it interpolates whole numbers");
    const Shape places{grid[0], grid[1] * grid[2]};
    const bool corners = node.node().integer("align_corners", 0) != 0;
    const std::int64_t taps = gridTaps(node.node().text("mode", "bilinear"));
    const auto mirror = [&](const std::string& part, TensorId x, std::int64_t size) {
        const double edge = corners ? 0 : 0.5;
        return mirrored(node, part + "/mirrored", x, -edge, static_cast<double>(size - 1) + edge);
    };
    std::array<TensorId, 2> coordinates;
    for (const std::size_t i : {0U, 1U}) {
        const std::string part = i == 0 ? "x" : "y";
        const TensorId one =
            rowsFrom(node, part, node.input(1), 3, static_cast<std::int64_t>(i), 1);
        // From -1 to 1: of the corner pixels, or of their outer edges.
        const std::int64_t size = node.shape(0)[i == 0 ? 3 : 2];
        const auto reach = static_cast<double>(corners ? size - 1 : size);
        coordinates[i] = linearIn(node, part, node.reshape(part + "/places", one, places),
                                  reach / 2, static_cast<double>(size - 1) / 2);
        if (padding == "reflection" && taps < 4)
            coordinates[i] = mirror(part, coordinates[i], size);
    }
    const auto outside = padding == "zeros"                     ? Sampler::Outside::Zeros
                         : padding == "reflection" && taps == 4 ? Sampler::Outside::Mirrored
                                                                : Sampler::Outside::Border;
    Sampler sampler(node, outside, mirror);
    const std::int64_t imageRows = node.shape(0)[2] * node.shape(0)[3];
    const TensorId images = indexConstant(node, "images", {places[0], 1}, [&](std::int64_t i) {
        return static_cast<double>(i * imageRows);
    });
    const TensorId pixels = sampler.sample(coordinates[1], coordinates[0], images, taps);
    const Shape asImage{grid[0], grid[1], grid[2], node.shape(0)[1]};
    node.result(
        node.emit("", TransposeAttributes{{0, 3, 1, 2}}, {node.reshape("image", pixels, asImage)}));
}

/// Places within regions [regions, samples of one dimension]: start + sample * size.
TensorId regionPlaces(NodeConverter& node, const std::string& part, std::int64_t first,
                      std::int64_t samples) {
    // Before operator set 16 pixels were at integer places, the later "output_half_pixel".
    const bool halfPixel =
        node.node().opset >= 16 &&
        node.node().text("coordinate_transformation_mode", "half_pixel") == "half_pixel";
    const TensorId scaled = linearIn(node, part + "/corner", node.input(1),
                                     node.node().real("spatial_scale", 1), halfPixel ? -0.5 : 0);
    const TensorId low = rowsFrom(node, part + "/low", scaled, 1, first, 1);
    const TensorId high = rowsFrom(node, part + "/high", scaled, 1, first + 2, 1);
    TensorId size = node.elementwise(part + "/size", Subtract, {high, low});
    if (!halfPixel)
        size = node.elementwise(part + "/least", Max, {size, node.scalar(part + "/one", size, 1)});
    const TensorId steps =
        constantLike(node, part + "/steps", size, {1, samples}, [=](std::int64_t i) {
            return (static_cast<double>(i) + 0.5) / static_cast<double>(samples);
        });
    return node.elementwise(part + "/places", Add,
                            {node.elementwise(part + "/offsets", Multiply, {size, steps}), low});
}

/// Factor 0 for samples more than a pixel outside the image: [regions, samples of one dimension].
TensorId insideOf(NodeConverter& node, const std::string& part, TensorId places,
                  std::int64_t size) {
    const TensorId after = node.elementwise(part + "/after", GreaterEqual,
                                            {places, node.scalar(part + "/least", places, -1)});
    const TensorId before =
        node.elementwise(part + "/before", LessEqual,
                         {places, node.scalar(part + "/most", places, static_cast<double>(size))});
    return node.cast(part + "/inside", node.elementwise(part + "/within", And, {after, before}),
                     node.builder().tensor(places).type);
}

/// Samples the bins of each region; each bin takes the mean or the maximum of its samples.
void convertRoiAlign(NodeConverter& node) {
    const Node& onnx = node.node();
    const std::int64_t height = onnx.integer("output_height", 1);
    const std::int64_t width = onnx.integer("output_width", 1);
    const std::int64_t ratio = onnx.integer("sampling_ratio", 0);
    if (node.rank(0) != 4 || node.rank(1) != 2)
        NodeConverter::refuse("its operands are not images and regions");
    if (ratio < 1)
        NodeConverter::refuse(
            "sampling_ratio 0 samples each region as its size asks, which is only "
            "known at run time; export it with a positive one");
    const std::int64_t regions = node.shape(1)[0];
    const std::int64_t rows = height * ratio;
    const std::int64_t columns = width * ratio;
    const TensorId y = regionPlaces(node, "y", 1, rows);
    const TensorId x = regionPlaces(node, "x", 0, columns);
    const auto spread = [&](const std::string& part, TensorId places, const Shape& between) {
        const TensorId apart = node.reshape(part + "/apart", places, between);
        const TensorId all =
            node.emit(part + "/all", ExpandAttributes{}, {apart}, {regions, rows, columns});
        return node.reshape(part + "/samples", all, {regions, rows * columns});
    };
    const TensorId batch = node.cast("batch", node.input(2), DataType::Int32);
    const TensorId imageRows =
        node.scalar("imageRows", batch, static_cast<double>(node.shape(0)[2] * node.shape(0)[3]));
    const TensorId image = node.reshape(
        "images", node.elementwise("image", Multiply, {batch, imageRows}), {regions, 1});
    Sampler sampler(node, Sampler::Outside::Border);
    TensorId pixels = sampler.sample(spread("y", y, {regions, rows, 1}),
                                     spread("x", x, {regions, 1, columns}), image, 2);
    if (node.builder().keepsValues()) {
        const auto inside = [&](const std::string& part, TensorId places, std::int64_t size,
                                const Shape& between) {
            return spread(part + "/mask", insideOf(node, part, places, size), between);
        };
        const TensorId both =
            node.elementwise("inside", Multiply,
                             {inside("y", y, node.shape(0)[2], {regions, rows, 1}),
                              inside("x", x, node.shape(0)[3], {regions, 1, columns})});
        const TensorId column = node.reshape("inside/column", both, {regions * rows * columns, 1});
        pixels = node.elementwise("masked", Multiply, {pixels, column});
    }
    const std::int64_t channels = node.shape(0)[1];
    pixels = node.reshape("bins", pixels, {regions, height, ratio, width, ratio, channels});
    const ReduceFunction function =
        onnx.text("mode", "avg") == "max" ? ReduceFunction::Max : ReduceFunction::Mean;
    pixels = node.emit("pool", ReduceAttributes{function, {2, 4}, false}, {pixels});
    node.result(node.emit("", TransposeAttributes{{0, 3, 1, 2}}, {pixels}));
}

} // namespace

void addSamplingConversions(ConversionTable& table) {
    table["GridSample"] = convertGridSample;
    table["RoiAlign"] = convertRoiAlign;
}

} // namespace tilescope::sim
