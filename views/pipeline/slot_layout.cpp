#include "views/pipeline/slot_layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/saturating.h"

namespace tilescope::views {
namespace {

/// Slots that are repeated together.
struct Block {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int64_t repeats = 1;
    std::int64_t first = 0; ///< number of its first slot, counted with repetitions

    [[nodiscard]] std::int64_t slotsEach() const { return static_cast<std::int64_t>(end - begin); }
    [[nodiscard]] std::int64_t last() const {
        return saturatingSum(first, saturatingProduct(slotsEach(), repeats));
    }
};

std::vector<Block> blocksOf(const PipelineReport& report) {
    std::vector<Block> blocks;
    const auto& times = report.slotTimes;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const bool goesOn =
            i > 0 && times[i].part == times[i - 1].part && times[i].repeats == times[i - 1].repeats;
        if (goesOn)
            blocks.back().end = i + 1;
        else
            blocks.push_back({i, i + 1, std::max<std::int64_t>(1, times[i].repeats),
                              blocks.empty() ? 0 : blocks.back().last()});
    }
    return blocks;
}

class Layouter {
public:
    Layouter(const PipelineReport& report, SlotWidths widths)
        : report_(report)
        , byCycles_(widths == SlotWidths::Cycles && hasCycles()) {}

    SlotLayout run() {
        for (std::size_t slot = 0; slot < report_.slotTimes.size(); ++slot) {
            beginSlot(slot, static_cast<std::int64_t>(slot));
            continueGroup(report_.slotTimes[slot].repeats);
            addStages(-1);
        }
        addUpdate();
        layout_.byCycles = byCycles_;
        return std::move(layout_);
    }

    SlotLayout run(SlotWindow window) {
        const std::int64_t end = saturatingSum(window.first, window.count);
        std::int64_t last = 0;
        for (const Block& block : blocksOf(report_)) {
            last = block.last();
            for (std::int64_t at = std::max(block.first, window.first); at < std::min(end, last);
                 ++at) {
                const std::int64_t in = at - block.first;
                beginSlot(block.begin + static_cast<std::size_t>(in % block.slotsEach()), at);
                continueGroup(1);
                addStages(in / block.slotsEach());
            }
        }
        if (end >= last)
            addUpdate();
        layout_.byCycles = byCycles_;
        return std::move(layout_);
    }

private:
    [[nodiscard]] bool hasCycles() const {
        return std::any_of(report_.stages.begin(), report_.stages.end(),
                           [](const PipelineStage& stage) { return stage.cycles() > 0; });
    }

    void beginSlot(std::size_t slot, std::int64_t number) {
        beginColumn(byCycles_ ? static_cast<double>(report_.slotTimes[slot].cycles) : 1.0);
        layout_.columns.back().slot = slot;
        layout_.columns.back().number = number;
    }

    void beginColumn(double width) {
        SlotColumn column;
        column.from = layout_.width;
        column.to = layout_.width + width;
        layout_.columns.push_back(column);
        layout_.width += width;
    }

    void continueGroup(std::int64_t repeats) {
        const SlotColumn& column = layout_.columns.back();
        const PipelinePart part = report_.slotTimes[column.slot].part;
        auto& groups = layout_.groups;
        if (groups.empty() || groups.back().part != part || groups.back().repeats != repeats)
            groups.push_back({part, false, repeats, 0, column.from, column.to});
        ++groups.back().slotCount;
        groups.back().to = layout_.width;
    }

    /// Adds what the stages run in the newest column, in this repetition of its slot or (-1) in all
    /// of them.
    void addStages(std::int64_t repetition) {
        for (std::size_t stage = 0; stage < report_.stages.size(); ++stage)
            addStage(static_cast<std::int32_t>(stage), repetition);
    }

    /// Adds the pieces of one stage one after the other.
    void addStage(std::int32_t stage, std::int64_t repetition) {
        const PipelineStage& s = report_.stages[static_cast<std::size_t>(stage)];
        const std::size_t first = layout_.pieces.size();
        for (const MicroBatchCall& call : report_.slotTimes[layout_.columns.back().slot].calls) {
            if (call.stage != stage)
                continue;
            const std::int64_t number = repetition < 0 ? 0 : call.in(repetition);
            if (call.forward)
                add(stage, SlotWork::Forward, s.forwardCycles, call.call, number);
            if (call.backward) {
                add(stage, SlotWork::Recompute, s.recomputeCycles, call.call, number);
                add(stage, SlotWork::Backward, s.backwardCycles - s.recomputeCycles, call.call,
                    number);
            }
            if (!call.forward && !call.backward)
                add(stage, SlotWork::Fifo, s.fifoCycles, call.call, 0);
        }
        place(first);
    }

    void add(std::int32_t stage, SlotWork work, std::int64_t cycles, ProgramId call,
             std::int64_t microBatch) {
        const bool always = work == SlotWork::Forward || work == SlotWork::Backward;
        if (cycles > 0 || (always && !byCycles_))
            layout_.pieces.push_back(
                {layout_.columns.size() - 1, stage, work, 0, 0, cycles, call, microBatch});
    }

    /// Places the pieces from `first` on in the newest column: by their cycles, or by shares of the
    /// slot.
    void place(std::size_t first) {
        const SlotColumn& column = layout_.columns.back();
        double at = column.from;
        double all = 0;
        for (std::size_t i = first; i < layout_.pieces.size(); ++i)
            all += shareOf(layout_.pieces[i]);
        for (std::size_t i = first; i < layout_.pieces.size(); ++i) {
            SlotPiece& piece = layout_.pieces[i];
            piece.from = at;
            at += byCycles_ ? static_cast<double>(piece.cycles)
                            : shareOf(piece) / all * (column.to - column.from);
            piece.to = at;
        }
    }

