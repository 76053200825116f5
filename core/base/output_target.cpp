#include "core/base/output_target.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/base/error.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const fs::path& name, std::string_view reason) {
    throw UserError(fmt::format("cannot write '{}': {}", name.string(), reason));
}

fs::path directoryOf(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Links in /proc do not lead to names: opening them opens what they refer to.
bool isOnProc(const fs::path& directory) {
    struct statfs system {};
    return ::statfs(directory.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/// The N of /proc/self/fd/N, whatever links lead there (/dev/fd, /proc/thread-self); -1 otherwise.
int ownDescriptor(const fs::path& file, const fs::path& directory) {
    std::error_code error;
    const std::string folder = fs::canonical(directory, error).string();
    const std::string own = fmt::format("/proc/{}/", ::getpid());
    const std::string name = file.filename().string();
    int number = -1;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool isNumber = problem == std::errc() && end == name.data() + name.size();
    return !error && isNumber && folder.starts_with(own) && folder.ends_with("/fd") ? number : -1;
}

/// The name after following links, up to one that only the system can follow.
fs::path withoutLinks(const fs::path& name) {
    constexpr int mostLinks = 40; // the system's limit, path_resolution(7)
    fs::path at = name;
    std::error_code error;
    for (int links = 0; links < mostLinks; ++links) {
        if (!fs::is_symlink(fs::symlink_status(at, error)) || isOnProc(directoryOf(at)))
            return at;
        const fs::path next = fs::read_symlink(at, error);
        if (error)
            refuse(name, error.message());
        at = next.is_absolute() ? next : directoryOf(at) / next;
    }
    refuse(name, std::strerror(ELOOP));
}

} // namespace

OutputTarget outputTarget(const fs::path& name) {
    const fs::path at = withoutLinks(name);
    const fs::path directory = directoryOf(at);
    const bool special = isOnProc(directory);
    if (special)
        if (const int descriptor = ownDescriptor(at, directory); descriptor >= 0) {
            const int flags = ::fcntl(descriptor, F_GETFL);
            if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
                refuse(name, std::strerror(EBADF));
            return {at, false, descriptor};
        }
    struct stat status {};
    if (::stat(at.c_str(), &status) != 0) {
        if (errno == ENOENT && !at.has_filename())
            refuse(name, "it names a directory");
        return {at}; // new, or making it will report the error
    }
    if (S_ISDIR(status.st_mode))
        refuse(name, "it is a directory");
    if (::access(at.c_str(), W_OK) != 0)
        refuse(name, std::strerror(errno));
    return {at, S_ISREG(status.st_mode) && !special, -1};
}

int openToWriteInto(const OutputTarget& target) {
    return target.descriptor >= 0 ? ::fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0)
                                  : ::open(target.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

} // namespace tilescope
