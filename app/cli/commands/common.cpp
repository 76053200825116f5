#include "app/cli/commands/common.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "app/cli/progress_line.h"
#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/rewritten_file.h"
#include "core/database/page_checksum.h"
#include "core/import/import.h"
#include "core/remote/profile_place.h"

namespace tilescope::cli {

void addJsonFlag(CLI::App& command, FormatFlags& flags) {
    command.add_flag("--json", flags.json, "print JSON");
}

void addFormatFlags(CLI::App& command, FormatFlags& flags) {
    CLI::Option* json = command.add_flag("--json", flags.json, "print JSON");
    command.add_flag("--csv", flags.csv, "print the main table as CSV")->excludes(json);
}

void addProfileArgument(CLI::App& command, std::string& profile) {
    command
        .add_option("PROFILE", profile, "profile.pop or the directory it is in, or ssh://host/path")
        ->required();
}

std::filesystem::path localFile(const std::string& name, const Streams& streams) {
    std::optional<ProgressLine> line; // whose end is written, too
    return localProfile(name, sshFromEnvironment(), [&](Preparing, double done) {
        if (!line)
            line.emplace(streams);
        line->show(done, fmt::format("copying {}", printable(name)));
    });
}

namespace {

/// Throws for a file of a known form that is no profile, with what makes one of it. What is of no
/// form, and what cannot be read, is the reader's to refuse.
void refuseOtherForms(const std::filesystem::path& file, const std::string& name) {
    std::optional<FileForm> form;
    try {
        form = formOf(file);
    } catch (const UserError&) {
        return;
    }
    if (form == FileForm::HostTrace)
        throw UserError(fmt::format("'{}' is a trace of the host: 'tilescope import' makes a "
                                    "profile of it, or adds it to one (--into)",
                                    name));
    if (form == FileForm::IpuStack)
        throw UserError(fmt::format("'{}' is of ipu-stack: 'tilescope import' makes a profile of "
                                    "its cycles and its memory",
                                    name));
    if (form == FileForm::PoplarProfile || form == FileForm::OldReport || form == FileForm::Job)
        importFile(file, {}); // says how to get one
}

} // namespace

ProfileView openProfile(const std::string& path, const Streams& streams) {
    const std::filesystem::path file = localFile(path, streams);
    refuseOtherForms(file, path);
    return namingFile(file.string(), [&] {
        ProfileReader reader(file);
        noticingChange(file, reader.stamp(), [&] { verifyChecksums(file); });
        return ProfileView(std::move(reader));
    });
}

} // namespace tilescope::cli
