// Where the programs of a pipeline's slots are drawn: geometry apart from painting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/execution/pipeline.h"

namespace tilescope::views {

/// The kind of work that a piece of a slot diagram represents.
enum class SlotWork : std::uint8_t { Forward, Recompute, Backward, Fifo, Update };

/// How wide slots are: all alike, or as long as they take.
enum class SlotWidths : std::uint8_t { Equal, Cycles };

/// What the numbers of the pieces are, and so which slots are drawn.
enum class SlotNumbers : std::uint8_t {
    MicroBatches, ///< every slot, as often as it is repeated
    Stages        ///< main slots once, for all micro-batches
};

/// Consecutive slots of a step, counted with their repetitions.
struct SlotWindow {
    std::int64_t first = 0;
    std::int64_t count = 0;
    friend bool operator==(const SlotWindow&, const SlotWindow&) = default;
};

/// A program in a slot. Columns are slots from 0; the weight update is in the column after the
/// last. Positions along the diagram are in units that add up to SlotLayout::width.
struct SlotPiece {
    std::size_t column = 0;
    std::int32_t stage = 0;
    SlotWork work = SlotWork::Forward;
    double from = 0;
    double to = 0;
    std::int64_t cycles = 0;
    ProgramId call;              ///< none for the weight update
    std::int64_t microBatch = 0; ///< 0 where main slots are drawn once, and for other work
    /// "F2", "B2": the micro-batch, or else the stage; empty for work without a letter.
    [[nodiscard]] std::string label() const;
};

/// A column with its place.
struct SlotColumn {
    double from = 0;
    double to = 0;
    bool isUpdate = false;
    std::size_t slot = 0;    ///< of the report
    std::int64_t number = 0; ///< counted with repetitions, from 0; -1 for the update
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

/// The pieces of a part of all slots, as often as they are repeated; the update follows the last
/// slot. Costs what the window holds.
SlotLayout slotLayout(const PipelineReport& report, SlotWidths widths, SlotWindow window);

/// The same with each slot as wide as in the wider of two layouts, as long as both have the same
/// slots, so that these begin together; both must count cycles.
SlotLayout besideOf(const SlotLayout& layout, const SlotLayout& other);

/// How many slots a step has, with repetitions.
std::int64_t slotCount(const PipelineReport& report);

/// The slots, counted with repetitions, between which a micro-batch is in the pipeline; none if
/// there is no such micro-batch.
std::optional<SlotWindow> slotsOf(const PipelineReport& report, std::int64_t microBatch);

/// The nearest piece in a direction from another (-1: the first): by slot on one stage, or by stage
/// in one slot; the piece itself if there is none.
int neighbourOf(const SlotLayout& layout, int piece, int along, int across);

} // namespace tilescope::views
