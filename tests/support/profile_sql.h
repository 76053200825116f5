// Changes to a profile that pass for its own content.
#pragma once

#include <filesystem>
#include <string>

namespace tilescope::test {

/// Runs statements on a profile and renews its checksums, so that what its rows say is read and
/// judged and not only the check sums. Returns SQLite's complaint, "" if there is none.
std::string changeProfile(const std::filesystem::path& file, const std::string& sql);

/// Statements that make a profile what it was before schema version 8: variables, compute sets and
/// exchanges have their values by tile in their own rows.
std::string toSchemaVersion7();

/// The bytes of a profile with the checksums of what they hold.
std::string withChecksums(std::string profile);

} // namespace tilescope::test