    /// The share of a slot if all are equally wide: forward and backward count the same,
    /// recomputation half, buffers little.
    static double shareOf(const SlotPiece& piece) {
        switch (piece.work) {
        case SlotWork::Fifo:
            return 0.25;
        case SlotWork::Recompute:
            return 0.5;
        default:
            return 1;
        }
    }

    void addUpdate() {
        std::int64_t longest = 0;
        for (const PipelineStage& stage : report_.stages)
            longest = std::max(longest, stage.updateCycles);
        if (longest == 0)
            return;
        beginColumn(byCycles_ ? static_cast<double>(longest) : 1.0);
        layout_.columns.back().isUpdate = true;
        layout_.columns.back().number = -1;
        layout_.groups.push_back(
            {PipelinePart::RampDown, true, 1, 1, layout_.columns.back().from, layout_.width});
        for (const PipelineStage& stage : report_.stages) {
            const std::size_t first = layout_.pieces.size();
            if (stage.updateCycles > 0)
                layout_.pieces.push_back({layout_.columns.size() - 1,
                                          stage.stage,
                                          SlotWork::Update,
                                          0,
                                          0,
                                          stage.updateCycles,
                                          {},
                                          0});
            place(first);
        }
    }

    const PipelineReport& report_;
    bool byCycles_;
    SlotLayout layout_;
};

} // namespace

std::string SlotPiece::label() const {
    const std::int64_t number = microBatch > 0 ? microBatch : stage;
    switch (work) {
    case SlotWork::Forward:
        return fmt::format("F{}", number);
    case SlotWork::Backward:
        return fmt::format("B{}", number);
    case SlotWork::Recompute:
        return fmt::format("R{}", number);
    case SlotWork::Update:
        return "U";
    case SlotWork::Fifo:
        break;
    }
    return {};
}

SlotLayout slotLayout(const PipelineReport& report, SlotWidths widths) {
    return Layouter(report, widths).run();
}

SlotLayout slotLayout(const PipelineReport& report, SlotWidths widths, SlotWindow window) {
    return Layouter(report, widths).run(window);
}

SlotLayout besideOf(const SlotLayout& layout, const SlotLayout& other) {
    SlotLayout result = layout;
    if (!layout.byCycles || !other.byCycles)
        return result;
    // By how much each column is later.
    std::vector<double> later;
    double all = 0;
    bool alike = true;
    for (std::size_t i = 0; i < result.columns.size(); ++i) {
        SlotColumn& column = result.columns[i];
        const double width = column.to - column.from;
        alike = alike && i < other.columns.size() && other.columns[i].number == column.number;
        later.push_back(all);
        if (alike)
            all += std::max(0.0, other.columns[i].to - other.columns[i].from - width);
        column.from += later[i];
        column.to += all;
    }
    for (SlotPiece& piece : result.pieces) {
        piece.from += later[piece.column];
        piece.to += later[piece.column];
    }
    std::size_t next = 0;
    for (SlotGroup& group : result.groups) {
        const auto columns = static_cast<std::size_t>(std::max<std::int64_t>(1, group.slotCount));
        const std::size_t last = std::min(next + columns, result.columns.size()) - 1;
        group.from = result.columns[std::min(next, last)].from;
        group.to = result.columns[last].to;
        next = last + 1;
    }
    result.width += all;
    return result;
}

std::int64_t slotCount(const PipelineReport& report) {
    const std::vector<Block> blocks = blocksOf(report);
    return blocks.empty() ? 0 : blocks.back().last();
}

std::optional<SlotWindow> slotsOf(const PipelineReport& report, std::int64_t microBatch) {
    std::optional<std::int64_t> first;
    std::int64_t last = 0;
    for (const Block& block : blocksOf(report))
        for (std::size_t slot = block.begin; slot < block.end; ++slot)
            for (const MicroBatchCall& call : report.slotTimes[slot].calls) {
                const std::int64_t after = saturatingDifference(microBatch, call.first);
                if (call.first <= 0 || call.stride <= 0 || after < 0 || after % call.stride != 0 ||
                    after / call.stride >= block.repeats)
                    continue;
                const std::int64_t at = block.first + after / call.stride * block.slotsEach() +
                                        static_cast<std::int64_t>(slot - block.begin);
                first = std::min(first.value_or(at), at);
                last = std::max(last, at);
            }
    return first ? std::optional(SlotWindow{*first, last - *first + 1}) : std::nullopt;
}

int neighbourOf(const SlotLayout& layout, int piece, int along, int across) {
    if (layout.pieces.empty())
        return -1;
    if (piece < 0)
        return 0;
    const SlotPiece& now = layout.pieces[static_cast<std::size_t>(piece)];
    const double middle = (now.from + now.to) / 2;
    int best = piece;
    double least = 0;
    for (std::size_t i = 0; i < layout.pieces.size(); ++i) {
        const SlotPiece& other = layout.pieces[i];
        const double further = (other.from + other.to) / 2 - middle;
        const int below = other.stage - now.stage;
        const bool wanted = along != 0 ? below == 0 && further * along > 0
                                       : below * across > 0 && other.column == now.column;
        if (!wanted)
            continue;
        // Across stages the nearest stage comes first, then the nearest piece along the slots.
        const double distance =
            along != 0 ? std::abs(further) : std::abs(below) * layout.width + std::abs(further);
        if (best == piece || distance < least) {
            best = static_cast<int>(i);
            least = distance;
        }
    }
    return best;
}

} // namespace tilescope::views
