// Text for bytes, cycles and time, in the units the user prefers.
#pragma once

#include <cstdint>
#include <string>

namespace tilescope {

/// How byte counts are written: KiB (1024), kB (1000) or plain bytes with thousands separators.
enum class ByteUnits { Binary, Si, Plain };

/// How durations on the machine are written.
enum class ClockUnits { CyclesAndTime, Cycles, Time };

/// "1,234,567"; negative numbers keep their sign in front.
std::string withThousands(std::int64_t value);

/// Bytes in the chosen units, three significant digits or more: "1.50 MiB", "1.57 MB", "1,572,864
/// B".
std::string formatBytes(std::int64_t bytes, ByteUnits units = ByteUnits::Binary);

/// "34,655 cycles".
std::string formatCycles(std::int64_t cycles);

/// A duration in the unit that suits it: "21.3 ns", "26.06 us", "1.25 ms", "2.10 s".
std::string formatSeconds(double seconds);

/// Cycles as time at a clock (Hz): "34,655 cycles (26.06 us)". A clock of 0 leaves the time out.
std::string formatCyclesAndTime(std::int64_t cycles, double clockHz);

/// A share as "12.3 %"; 0 of 0 is "0.0 %".
std::string formatPercent(double part, double whole);

/// Operations as "1.23 GFLOP", decimal prefixes.
std::string formatFlops(double flops);

/// A rate such as samples per second in three digits or more, without its unit: "45,426", "99.5".
std::string formatRate(double perSecond);

} // namespace tilescope
