// Ranges of cycles as people write them.
#pragma once

#include <QString>
#include <optional>

#include "core/trace/trace_index.h"

namespace tilescope::views {

/// "12000-34000", "1.5 ms to 2 ms", "1.5-2 ms", "12,000 .. 34,000": cycles, or time at `clockHz`
/// with ns, us, µs, ms or s. A unit after the second number holds for both if the first has none.
/// Nothing if the text is no range or is empty of cycles; time needs a clock.
std::optional<CycleRange> parseCycleRange(const QString& text, double clockHz);

} // namespace tilescope::views
