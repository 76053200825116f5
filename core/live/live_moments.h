// The memory that several IPUs hold together at a moment, over stretches of an execution, each read
// once.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/for_each.h"
#include "core/live/moment_sweep.h"
#include "core/trace/cycle_columns.h"

namespace tilescope {

/// The sum over some IPUs. Where all of them repeat the same body at the same pace, one repetition
/// represents all; the rest is cut into cells of time whose extremes are kept. Not thread-safe.
class LiveMoments {
public:
    /// `trace` outlives this. `known`: what the file has of the cells of these IPUs.
    LiveMoments(const TraceIndex& trace, std::deque<LiveSteps> ipus, const LiveCells& known = {});

    /// Without always-live bytes; none if the range has too many steps to visit.
    std::optional<std::vector<FoundExtremes>>
    columns(const CycleColumns& columns, const std::stop_token& stop, const ForEach& each = {});

    /// The cells of stretches that are long, but not too long to be visited, for the file.
    [[nodiscard]] LiveCells cellsOfLongStretches();

private:
    // A chunk is visited as a whole and its cells are kept, so a column border costs one cell, and
    // that only if the cell has what the rest of the column lacks. Files have cells of this size.
    static constexpr std::int64_t stepsOfCell = 16;
    static constexpr std::int64_t cellsOfChunk = 4096;
    // Some ten seconds of work; traces of real programs repeat long before.
    static constexpr std::int64_t mostSteps = 100'000'000;

    static CycleRange common(CycleRange a, CycleRange b) {
        return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
    }
    /// Consecutive cycles, or a period that is repeated.
    struct Stretch {
        CycleRange range;
        std::int64_t period = 0;
        std::vector<Stretch> inner = {};         ///< of the first period
        std::optional<FoundExtremes> whole = {}; ///< of a period, once computed
        std::int64_t steps = 0;                  ///< in a stretch without a period
        CycleColumns chunks = {};
        std::vector<std::shared_ptr<const ChunkCells>> cells = {}; ///< of each chunk, once known
    };
    /// Where an IPU is in a body; `at` has no body where it does nothing.
    struct Place {
        EnteredBody at;
        std::int64_t offset = 0;
    };
    /// What the IPUs do in a call, over a range in which none does anything else.
    struct Together {
        CycleRange range;
        std::int64_t period = 0; ///< if it is repeated
        std::vector<Place> inside;
        bool aligned = true; ///< all begin at once
    };

    void split(TraceBodyId body, const std::vector<Place>& places, CycleRange range,
               std::vector<Stretch>& out);
    [[nodiscard]] std::optional<Together> together(TraceBodyId body, std::int32_t call,
                                                   const std::vector<Place>& places);
    [[nodiscard]] bool nothingElse(std::int32_t call, const std::vector<Place>& places,
                                   CycleRange range);
    [[nodiscard]] bool runsFollowEachOther() const;
    bool repeats(TraceBodyId body);
    [[nodiscard]] Stretch plain(CycleRange range) const;
    [[nodiscard]] static bool tooLong(const std::vector<Stretch>& stretches, CycleRange range);
    /// Calls use(stretch, number) with each stretch without a period, from 0 on.
    static void eachPlain(std::vector<Stretch>& stretches, const auto& use, std::int64_t& number);
    void adopt(const LiveCells& known);

    FoundExtremes over(std::vector<Stretch>& stretches, CycleRange range);
    FoundExtremes overPeriods(Stretch& stretch, CycleRange range);
    FoundExtremes overCells(Stretch& stretch, CycleRange range);
    /// A part of a cell that belongs to a column.
    struct Cut {
        std::size_t column = 0;
        CycleRange range;
        FoundExtremes cell; ///< all of it
    };
    FoundExtremes inChunk(Stretch& stretch, std::size_t chunk, CycleRange range, std::size_t column,
                          std::vector<Cut>& cuts);
    void addCut(FoundExtremes& found, const Cut& cut);
    void addCuts(std::vector<Cut>& cuts, std::vector<FoundExtremes>& found) const;
    [[nodiscard]] std::vector<FoundExtremes> sweep(std::span<const std::int64_t> borders);
    [[nodiscard]] ChunkCells cellsOf(const Stretch& stretch, std::size_t chunk);
    void sweepColumns(const CycleColumns& columns, std::size_t first, std::size_t end,
                      std::vector<FoundExtremes>& found);
    /// Columns [begin, end) of a query and what is found in them.
    struct Asked {
        const CycleColumns& columns;
        std::size_t begin = 0;
        std::size_t end = 0;
        std::vector<FoundExtremes>& found;
        [[nodiscard]] CycleRange range() const {
            return {columns.border(begin), columns.border(end)};
        }
    };
    void overChunks(Stretch& stretch, const Asked& asked);
    /// Chunks [begin, end) of a stretch that are visited together.
    struct Pass {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::vector<std::int64_t> cellEnds = {};
        std::vector<std::int64_t> borders = {}; ///< of cells and columns
        std::vector<FoundExtremes> pieces = {}; ///< between these, once visited
    };
    [[nodiscard]] static Pass passOver(const Stretch& stretch, std::size_t begin, std::size_t end,
                                       const Asked& asked);
    void visit(std::vector<Pass>& passes) const;
    void share(std::size_t count, const std::function<void(std::size_t)>& work) const;
    static void keep(Stretch& stretch, const Pass& pass, const Asked& asked);

    const TraceIndex& trace_;
    std::deque<LiveSteps> ipus_;
    std::stop_token stop_;
    ForEach each_;
    std::map<TraceBodyId, bool> repeats_;
    std::vector<Stretch> stretches_;
};

} // namespace tilescope
