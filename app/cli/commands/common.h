// What several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/document.h"
#include "core/analysis/memory/summary.h"
#include "core/store/profile_reader.h"

namespace tilescope::cli {

/// --json, and --csv where a command has a table.
struct FormatFlags {
    bool json = false;
    bool csv = false;
    [[nodiscard]] Format format() const {
        return json ? Format::Json : csv ? Format::Csv : Format::Text;
    }
};
void addJsonFlag(CLI::App& command, FormatFlags& flags);
void addFormatFlags(CLI::App& command, FormatFlags& flags);

/// The profile a user names: a file, or a directory with a profile.pop in it.
ProfileReader openProfile(const std::string& path);

/// Not-always-live bytes and the rest of what the summary of a profile needs.
MemorySummary memorySummary(const ProfileReader& reader);

} // namespace tilescope::cli
