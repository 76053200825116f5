// Rows of boxes over time, and their geometry on the screen, apart from painting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/profile/kinds.h"

namespace tilescope::views {

/// A step, a group of steps or a run. Boxes of one row do not overlap.
struct TraceBox {
    enum class Look { Run, Group, Step };
    std::int64_t begin = 0;
    std::int64_t end = 0;
    ProgramKind kind = ProgramKind::OnTileExecute;
    Look look = Look::Step;
    std::int64_t firstStep = 0; ///< execution index
    std::int64_t steps = 1;
    std::string name; ///< empty if there is nothing to write on the box
    [[nodiscard]] std::int64_t cycles() const { return end - begin; }
};

/// A row; all its boxes are sorted by begin.
struct TraceRow {
    std::vector<TraceBox> boxes;
};

/// The rows of one IPU of one profile, or of its host.
struct TraceLane {
    std::string name;     ///< "IPU 0"
    bool target = false;  ///< of the second profile
    std::int32_t ipu = 0; ///< -1: the host
    std::vector<TraceRow> rows;
    std::vector<std::string> rowNames = {}; ///< of rows that are told apart by name; may be fewer
};

/// Pixels [x0, x1) of a row with the box to draw there.
struct BoxOnScreen {
    int x0 = 0;
    int x1 = 0;
    std::size_t box = 0;
    double coverage = 1; ///< how much of a single pixel boxes take, 0 to 1
    friend bool operator==(const BoxOnScreen&, const BoxOnScreen&) = default;
};

/// The visible boxes of a row on `pixels` pixels for [from, to), left to right without overlap.
/// Every box counts in the pixels it touches. A pixel that boxes share goes to the kind that most
/// of its cycles are, and of that kind to the longest box. So there are never more than `pixels`.
std::vector<BoxOnScreen> boxesOnScreen(const TraceRow& row, double from, double to, int pixels);

/// All steps of a lane in one row, whatever row they are on, without their names; where steps
/// overlap the first is kept, or what runs beside a stream copy.
TraceRow stepsOf(const TraceLane& lane);

/// The box at a cycle, or none (nullptr).
const TraceBox* boxAt(const TraceRow& row, double cycle);

} // namespace tilescope::views
