// Durations and cycles as texts.
#pragma once

#include <QString>
#include <cstdint>

namespace tilescope::views {

/// formatSeconds() with the sign for micro that a window can show.
QString durationText(double seconds);
/// "34,655 cycles (26.1 µs)"; cycles alone if the clock (Hz) is 0.
QString cyclesText(std::int64_t cycles, double clockHz);

} // namespace tilescope::views
