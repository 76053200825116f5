// The table of what the host did before the execution.
#pragma once

#include <cstdint>
#include <vector>

#include "core/database/database.h"
#include "core/profile/host.h"
#include "core/store/profile_reader.h"

namespace tilescope {

/// Older files do not record the host's work.
inline constexpr std::int64_t firstVersionWithHostSpans = 6;

void writeHostSpans(const Database& db, const std::vector<HostSpan>& spans);

/// In the order in which they began; empty for an older file. Throws UserError for spans of another
/// lane than Compilation and Loading, and for times that cannot be.
std::vector<HostSpan> readHostSpans(const ProfileReader& reader);

} // namespace tilescope
