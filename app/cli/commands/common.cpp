#include "app/cli/commands/common.h"

#include "core/database/page_checksum.h"

namespace tilescope::cli {
namespace fs = std::filesystem;

void addJsonFlag(CLI::App& command, FormatFlags& flags) {
    command.add_flag("--json", flags.json, "print JSON");
}

void addFormatFlags(CLI::App& command, FormatFlags& flags) {
    CLI::Option* json = command.add_flag("--json", flags.json, "print JSON");
    command.add_flag("--csv", flags.csv, "print the main table as CSV")->excludes(json);
}

void addProfileArgument(CLI::App& command, std::string& profile) {
    command.add_option("PROFILE", profile, "profile.pop, or the directory it is in")->required();
}

fs::path profileFile(const std::string& path) {
    std::error_code error;
    const fs::path inside = fs::path(path) / "profile.pop";
    return fs::is_directory(path, error) && fs::exists(inside, error) ? inside : fs::path(path);
}

ProfileView openProfile(const std::string& path) {
    const fs::path file = profileFile(path);
    return namingFile(file.string(), [&] {
        const ProfileReader reader(file);
        verifyChecksums(reader.file());
        return ProfileView(reader);
    });
}

} // namespace tilescope::cli
