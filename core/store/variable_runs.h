// Bytes of a variable by tile as the file has them: JSON, which is written and read much faster
// than a row for each run, and which every SQLite can list. Internal to core/store.
#pragma once

#include <span>
#include <string>

#include "core/store/profile_reader_impl.h"

namespace tilescope {

/// "[[first_tile,tiles,bytes],...]".
std::string runsText(const TileSeries& series);

/// The series of such a text, without spaces; throws DamagedProfile for any other, and for values
/// that are not of this machine.
TileSeries seriesOfRuns(const ProfileReader::Impl& file, std::span<const std::byte> text);

} // namespace tilescope
