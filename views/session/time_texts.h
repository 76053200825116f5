// Numbers, durations and cycles as texts.
#pragma once

#include <QString>
#include <cstdint>
#include <string_view>

namespace tilescope::views {

/// "34,655".
QString countText(std::int64_t value);
/// Text from core, which is UTF-8.
QString textOf(std::string_view text);
/// formatSeconds() with the sign for micro that a window can show.
QString durationText(double seconds);
/// "34,655 cycles (26.1 µs)"; cycles alone if the clock (Hz) is 0.
QString cyclesText(std::int64_t cycles, double clockHz);

} // namespace tilescope::views
