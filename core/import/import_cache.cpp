#include "core/import/import_cache.h"

#include <cstdlib>
#include <fmt/format.h>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/file_stamp.h"
#include "core/base/printable.h"
#include "core/import/add_host_traces.h"
#include "core/import/ipu_stack.h"
#include "core/store/profile_writer.h"
#include "core/store/schema.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

/// Profiles that an older importer made are made again.
constexpr int importerVersion = 2;

fs::path fromEnvironment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? fs::path() : fs::path(value);
}

/// Of the folder of a file's profile: with the digest it is a name that file systems take.
std::string beginningOf(const std::string& name) {
    constexpr std::size_t longest = 80; // bytes
    return std::string(firstBytes(name, longest));
}

/// Of all that is read.
std::string digestOf(const fs::path& file, const std::optional<fs::path>& partner) {
    const std::string own = fileDigest(file);
    return partner ? textDigest(own + fileDigest(*partner)) : own;
}

/// The form of a file; Other if it cannot be read.
FileForm formIn(const fs::path& file) {
    try {
        return formOf(file);
    } catch (const UserError&) {
        return FileForm::Other;
    }
}

/// The profile that files of a digest become: what was made before, else what `make` makes.
template <class Digest, class Make>
fs::path cached(std::span<const fs::path> files, const Digest& digest, const fs::path& cache,
                const ImportProgress& progress, const Make& make) {
    std::vector<FileStamp> stamps;
    std::int64_t bytes = 0;
    for (const fs::path& file : files)
        bytes += stamps.emplace_back(stampOf(file)).bytes;
    constexpr std::int64_t large = std::int64_t{1} << 26; // bytes, whose digest takes a while
    if (progress && bytes > large)
        progress(0, "file");
    const fs::path folder = cache.empty() ? importCache() : cache;
    // The name of the capture is the model's name, so it is part of the key.
    const fs::path profile = folder /
                             fmt::format("{}-{}.{}-{}", beginningOf(files.front().stem().string()),
                                         digest(), profileSchemaVersion, importerVersion) /
                             "profile.pop";
    std::error_code error;
    if (fs::exists(profile, error))
        return profile;
    const Profile made = make();
    // Or another file's profile would be found by this one's digest.
    for (std::size_t i = 0; i < files.size(); ++i)
        checkUnchanged(files[i], stamps[i]);
    writeProfile(made, profile);
    return profile;
}

} // namespace

fs::path importCache() {
    fs::path root = fromEnvironment("XDG_CACHE_HOME");
    if (!root.is_absolute())
        root = fromEnvironment("HOME") / ".cache";
    if (!root.is_absolute())
        throw UserError("there is no folder for imported profiles: set HOME or XDG_CACHE_HOME");
    return root / "tilescope" / "imported";
}

fs::path profileToOpen(const fs::path& file, const fs::path& cache, const ImportProgress& progress,
                       const std::stop_token& stop) {
    const FileForm form = formIn(file);
    if (form == FileForm::Other)
        refuseClosedTrace(file);
    if (form == FileForm::Profile || form == FileForm::Other)
        return file; // if it is no profile, its reader says so
    const std::optional<fs::path> partner =
        form == FileForm::IpuStack ? ipuStackPartner(file) : std::nullopt;
    if (form != FileForm::Capture && form != FileForm::HostTrace && !partner)
        importFile(file, {}, progress, stop); // says what it is
    return cached(
        std::span(&file, 1), [&] { return digestOf(file, partner); }, cache, progress,
        [&] { return importFile(file, {}, progress, stop).profile; });
}

fs::path profileOfTraces(std::span<const fs::path> traces, const fs::path& cache,
                         const ImportProgress& progress, const std::stop_token& stop) {
    const auto digest = [&] {
        std::string all; // names of files tell their threads apart
        for (const fs::path& trace : traces)
            all += trace.filename().string() + '\n' + fileDigest(trace) + '\n';
        return textDigest(all);
    };
    return cached(traces, digest, cache, progress,
                  [&] { return importHostTraces(traces, {}, progress, stop).profile; });
}

} // namespace tilescope
