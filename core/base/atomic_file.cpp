#include "core/base/atomic_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

std::string reason() {
    return std::strerror(errno);
}

void flushToDisk(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ::fsync(file);
    ::close(file);
}

} // namespace

AtomicFile::AtomicFile(fs::path finalPath)
    : final_(std::move(finalPath)) {
    const fs::path directory = final_.has_parent_path() ? final_.parent_path() : fs::path(".");
    std::error_code error;
    fs::create_directories(directory, error);
    if (error)
        throw UserError(
            fmt::format("cannot create directory '{}': {}", directory.string(), error.message()));
    std::string pattern = (directory / ("." + final_.filename().string() + ".XXXXXX")).string();
    const int file = ::mkstemp(pattern.data());
    if (file < 0)
        throw UserError(
            fmt::format("cannot write in directory '{}': {}", directory.string(), reason()));
    // mkstemp makes the file private; a report is as readable as any other new file.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(file, 0666 & ~mask);
    ::close(file);
    temporary_ = pattern;
}

AtomicFile::~AtomicFile() {
    if (!committed_) {
        std::error_code ignored;
        fs::remove(temporary_, ignored);
    }
}

void AtomicFile::commit() {
    flushToDisk(temporary_);
    std::error_code error;
    fs::rename(temporary_, final_, error);
    if (error)
        throw UserError(fmt::format("cannot write '{}': {}", final_.string(), error.message()));
    committed_ = true;
}

void writeFileAtomically(const fs::path& file, std::string_view text) {
    AtomicFile atomic(file);
    std::ofstream out(atomic.temporaryPath(), std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out)
        throw UserError(fmt::format("cannot write '{}': {}", file.string(), reason()));
    atomic.commit();
}

std::string readFile(const fs::path& file) {
    std::error_code error;
    if (fs::is_directory(file, error))
        throw UserError(fmt::format("cannot read '{}': it is a directory", file.string()));
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw UserError(fmt::format("cannot read '{}': {}", file.string(), reason()));
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

} // namespace tilescope
