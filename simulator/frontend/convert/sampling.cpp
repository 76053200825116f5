// Operators that read images at places that are only known at run time: each sample looks up its
// neighbours' pixels, all channels of one as a row of a table, and weighs them.
#include <array>

#include <fmt/format.h>

#include "simulator/frontend/convert/rows.h"

namespace tilescope::sim {

namespace {

using enum ElementwiseFunction;

/// Samples of an image [N, C, H, W] at places that have one value for each sample.
class Sampler {
public:
    Sampler(NodeConverter& node, bool zerosOutside)
        : node_(node)
        , zerosOutside_(zerosOutside)
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
            const TensorId at =
                node_.elementwise(name, Add, {floor, node_.scalar(name + "/step", floor)});
            result.push_back(bounded(name, at, weight(name, rest, taps), size));
        }
        return result;
    }

    /// Linear in the distance, or a cubic of it (by Horner's rule).
    TensorId weight(const std::string& part, TensorId rest, std::int64_t taps) {
        const auto scalar = [&](const char* what) { return node_.scalar(part + what, rest); };
        const TensorId distance =
            node_.elementwise(part + "/distance", Subtract, {rest, scalar("/at")});
        TensorId value = node_.elementwise(part + "/abs", Abs, {distance});
        if (taps == 2)
            return node_.elementwise(part + "/weight", Subtract, {scalar("/one"), value});
        const TensorId size = value;
        for (const char* power : {"/cube", "/square", "/line"}) {
            value = node_.elementwise(part + power, Multiply, {value, size});
            value =
                node_.elementwise(part + power + std::string("/add"), Add, {value, scalar(power)});
        }
        return value;
    }

    /// Within the image; outside of it the border counts, or nothing.
    Neighbour bounded(const std::string& part, TensorId at, TensorId weight, std::int64_t size) {
        const TensorId inside =
            node_.elementwise(part + "/clamp", Clip, {at}, 0, static_cast<double>(size - 1));
        if (zerosOutside_) {
            const TensorId same = node_.elementwise(part + "/inside", Equal, {at, inside});
            const TensorId mask = node_.cast(part + "/mask", same, node_.builder().tensor(at).type);
            weight = weight.valid() ? node_.elementwise(part + "/masked", Multiply, {weight, mask})
                                    : mask;
        }
        return {node_.cast(part + "/index", inside, DataType::Int32), weight};
    }

    TensorId pixel(const std::string& part, Neighbour row, Neighbour column, TensorId image) {
        TensorId number = node_.elementwise(part + "/row", Multiply,
                                            {row.index, node_.scalar(part + "/width", row.index)});
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
    bool zerosOutside_;
    Shape shape_;
    TensorId table_;
};

TensorId linearIn(NodeConverter& node, const std::string& part, TensorId x) {
    const TensorId scaled =
        node.elementwise(part + "/scale", Multiply, {x, node.scalar(part + "/factor", x)});
    return node.elementwise(part + "/shift", Add, {scaled, node.scalar(part + "/offset", x)});
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
    const Shape places{grid[0], grid[1] * grid[2]};
    std::array<TensorId, 2> coordinates;
    for (const std::size_t i : {0U, 1U}) {
        const std::string part = i == 0 ? "x" : "y";
        const TensorId one =
            rowsFrom(node, part, node.input(1), 3, static_cast<std::int64_t>(i), 1);
        coordinates[i] = linearIn(node, part, node.reshape(part + "/places", one, places));
        // A place beyond the border is mirrored by its size and two comparisons.
        if (padding == "reflection") {
            const TensorId size = node.elementwise(part + "/abs", Abs, {coordinates[i]});
            const TensorId mirrored = node.elementwise(part + "/mirror", Subtract,
                                                       {node.scalar(part + "/last", size), size});
            coordinates[i] = node.elementwise(part + "/reflect", Min, {size, mirrored});
        }
    }
    Sampler sampler(node, padding == "zeros");
    const TensorId images = indexConstant(node, "images", {places[0], 1});
    const TensorId pixels = sampler.sample(coordinates[1], coordinates[0], images,
                                           gridTaps(node.node().text("mode", "bilinear")));
    const Shape asImage{grid[0], grid[1], grid[2], node.shape(0)[1]};
    node.result(
        node.emit("", TransposeAttributes{{0, 3, 1, 2}}, {node.reshape("image", pixels, asImage)}));
}

/// Places within regions [regions, samples of one dimension]: start + sample * size.
TensorId regionPlaces(NodeConverter& node, const std::string& part, std::int64_t first,
                      std::int64_t samples) {
    const TensorId scaled = linearIn(node, part + "/corner", node.input(1));
    const TensorId low = rowsFrom(node, part + "/low", scaled, 1, first, 1);
    const TensorId high = rowsFrom(node, part + "/high", scaled, 1, first + 2, 1);
    const TensorId size = node.elementwise(part + "/size", Subtract, {high, low});
    const TensorId steps = constantLike(node, part + "/steps", size, {1, samples});
    return node.elementwise(part + "/places", Add,
                            {node.elementwise(part + "/offsets", Multiply, {size, steps}), low});
}

/// Samples of each region's bins, of which each bin takes the mean or the greatest.
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
    const TensorId image = node.reshape(
        "images", node.elementwise("image", Multiply, {batch, node.scalar("imageRows", batch)}),
        {regions, 1});
    Sampler sampler(node, false);
    TensorId pixels = sampler.sample(spread("y", y, {regions, rows, 1}),
                                     spread("x", x, {regions, 1, columns}), image, 2);
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
