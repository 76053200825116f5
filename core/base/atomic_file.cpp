#include "core/base/atomic_file.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/descriptor_buffer.h"
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

constexpr std::string_view randomPart = "XXXXXX"; // see mkstemp(3)

/// True if no process uses the file: each holds a lock on its own, a moment after making it.
bool isStale(const fs::path& path) {
    constexpr auto moment = std::chrono::minutes(1);
    std::error_code error;
    const auto written = fs::last_write_time(path, error);
    if (error || fs::file_time_type::clock::now() - written < moment)
        return false;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return false;
    const bool free = ::flock(file, LOCK_EX | LOCK_NB) == 0;
    ::close(file);
    return free;
}

void removeStale(const fs::path& directory, const std::string& prefix) {
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end;
         at.increment(error)) {
        const std::string name = at->path().filename().string();
        std::error_code ignored;
        if (name.size() == prefix.size() + randomPart.size() && name.starts_with(prefix) &&
            at->symlink_status(ignored).type() == fs::file_type::regular && isStale(at->path()))
            fs::remove(at->path(), ignored);
    }
}

} // namespace

AtomicFile::AtomicFile(fs::path finalPath)
    : final_(std::move(finalPath)) {
    const fs::path directory = final_.has_parent_path() ? final_.parent_path() : fs::path(".");
    const std::string prefix = "." + final_.filename().string() + ".";
    removeStale(directory, prefix);
    const SignalHold hold;
    std::error_code error;
    for (fs::path at = directory; !at.empty() && !fs::exists(at, error); at = at.parent_path())
        made_.push_back(at);
    fs::create_directories(directory, error);
    if (error)
        throw UserError(
            fmt::format("cannot create directory '{}': {}", directory.string(), error.message()));
    std::string name = (directory / prefix).string().append(randomPart);
    lock_ = ::mkstemp(name.data());
    if (lock_ < 0)
        throw UserError(
            fmt::format("cannot write in directory '{}': {}", directory.string(), reason()));
    removed_.note(hold, name, made_.size());
    // mkstemp makes the file private; a report is as readable as any other new file.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(lock_, 0666 & ~mask);
    ::fcntl(lock_, F_SETFD, FD_CLOEXEC);
    ::flock(lock_, LOCK_EX | LOCK_NB);
    temporary_ = name;
}

AtomicFile::~AtomicFile() {
    if (!committed_) {
        std::error_code ignored;
        fs::remove(temporary_, ignored);
        for (const fs::path& directory : made_)
            fs::remove(directory, ignored); // one that holds something stays
    }
    ::close(lock_);
}

void AtomicFile::commit() {
    flushToDisk(temporary_);
    std::error_code error;
    fs::rename(temporary_, final_, error);
    if (error)
        throw UserError(fmt::format("cannot write '{}': {}", final_.string(), error.message()));
    committed_ = true;
}

void writeFileAtomically(const fs::path& file, const std::function<void(std::ostream&)>& write) {
    AtomicFile atomic(file);
    DescriptorBuffer buffer(atomic.descriptor());
    std::ostream out(&buffer);
    write(out);
    out.flush();
    if (!out)
        throw UserError(
            fmt::format("cannot write '{}': {}", file.string(), std::strerror(buffer.error())));
    atomic.commit();
}

void writeFileAtomically(const fs::path& file, std::string_view text) {
    writeFileAtomically(file, [text](std::ostream& out) { out << text; });
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
