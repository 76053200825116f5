// The result of one point of a sweep.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/enum_names.h"

namespace tilescope {

enum class PointStatus { Fits, OutOfMemory, Error };
template <>
inline constexpr auto enumNames<PointStatus> = std::to_array<std::string_view>({"fits", "oom",
                                                                                "error"});

/// Memory of a compiled point, in bytes.
struct PointMemory {
    std::int64_t maxTileIncludingGaps = 0; ///< of the fullest tile
    std::int64_t maxTileExcludingGaps = 0;
    std::int64_t totalIncludingGaps = 0; ///< over all tiles
    std::int64_t totalExcludingGaps = 0;
    std::int64_t alwaysLive = 0;
    std::int64_t maxNotAlwaysLive = 0;
    std::int64_t tilesOverLimit = 0;
    friend bool operator==(const PointMemory&, const PointMemory&) = default;
};

/// Time of an executed point.
struct PointTime {
    std::int64_t cycles = 0;
    double seconds = 0;
    double throughput = 0; ///< samples per second
    friend bool operator==(const PointTime&, const PointTime&) = default;
};

struct PointResult {
    PointStatus status = PointStatus::Error;
    int exitCode = 0;    ///< of the run; 128 + N if signal N ended it
    std::string message; ///< why it does not fit or failed
    std::optional<PointMemory> memory;
    std::optional<PointTime> time;
    std::int64_t warnings = 0;
    std::string profile;    ///< path below the sweep's directory; "" if none was kept
    double hostSeconds = 0; ///< how long the simulation took here
    friend bool operator==(const PointResult&, const PointResult&) = default;
};

/// The result of a `tilescope run --json` from its exit code and its output. A run that exited
/// normally with 0 or 1 and printed its summary has a result; anything else is an error with the
/// run's last message. Never throws, whatever the run printed.
PointResult resultOfRun(int exitCode, std::string_view out, std::string_view err);

/// Whether such a run found its program in the executable cache and compiled nothing. Never throws.
bool tookCompiledProgram(std::string_view out);

} // namespace tilescope
