#include "core/import/import_cache.h"

#include <cstdlib>
#include <fmt/format.h>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/import/add_host_traces.h"
#include "core/store/profile_writer.h"
#include "core/store/schema.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

/// Profiles that an older importer made are made again.
constexpr int importerVersion = 1;

fs::path fromEnvironment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? fs::path() : fs::path(value);
}

/// The form of a file; Other if it cannot be read.
FileForm formIn(const fs::path& file) {
    try {
        return formOf(file);
    } catch (const UserError&) {
        return FileForm::Other;
    }
}

/// The profile of a file of this digest: what was made before, else what `make` makes.
template <class Make>
fs::path cached(const fs::path& file, const std::string& digest, const fs::path& cache,
                const Make& make) {
    const fs::path folder = cache.empty() ? importCache() : cache;
    // The name of the capture is the model's name, so it is part of the key.
    const fs::path profile = folder /
                             fmt::format("{}-{}.{}-{}", file.stem().string(), digest,
                                         profileSchemaVersion, importerVersion) /
                             "profile.pop";
    std::error_code error;
    if (!fs::exists(profile, error))
        writeProfile(make(), profile);
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
    if (form != FileForm::Capture)
        importFile(file, {}, progress, stop); // says what it is
    return cached(file, fileDigest(file), cache,
                  [&] { return importFile(file, {}, progress, stop).profile; });
}

fs::path profileOfTraces(std::span<const fs::path> traces, const fs::path& cache,
                         const ImportProgress& progress, const std::stop_token& stop) {
    std::string all; // names of files tell their threads apart
    for (const fs::path& trace : traces)
        all += trace.filename().string() + '\n' + fileDigest(trace) + '\n';
    return cached(traces.front(), textDigest(all), cache,
                  [&] { return importHostTraces(traces, {}, progress, stop).profile; });
}

} // namespace tilescope
