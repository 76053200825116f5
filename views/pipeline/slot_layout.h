// Where the programs of a pipeline's slots are drawn: geometry apart from painting.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/execution/pipeline.h"

namespace tilescope::views {

/// The kind of work that a piece of a slot diagram represents.
enum class SlotWork : std::uint8_t { Forward, Recompute, Backward, Fifo, Update };

/// How wide slots are: all alike, or as long as they take.
enum class SlotWidths : std::uint8_t { Equal, Cycles };

/// A program in a slot. Columns are slots from 0; the weight update is in the column after the
/// last. Positions along the diagram are in units that add up to SlotLayout::width.
struct SlotPiece {
    std::size_t column = 0;
    std::int32_t stage = 0;
    SlotWork work = SlotWork::Forward;
    double from = 0;
    double to = 0;
    std::int64_t cycles = 0;
    ProgramId call;                          ///< none for the weight update
    [[nodiscard]] std::string label() const; ///< "F2", "B2"; empty for work without a letter
};

/// A column with its place.
struct SlotColumn {
    double from = 0;
    double to = 0;
    bool isUpdate = false;
};

/// Neighbouring slots under one title.
struct SlotGroup {
    PipelinePart part = PipelinePart::Main;
    bool isUpdate = false;
    std::int64_t repeats = 1;   ///< main slots are drawn once
    std::int64_t slotCount = 0; ///< columns
    double from = 0;
    double to = 0;
};

struct SlotLayout {
    double width = 0;
    bool byCycles = false; ///< whether a unit is a cycle
    std::vector<SlotColumn> columns;
    std::vector<SlotGroup> groups;
    std::vector<SlotPiece> pieces; ///< by column, then by stage, then from left to right
};

/// The pieces of a report. With SlotWidths::Cycles a unit is a cycle and a slot is as wide as its
/// busiest IPU works; with Equal every slot is one unit, and so is a report without cycles.
SlotLayout slotLayout(const PipelineReport& report, SlotWidths widths);

/// The nearest piece in a direction from another (-1: the first): by slot on one stage, or by stage
/// in one slot; the piece itself if there is none.
int neighbourOf(const SlotLayout& layout, int piece, int along, int across);

} // namespace tilescope::views
