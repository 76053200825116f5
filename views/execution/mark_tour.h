// Going from mark to mark.
#pragma once

#include <optional>

#include "views/execution/marks.h"

namespace tilescope::views {

/// Moves the time zoom from mark to mark.
class MarkTour {
public:
    MarkTour(const MarksModel& marks, ZoomRange& zoom)
        : marks_(marks)
        , zoom_(zoom) {}

    /// Puts a cycle in the middle of the window, as far as the execution reaches.
    void show(double cycle);
    /// Shows the mark after the one that is in the middle, or before it; false if there is none.
    bool go(bool forward);
    /// Another execution is open.
    void reset() { shown_.reset(); }

private:
    const MarksModel& marks_;
    ZoomRange& zoom_;
    std::optional<double> shown_; ///< the cycle that was shown last
};

} // namespace tilescope::views
