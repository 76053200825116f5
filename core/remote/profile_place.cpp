#include "core/remote/profile_place.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "core/base/atomic_file.h"
#include "core/import/import_cache.h"
#include "core/remote/remote_copy.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

/// Beside a file of the cache: its name for users, and the version of a remote one.
constexpr const char* nameOfNote = "opened_from";
constexpr std::size_t longestNote = 8192;

/// Whether a file is in our cache: notes elsewhere are others'.
bool isCached(const fs::path& file) {
    try {
        const fs::path cache = importCache().parent_path();
        const fs::path inCache = file.lexically_normal().lexically_relative(cache);
        return !inCache.empty() && *inCache.begin() != "..";
    } catch (const UserError&) {
        return false; // there is none
    }
}

struct Note {
    std::string name;
    std::string version;
};

std::optional<Note> noteOf(const fs::path& file) {
    if (!isCached(file))
        return std::nullopt;
    std::ifstream in(file.parent_path() / nameOfNote, std::ios::binary);
    std::string text(longestNote, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    const std::size_t end = text.find('\n');
    if (end == std::string::npos || end == 0)
        return std::nullopt;
    return Note{text.substr(0, end), text.substr(end + 1)};
}

void note(const fs::path& file, const Note& note) {
    if (note.name.find('\n') == std::string::npos)
        writeFileAtomically(file.parent_path() / nameOfNote, note.name + '\n' + note.version);
}

std::string textOf(const RemoteEntry& version) {
    return fmt::format("{}-{}", version.bytes, version.modified);
}

ImportProgress importing(const PrepareProgress& progress) {
    return [&progress](double done, std::string_view) {
        if (progress)
            progress(Preparing::Importing, done);
    };
}

} // namespace

fs::path remoteCopies() {
    return importCache().parent_path() / "remote";
}

fs::path profileIn(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error) && fs::exists(path / "profile.pop", error))
        return path / "profile.pop";
    return path;
}

fs::path localProfile(const fs::path& name, const SshProgram& ssh, const PrepareProgress& progress,
                      const std::stop_token& stop) {
    if (!isRemote(name.string()))
        return profileIn(name);
    const RemoteAddress address = remoteAddress(name.string());
    if (address.path.empty())
        throw UserError(fmt::format("'{}': the path of a file is missing", name.string()));
    const RemoteCopy copy = copyRemote(
        ssh, address, remoteCopies(),
        [&progress](std::int64_t done, std::int64_t bytes) {
            if (progress)
                progress(Preparing::Copying,
                         static_cast<double>(done) /
                             static_cast<double>(std::max<std::int64_t>(1, bytes)));
        },
        stop);
    note(copy.file, {toString(copy.address), textOf(copy.version)});
    return copy.file;
}

fs::path openableProfile(const fs::path& name, const SshProgram& ssh,
                         const PrepareProgress& progress, const std::stop_token& stop) {
    const fs::path local = localProfile(name, ssh, progress, stop);
    const fs::path file = profileToOpen(local, {}, importing(progress), stop);
    if (file != local)
        note(file, noteOf(local).value_or(Note{fs::absolute(local).string(), {}}));
    return file;
}

fs::path openableTraces(std::span<const fs::path> traces, const PrepareProgress& progress,
                        const std::stop_token& stop) {
    return profileOfTraces(traces, {}, importing(progress), stop);
}

fs::path openedFrom(const fs::path& file) {
    const std::optional<Note> known = noteOf(file);
    return known ? fs::path(known->name) : file;
}

bool changedSinceCopied(const fs::path& file, const SshProgram& ssh, const std::stop_token& stop) {
    const std::optional<Note> known = noteOf(file);
    if (!known || !isRemote(known->name))
        return false;
    SshProgram quiet = ssh;
    quiet.asks = false;
    quiet.askpass.clear();
    return textOf(remoteEntry(quiet, remoteAddress(known->name), stop)) != known->version;
}

} // namespace tilescope
