// Lowered variables: each piece of a variable on a tile has its own number, as in the original.
#include "app/python/core/profile.h"

namespace tilescope::python {
namespace {

using Variables = IdVector<VariableId, Variable>;
using Array = py::array_t<std::int64_t>;

/// The number of the first piece of each variable, then the total number of pieces.
struct PieceNumbers {
    std::vector<std::int64_t> first;
};

/// Runs of a variable on tiles that the machine has; a damaged file may name others.
std::vector<TileRun> runsOf(const Variable& variable, std::int32_t tiles) {
    std::vector<TileRun> runs = variable.bytes.runs();
    while (!runs.empty() && runs.back().first >= tiles)
        runs.pop_back();
    if (!runs.empty())
        runs.back().end = std::min(runs.back().end, tiles);
    return runs;
}

struct Pieces {
    std::shared_ptr<const Variables> variables;
    std::shared_ptr<const PieceNumbers> numbers;
};

Pieces piecesOf(const ProfileHandle& profile) {
    return profile.load([](const ProfileView& view) {
        Pieces pieces{view.variables(), {}};
        pieces.numbers = view.derived<PieceNumbers>([&] {
            PieceNumbers numbers{{0}};
            for (const Variable& variable : *pieces.variables) {
                std::int64_t end = numbers.first.back();
                for (const TileRun& run : runsOf(variable, view.machine().totalTiles()))
                    end += run.tiles();
                numbers.first.push_back(end);
            }
            return numbers;
        });
        return pieces;
    });
}

/// Numbers, variables, tiles and bytes of pieces.
struct PieceList {
    std::vector<std::int64_t> piece, variable, tile, bytes;
    void add(std::int64_t number, VariableId of, std::int32_t on, std::int64_t size) {
        piece.push_back(number);
        variable.push_back(of.value());
        tile.push_back(on);
        bytes.push_back(size);
    }
    [[nodiscard]] py::tuple arrays() const {
        return py::make_tuple(arrayOf(piece), arrayOf(variable), arrayOf(tile), arrayOf(bytes));
    }
};

void addAll(PieceList& list, const Pieces& pieces, VariableId id, std::int32_t tiles) {
    std::int64_t number = pieces.numbers->first[id.index()];
    for (const TileRun& run : runsOf((*pieces.variables)[id], tiles))
        for (std::int32_t tile = run.first; tile < run.end; ++tile)
            list.add(number++, id, tile, run.value);
}

py::tuple variablePieces(const ProfileHandle& profile, std::int64_t first, std::int64_t end) {
    const Pieces pieces = piecesOf(profile);
    const auto count = static_cast<std::int64_t>(pieces.variables->size());
    PieceList list;
    for (std::int64_t id = std::max<std::int64_t>(0, first); id < std::min(end, count); ++id)
        addAll(list, pieces, VariableId(static_cast<std::int32_t>(id)), profile.tiles());
    return list.arrays();
}

/// Pieces on a tile, with their offsets if the profile has them.
py::tuple tilePieces(const ProfileHandle& profile, std::int32_t tile) {
    if (tile < 0 || tile >= profile.tiles())
        throw py::index_error("there is no tile " + std::to_string(tile));
    const Pieces pieces = piecesOf(profile);
    const Placement placement = profile.load(
        [&](const ProfileView& view) { return view.reader().placement(TileId(tile)); });
    std::vector<std::int64_t> offsetOf(pieces.variables->size(), -1);
    for (const PlacedVariable& placed : placement.variables)
        if (placed.variable.index() < offsetOf.size())
            offsetOf[placed.variable.index()] = placed.offset;
    PieceList list;
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < pieces.variables->size(); ++i) {
        const TileSeries& bytes = (*pieces.variables)[VariableId(i)].bytes;
        const std::int64_t size = bytes.at(TileId(tile));
        if (size == 0)
            continue;
        list.add(pieces.numbers->first[i] + bytes.slice(0, tile).tilesUsed(), VariableId(i), tile,
                 size);
        offsets.push_back(offsetOf[i]);
    }
    return list.arrays() + py::make_tuple(arrayOf(offsets));
}

/// A piece by its number.
py::tuple piece(const ProfileHandle& profile, std::int64_t number) {
    const Pieces pieces = piecesOf(profile);
    const std::vector<std::int64_t>& first = pieces.numbers->first;
    if (number < 0 || number >= first.back())
        throw py::index_error("there is no lowered variable " + std::to_string(number));
    const auto after = std::upper_bound(first.begin(), first.end(), number);
    const VariableId id(static_cast<std::size_t>(after - first.begin()) - 1);
    std::int64_t left = number - first[id.index()];
    for (const TileRun& run : runsOf((*pieces.variables)[id], profile.tiles())) {
        if (left < run.tiles())
            return py::make_tuple(id.value(), run.first + left, run.value);
        left -= run.tiles();
    }
    throw InternalError("a lowered variable's number leads to no tile");
}

py::tuple variable(const ProfileHandle& profile, std::int64_t id) {
    const auto variables = profile.load([](const ProfileView& view) { return view.variables(); });
    const Variable& of = itemOf(*variables, id, "variable");
    return py::make_tuple(of.name, std::string(toString(of.category)), of.alwaysLive,
                          of.liveness.value(), of.type, of.shape, of.operation.value(),
                          of.bytes.sum());
}

/// Starts and ends of all classes' intervals, and the index of the first one of each class.
py::tuple livenessClasses(const ProfileHandle& profile) {
    const auto classes =
        profile.load([](const ProfileView& view) { return view.livenessClasses(); });
    std::vector<std::int64_t> starts, ends, first{0};
    for (const LivenessClass& of : *classes) {
        for (const StepInterval& interval : of.intervals) {
            starts.push_back(interval.first.value());
            ends.push_back(interval.end.value());
        }
        first.push_back(static_cast<std::int64_t>(starts.size()));
    }
    return py::make_tuple(arrayOf(starts), arrayOf(ends), arrayOf(first));
}

} // namespace

void bindVariables(ProfileClass& profile) {
    profile
        .def(
            "first_pieces",
            [](const ProfileHandle& p) { return arrayOf(piecesOf(p).numbers->first); },
            "The number of the first piece of each variable, and the total at the end.")
        .def("variable_pieces", variablePieces, py::arg("first"), py::arg("end"),
             "Arrays (number, variable, tile, bytes) of the pieces of variables [first, end).")
        .def("tile_pieces", tilePieces, py::arg("tile"),
             "Arrays (number, variable, tile, bytes, offset) of a tile's pieces; an offset is -1 "
             "where it is not known. Raises IndexError for a tile that does not exist.")
        .def("piece", piece, py::arg("number"), "(variable, tile, bytes) of a piece.")
        .def("variable", variable, py::arg("id"),
             "(name, category, always live?, liveness class, element type, shape, operation, "
             "bytes on all tiles) of a variable.")
        .def("liveness_classes", livenessClasses,
             "Arrays: first and end steps of all intervals, and the place of each class's first.");
}

} // namespace tilescope::python
