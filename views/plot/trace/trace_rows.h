// Rows of boxes over time, and their geometry on the screen, apart from painting.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/trace/trace_index.h"

namespace tilescope::views {

/// What a box is coloured by, if not by its kind.
struct BoxTint {
    /// One of several colours by its number; a box of many steps has the three of most of its
    /// cycles.
    struct Part {
        std::int16_t colour = -1; ///< negative: none
        std::uint8_t share = 0;   ///< of the box, in 255ths
        friend bool operator==(const Part&, const Part&) = default;
    };
    std::array<Part, 3> parts{};
    float amount = -1; ///< on a scale from 0 to 1; negative: none
    /// The amount of what only one of two profiles has.
    static constexpr float unmatched = -2;
    friend bool operator==(const BoxTint&, const BoxTint&) = default;
};

/// A step, a group of steps or a run. Boxes of one row do not overlap.
struct TraceBox {
    enum class Look { Run, Group, Step };
    std::int64_t begin = 0;
    std::int64_t end = 0;
    ProgramKind kind = ProgramKind::OnTileExecute;
    Look look = Look::Step;
    std::int64_t firstStep = 0; ///< execution index
    std::int64_t steps = 1;
    std::string name;    ///< empty if there is nothing to write on the box
    KindShares shares{}; ///< of kinds in a box of merged steps; zero for all others
    BoxTint tint = {};
    /// Of TraceLane::channels; negative: none. A box of several events has the channels of most of
    /// its cycles as parts of its tint.
    std::int16_t channel = -1;
    bool wallTime = false; ///< the host's own clock has measured it
    float counted = 1;     ///< share of it that a filter lets through; others are dimmed
    bool moment = false;   ///< has no length, so it is drawn as a flag
    bool ghost = false;    ///< repeats what runs elsewhere
    [[nodiscard]] std::int64_t cycles() const { return end - begin; }
    /// A box of steps that are too narrow to tell apart.
    [[nodiscard]] bool merged() const { return shares != KindShares{}; }
};

/// A row; all its boxes are sorted by begin.
struct TraceRow {
    std::vector<TraceBox> boxes;
};

/// Rows of lanes that others hold, too.
using SharedRows = std::vector<std::shared_ptr<const TraceRow>>;

struct TrackCurve;

/// The rows of a lane: of an IPU of a profile, of its host, or of whatever else runs over time. Or
/// a counter, whose curve has a plot of its own.
struct TraceLane {
    std::string name;    ///< "IPU 0"
    bool target = false; ///< of the second profile
    std::string key;     ///< unique, the same in every session
    std::vector<TraceRow> rows = {};
    std::vector<std::string> rowNames = {}; ///< of rows that have a name of their own; may be fewer
    TraceRow folded = {};                   ///< all that a folded lane shows
    bool ofSeveral = false;                 ///< can be shown without others of its kind (IPUs)
    std::vector<std::string> channels = {}; ///< that its boxes are coloured by
    std::shared_ptr<const TrackCurve> curve = {};
};

/// How a box is painted: its colour as 0xAARRGGBB, opaque, and how much of its length it fills.
struct BoxPaint {
    std::uint32_t colour = 0xff000000;
    float filled = 1;
};
using BoxPaints = std::function<BoxPaint(const TraceBox&)>;

/// Pixels [x0, x1) of a row with what to draw there.
struct BoxOnScreen {
    int x0 = 0;
    int x1 = 0;
    std::size_t box = 0;      ///< with the largest share of it
    double coverage = 1;      ///< how much of a single pixel boxes take, 0 to 1
    std::uint32_t colour = 0; ///< of the boxes alone, without what is behind them
    friend bool operator==(const BoxOnScreen&, const BoxOnScreen&) = default;
};

/// Boxes wider than this many pixels are separated from the next by one pixel.
inline constexpr double partedFrom = 4;

/// The visible boxes of a row on `pixels` pixels for [from, to), left to right without overlap.
/// Every box counts in the pixels it touches, by its share of them: their colour is the mixture of
/// all boxes in them, so that equal things look equal wherever they fall on the grid of pixels.
/// Boxes narrower than a pixel remain visible. Wide boxes are `parted`.
std::vector<BoxOnScreen> boxesOnScreen(const TraceRow& row, double from, double to, int pixels,
                                       const BoxPaints& paints = {}, bool parted = false);

/// All steps of a lane in one row, whatever row they are on; where steps overlap the first is kept,
/// or what runs beside a stream copy.
TraceRow stepsOf(const TraceLane& lane);

/// The box at a cycle, or none (nullptr).
const TraceBox* boxAt(const TraceRow& row, double cycle);

/// The moment that is nearest to a cycle, at most so many cycles away, or none (nullptr).
const TraceBox* momentNear(const TraceRow& row, double cycle, double within);

} // namespace tilescope::views
