#include "core/remote/remote_copy.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/base/child_process.h"
#include "core/base/digest.h"
#include "core/base/directory.h"
#include "core/base/printable.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void cannotWrite(const fs::path& file, int code) {
    throw UserError(
        fmt::format("cannot write the copy '{}': {}", file.string(), std::strerror(code)));
}

/// The part of a copy that is there already, locked against other processes.
class PartialFile {
public:
    PartialFile(fs::path file, const std::stop_token& stop)
        : file_(std::move(file))
        , descriptor_(
              ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)) {
        if (!descriptor_.open())
            cannotWrite(file_, errno);
        constexpr std::chrono::milliseconds wait{100};
        while (::flock(descriptor_.number(), LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK && errno != EINTR)
                cannotWrite(file_, errno);
            if (stop.stop_requested())
                throw Cancelled();
            std::this_thread::sleep_for(wait);
        }
        struct stat status {};
        if (::fstat(descriptor_.number(), &status) != 0)
            cannotWrite(file_, errno);
        bytes_ = status.st_size;
    }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    void clear() {
        if (::ftruncate(descriptor_.number(), 0) != 0)
            cannotWrite(file_, errno);
        bytes_ = 0;
    }
    void append(std::string_view text) {
        while (!text.empty()) {
            const ssize_t written =
                ::pwrite(descriptor_.number(), text.data(), text.size(), bytes_);
            if (written < 0 && errno == EINTR)
                continue;
            if (written <= 0)
                cannotWrite(file_, written == 0 ? ENOSPC : errno);
            bytes_ += written;
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    void becomes(const fs::path& final) {
        if (::fsync(descriptor_.number()) != 0 || ::rename(file_.c_str(), final.c_str()) != 0)
            cannotWrite(final, errno);
    }

private:
    fs::path file_;
    Descriptor descriptor_;
    std::int64_t bytes_ = 0;
};

/// Copies one version of a file.
class Copying {
public:
    Copying(const SshProgram& ssh, const RemoteAddress& address, const RemoteEntry& version,
            const CopyProgress& progress, std::stop_token stop)
        : ssh_(ssh)
        , address_(address)
        , version_(version)
        , progress_(progress)
        , stop_(std::move(stop)) {}

    /// Returns the bytes that came.
    std::int64_t run(PartialFile& part) {
        if (part.bytes() > version_.bytes)
            part.clear();
        const std::int64_t before = part.bytes();
        while (part.bytes() < version_.bytes) {
            const std::int64_t from = part.bytes();
            try {
                receive(part);
            } catch (const ConnectionLost& error) {
                if (part.bytes() == from)
                    throw UserError(fmt::format("{}. {} of {} bytes are kept: opening it again "
                                                "continues there",
                                                error.what(), part.bytes(), version_.bytes));
            }
        }
        return part.bytes() - before;
    }

private:
    void receive(PartialFile& part) {
        const RemoteResult result = runRemote(
            ssh_, address_, fmt::format("tail -c +{} {}", part.bytes() + 1, shellPath(address_)),
            stop_, [&](std::string_view bytes) {
                part.append(
                    bytes.substr(0, static_cast<std::size_t>(version_.bytes - part.bytes())));
                if (progress_)
                    progress_(part.bytes(), version_.bytes);
                return part.bytes() < version_.bytes;
            });
        if (result.status != 0)
            throw UserError(fmt::format("cannot read '{}' on '{}': {}", address_.path,
                                        address_.host, printable(boundedMessage(result.err))));
        if (part.bytes() < version_.bytes)
            throw UserError(fmt::format("'{}' on '{}' became shorter while it was copied: open it "
                                        "again when it has been written",
                                        address_.path, address_.host));
    }

    const SshProgram& ssh_;
    const RemoteAddress& address_;
    const RemoteEntry& version_;
    const CopyProgress& progress_;
    std::stop_token stop_;
};

/// The last two parts of a remote path, as the folder's name tells runs of one model apart.
fs::path lastNames(const RemoteAddress& address) {
    const fs::path path = address.path;
    const fs::path folder = path.parent_path().filename();
    const bool isName = !folder.empty() && folder != "." && folder != ".." && folder != "/";
    return (isName ? folder : fs::path("root")) / path.filename();
}

/// A version that is in use stays, and the one before it.
void removeOlder(const fs::path& versions, const fs::path& used) {
    constexpr std::size_t mostKept = 2;
    std::vector<std::pair<fs::file_time_type, fs::path>> others;
    for (const std::string& name : namesIn(versions)) {
        std::error_code error;
        const fs::path version = versions / name;
        const auto written = fs::last_write_time(version, error);
        if (!error && version != used)
            others.emplace_back(written, version);
    }
    std::sort(others.begin(), others.end());
    for (std::size_t i = 0; i + mostKept <= others.size(); ++i) {
        std::error_code error;
        fs::remove_all(others[i].second, error);
    }
}

void makeFolders(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw UserError(
            fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
}

} // namespace

RemoteCopy copyRemote(const SshProgram& ssh, const RemoteAddress& named, const fs::path& copies,
                      const CopyProgress& progress, const std::stop_token& stop) {
    RemoteAddress address = named;
    RemoteEntry version = remoteEntry(ssh, address, stop);
    if (version.folder) {
        address = inFolder(address, "profile.pop");
        version = remoteEntry(ssh, address, stop);
    }
    const fs::path versions = copies / textDigest(toString(address));
    const fs::path folder = versions / fmt::format("{}-{}", version.bytes, version.modified);
    RemoteCopy copy{folder / lastNames(address), address, version, 0};
    std::error_code error;
    if (fs::exists(copy.file, error))
        return copy;
    makeFolders(copy.file.parent_path());
    fs::path name = copy.file;
    PartialFile part(name += ".part", stop);
    if (fs::exists(copy.file, error)) // another process has copied it
        return copy;
    copy.received = Copying(ssh, address, version, progress, stop).run(part);
    if (const RemoteEntry now = remoteEntry(ssh, address, stop); now != version) {
        part.clear();
        throw UserError(fmt::format("'{}' on '{}' was written while it was copied: open it again "
                                    "when that is done",
                                    address.path, address.host));
    }
    part.becomes(copy.file);
    removeOlder(versions, folder);
    return copy;
}

} // namespace tilescope
