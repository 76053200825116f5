// The stream copies of a trace, read without its other steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/profile/trace.h"

namespace tilescope {

/// From this schema version on a file has an index of the steps that are stream copies.
inline constexpr std::int64_t firstVersionWithStreamIndex = 6;
/// More are not read: some 100 MB of steps.
inline constexpr std::int64_t mostStreamCopies = 500'000;

/// Runs, bodies, calls and those steps that are stream copies, with their times; of the items of a
/// body calls come first. None if there are too many, and in an older file of a long trace, all of
/// whose steps would have to be looked at. Throws UserError on damage.
std::optional<Trace> readStreamCopies(const std::filesystem::path& file, bool isLong);

} // namespace tilescope
