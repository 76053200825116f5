// What a profile holds and what it lacks. A simulated one holds everything; an imported one says
// here what its original did not have, so that no report prints a figure for it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"

namespace tilescope {

/// What may be missing.
enum class ProfilePart : std::uint8_t {
    Run,           ///< mode, batch size, device iterations, samples
    Options,       ///< options of the run
    HostTimes,     ///< what a call costs the host, when it has data, samples a second
    Streams,       ///< which stream a copy belongs to
    Operations,    ///< operations of the model
    Flops,         ///< their floating-point operations
    Plans,         ///< their plans
    Graph,         ///< the model's graph
    Pipeline,      ///< stages of a pipelined execution, phases of a phased one
    Copies,        ///< copies that put operands in order
    Edges,         ///< of the compiled graph
    ExchangeBytes, ///< bytes that tiles send and receive, by exchange
    StepBytes,     ///< bytes that come and go in a step
    VertexCounts,  ///< vertices of a compute set by tile
    VertexCode,    ///< bytes of the codelets
    StateBytes,    ///< of the vertices
    Regions,       ///< whether bytes are interleaved
    Variables,     ///< on which tiles they are, and when they are live
    Categories,    ///< what each variable's bytes are used for
    VariableTypes, ///< element type and shape
    Addresses,     ///< of the variables
    PhysicalTiles, ///< where tiles are on the chip
    Functions,     ///< which function a call runs, how often a repeat repeats
    TileCycles,    ///< cycles by tile of compute sets and exchanges
    ActiveTiles,   ///< tiles that take part in a step, and for how long
    Values,        ///< of tensors
};
inline constexpr auto profileParts = valuesUpTo<ProfilePart::Values>;
template <>
inline constexpr auto enumNames<ProfilePart> = std::to_array<std::string_view>(
    {"run",         "options",       "hostTimes",  "streams",       "operations", "flops",
     "plans",       "graph",         "pipeline",   "copies",        "edges",      "exchangeBytes",
     "stepBytes",   "vertexCounts",  "vertexCode", "stateBytes",    "regions",    "variables",
     "categories",  "variableTypes", "addresses",  "physicalTiles", "functions",  "tileCycles",
     "activeTiles", "values"});

/// How much of a part is there.
enum class Covered : std::uint8_t { Full, Part, None };
template <>
inline constexpr auto enumNames<Covered> = std::to_array<std::string_view>({"full", "part",
                                                                            "none"});

/// A part that is not complete.
struct CoverageRow {
    ProfilePart part = ProfilePart::Run;
    Covered state = Covered::None;
    std::string why; ///< a sentence: what the original lacks, and what would provide it
    friend bool operator==(const CoverageRow&, const CoverageRow&) = default;
};

/// The parts that are not complete; each at most once.
struct Coverage {
    std::vector<CoverageRow> rows;

    /// Nullptr if the part is complete.
    [[nodiscard]] const CoverageRow* find(ProfilePart part) const {
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [part](const CoverageRow& of) { return of.part == part; });
        return row == rows.end() ? nullptr : &*row;
    }
    [[nodiscard]] Covered state(ProfilePart part) const {
        const CoverageRow* row = find(part);
        return row == nullptr ? Covered::Full : row->state;
    }
    /// Whether there is something of the part.
    [[nodiscard]] bool has(ProfilePart part) const { return state(part) != Covered::None; }
    /// Why it is not complete; empty if it is.
    [[nodiscard]] std::string why(ProfilePart part) const {
        const CoverageRow* row = find(part);
        return row == nullptr ? std::string() : row->why;
    }
    friend bool operator==(const Coverage&, const Coverage&) = default;
};

} // namespace tilescope
