#include "simulator/executable_cache.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <numeric>
#include <set>

#include "core/base/digest.h"
#include "core/base/directory.h"
#include "core/base/error.h"
#include "core/options/option_error.h"
#include "core/options/option_table.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "simulator/frontend/import.h"

namespace tilescope::sim {
namespace {

namespace fs = std::filesystem;

// Names the row with the key of a cached program.
const std::string keyOption = "executableKey";

/// The file that this code was loaded from: the program, or a module that Python has loaded.
fs::path ownFile() {
    static const char inIt = 0;
    Dl_info symbol{};
    link_map* loaded = nullptr;
    std::error_code error;
    const bool known =
        dladdr1(&inIt, &symbol, reinterpret_cast<void**>(&loaded), RTLD_DL_LINKMAP) != 0;
    if (known && loaded != nullptr && loaded->l_name != nullptr && *loaded->l_name != '\0')
        return loaded->l_name;
    return fs::read_symlink("/proc/self/exe", error);
}

/// Identifies this build: another one may compile to something else.
std::string thisProgram() {
    std::error_code error;
    const fs::path self = ownFile();
    const auto size = fs::file_size(self, error);
    const auto written = fs::last_write_time(self, error);
    return fmt::format("{} {} {}", TILESCOPE_VERSION, size, written.time_since_epoch().count());
}

/// Name and digest of a file that a program depends on; the name alone if it is not a file.
std::string fileText(const std::string& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) ? file + " " + fileDigest(file) : file;
}

/// Values beside a model, which may decide its shapes: see frontend/model/prepare.h.
std::string givenValuesText(const fs::path& model) {
    const fs::path folder = model.parent_path() / "test_data_set_0";
    std::set<std::string> files;
    for (const std::string& name : namesIn(folder))
        files.insert((folder / name).string());
    std::string text;
    for (const std::string& file : files)
        text += fileText(file) + '\n';
    return text;
}

/// Digest of the constants in a model's other files that programs depend on; empty if it is not an
/// ONNX model.
std::string externalText(const std::string& model) {
    std::error_code error;
    if (model.ends_with(".json") || !fs::is_regular_file(model, error))
        return {};
    try {
        return textDigest(externalConstants(model));
    } catch (const UserError&) {
        return {}; // importing it will report the error
    }
}

std::string keyOf(const std::string& content, const RunOptions& options) {
    std::string key =
        fmt::format("{}\n{}{}\n", thisProgram(), content, fileText(options.model.customOperations));
    for (const OptionSpec& spec : runOptionTable())
        if (spec.key != "executableCache")
            key += fmt::format("{}={}\n", spec.key, spec.get(options));
    return key;
}

} // namespace

ExecutableCache::ExecutableCache(const ModelSource& source, const RunOptions& options)
    : ExecutableCache(contentOf(source), options) {}

ExecutableCache::ExecutableCache(const std::string& content, const RunOptions& options)
    : key_(keyOf(content, options))
    , file_(fs::path(options.engine.executableCache) / (textDigest(key_) + ".pop")) {
    makeDirectory(options.engine.executableCache);
}

std::string ExecutableCache::contentOf(const ModelSource& source) {
    return fileText(source.model) + '\n' + givenValuesText(source.model) +
           externalText(source.model) + '\n';
}

void ExecutableCache::makeDirectory(const std::string& directory) {
    std::error_code error;
    fs::create_directories(directory, error);
    if (error)
        throw OptionError("executableCache", fmt::format("cannot make the directory '{}': {}",
                                                         directory, error.message()));
}

std::optional<CompiledProgram> ExecutableCache::find() const {
    std::error_code error;
    if (!fs::is_regular_file(file_, error))
        return std::nullopt;
    try {
        CompiledProgram found{ProfileReader(file_).loadChecked(), 0};
        ProfileInfo& info = found.profile.info;
        if (const auto key = info.options.find(keyOption);
            key == info.options.end() || key->second != key_)
            return std::nullopt;
        info.options.erase(keyOption);
        found.seconds =
            std::accumulate(info.timings.begin(), info.timings.end(), 0.0,
                            [](double sum, const auto& phase) { return sum + phase.second; });
        info.timings.clear();
        return found;
    } catch (const UserError&) {
        return std::nullopt; // it is compiled and written again
    }
}

void ExecutableCache::keep(Profile profile) const {
    profile.info.options[keyOption] = key_;
    writeProfile(profile, file_);
}

} // namespace tilescope::sim
