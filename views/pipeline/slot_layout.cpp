#include "views/pipeline/slot_layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tilescope::views {
namespace {

class Layouter {
public:
    Layouter(const PipelineReport& report, SlotWidths widths)
        : report_(report)
        , byCycles_(widths == SlotWidths::Cycles && hasCycles()) {}

    SlotLayout run() {
        for (const PipelineSlotTime& slot : report_.slotTimes)
            addSlot(slot);
        addUpdate();
        layout_.byCycles = byCycles_;
        return std::move(layout_);
    }

private:
    [[nodiscard]] bool hasCycles() const {
        return std::any_of(report_.stages.begin(), report_.stages.end(),
                           [](const PipelineStage& stage) { return stage.cycles() > 0; });
    }

    void addSlot(const PipelineSlotTime& slot) {
        const double width = byCycles_ ? static_cast<double>(slot.cycles) : 1.0;
        beginColumn(width, false);
        continueGroup(slot, width);
        for (std::size_t stage = 0; stage < report_.stages.size(); ++stage)
            addStage(slot, static_cast<std::int32_t>(stage));
    }

    void beginColumn(double width, bool isUpdate) {
        layout_.columns.push_back({layout_.width, layout_.width + width, isUpdate});
        layout_.width += width;
    }

    void continueGroup(const PipelineSlotTime& slot, double width) {
        auto& groups = layout_.groups;
        if (groups.empty() || groups.back().part != slot.part ||
            groups.back().repeats != slot.repeats)
            groups.push_back(
                {slot.part, false, slot.repeats, 0, layout_.width - width, layout_.width});
        ++groups.back().slotCount;
        groups.back().to = layout_.width;
    }

    /// Adds the pieces that one stage runs in the newest column, one after the other.
    void addStage(const PipelineSlotTime& slot, std::int32_t stage) {
        const PipelineStage& s = report_.stages[static_cast<std::size_t>(stage)];
        const std::size_t first = layout_.pieces.size();
        for (const PipelineSlotCall& call : slot.calls) {
            if (call.stage != stage)
                continue;
            if (call.forward)
                add(stage, SlotWork::Forward, s.forwardCycles, call.call);
            if (call.backward) {
                add(stage, SlotWork::Recompute, s.recomputeCycles, call.call);
                add(stage, SlotWork::Backward, s.backwardCycles - s.recomputeCycles, call.call);
            }
            if (!call.forward && !call.backward)
                add(stage, SlotWork::Fifo, s.fifoCycles, call.call);
        }
        place(first);
    }

    void add(std::int32_t stage, SlotWork work, std::int64_t cycles, ProgramId call) {
        const bool always = work == SlotWork::Forward || work == SlotWork::Backward;
        if (cycles > 0 || (always && !byCycles_))
            layout_.pieces.push_back({layout_.columns.size() - 1, stage, work, 0, 0, cycles, call});
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
        beginColumn(byCycles_ ? static_cast<double>(longest) : 1.0, true);
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
                                          {}});
            place(first);
        }
    }

    const PipelineReport& report_;
    bool byCycles_;
    SlotLayout layout_;
};

} // namespace

std::string SlotPiece::label() const {
    switch (work) {
    case SlotWork::Forward:
        return fmt::format("F{}", stage);
    case SlotWork::Backward:
        return fmt::format("B{}", stage);
    case SlotWork::Recompute:
        return fmt::format("R{}", stage);
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
