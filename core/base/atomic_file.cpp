#include "core/base/atomic_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <ostream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/descriptor_buffer.h"
#include "core/base/directory.h"
#include "core/base/error.h"
#include "core/base/output_target.h"

namespace tilescope {
namespace fs = std::filesystem;
namespace {

std::string reason() {
    return std::strerror(errno);
}

[[noreturn]] void failToWrite(const fs::path& file, const std::string& why) {
    goNoFurtherAtTheEnd(); // its temporary file may be gone
    throw UserError(fmt::format("cannot write '{}': {}", file.string(), why));
}

constexpr std::size_t randomLetters = 6;

/// Like mkstemp(3), which cannot be used as it does not tell the name before it makes the file.
std::string randomPart() {
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    std::array<unsigned char, randomLetters> numbers{};
    if (::getentropy(numbers.data(), numbers.size()) != 0)
        throw UserError(fmt::format("cannot make a temporary file: {}", reason()));
    std::string text;
    for (const unsigned char number : numbers)
        text += letters[number % letters.size()];
    return text;
}

/// True if no process uses the file: each holds a lock on its own file from shortly after making
/// it.
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
    for (const std::string& name : namesIn(directory)) {
        if (name.size() != prefix.size() + randomLetters || !name.starts_with(prefix))
            continue;
        const fs::path file = directory / name;
        std::error_code ignored;
        if (fs::is_regular_file(fs::symlink_status(file, ignored)) && isStale(file))
            fs::remove(file, ignored);
    }
}

/// Whoever could read or write the replaced file can do so with the new one.
void keepMode(int descriptor, const fs::path& replaced) {
    constexpr mode_t permissions = 0777;
    struct stat status {};
    if (::stat(replaced.c_str(), &status) != 0)
        return;
    // Only root can give a file away.
    if (status.st_uid == ::geteuid() || ::fchown(descriptor, status.st_uid, status.st_gid) == 0)
        ::fchmod(descriptor, status.st_mode & permissions);
}

void flushToDisk(int descriptor, const fs::path& name) {
    // Not all file systems support it.
    if (::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP)
        failToWrite(name, reason());
}

void writeThrough(DescriptorBuffer& buffer, const fs::path& name,
                  const std::function<void(std::ostream&)>& write) {
    std::ostream out(&buffer);
    write(out);
    out.flush();
    if (buffer.error() != 0)
        failToWrite(name, std::strerror(buffer.error()));
    if (!out)
        throw std::bad_alloc(); // which the stream swallows
}

/// Closes the descriptor in the destructor.
struct Opened {
    int number = -1;
    Opened() = default;
    ~Opened() {
        if (number >= 0)
            ::close(number);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
};

void writeInto(const OutputTarget& target, const fs::path& name,
               const std::function<void(std::ostream&)>& write) {
    Opened opened;
    DescriptorBuffer buffer([&] { return opened.number = openToWriteInto(target); });
    try {
        writeThrough(buffer, name, write);
        if (buffer.open() < 0) // even if nothing was written: a reader waits for the end
            failToWrite(name, std::strerror(buffer.error()));
    } catch (const UserError&) {
        // As with standard output: a reader that leaves early has got what it wanted.
        if (buffer.error() != EPIPE)
            throw;
    }
}

std::string readAll(int descriptor, const fs::path& name) {
    std::string text;
    std::vector<char> block(std::size_t{1} << 16);
    for (;;) {
        const ssize_t got = ::read(descriptor, block.data(), block.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            throw UserError(fmt::format("cannot read '{}': {}", name.string(), reason()));
        if (got == 0)
            return text;
        text.append(block.data(), static_cast<std::size_t>(got));
    }
}

} // namespace

AtomicFile::AtomicFile(fs::path finalPath, Unmade /*unmade*/)
    : name_(std::move(finalPath)) {}

// The destructor removes what the other constructor made if this one throws.
AtomicFile::AtomicFile(fs::path finalPath)
    : AtomicFile(std::move(finalPath), Unmade()) {
    const OutputTarget target = outputTarget(name_);
    if (!target.regular)
        throw UserError(fmt::format("cannot write '{}': it is a device, a pipe or a socket, and "
                                    "this needs a regular file",
                                    name_.string()));
    final_ = target.path;
    const fs::path directory = final_.has_parent_path() ? final_.parent_path() : fs::path(".");
    removeStale(directory, "." + final_.filename().string() + ".");
    const SignalHold hold;
    makeTemporary(directory, hold);
    keepMode(lock_, final_);
    ::flock(lock_, LOCK_EX | LOCK_NB);
}

void AtomicFile::makeTemporary(const fs::path& directory, const SignalHold& hold) {
    // Another name after each failure; and the process that had made the directories may remove
    // them again.
    constexpr int mostTries = 100;
    for (int tries = 1; !tryToMake(directory, hold); ++tries)
        if (tries == mostTries || (errno != EEXIST && errno != ENOENT))
            throw UserError(
                fmt::format("cannot write in directory '{}': {}", directory.string(), reason()));
}

bool AtomicFile::tryToMake(const fs::path& directory, const SignalHold& hold) {
    const fs::path temporary = directory / ("." + final_.filename().string() + "." + randomPart());
    removed_.reserve(hold, temporary.native().size());
    std::error_code error;
    for (fs::path at = directory; !at.empty() && !fs::exists(at, error); at = at.parent_path())
        if (std::find(made_.begin(), made_.end(), at) == made_.end())
            made_.push_back(at);
    fs::create_directories(directory, error);
    if (error)
        throw UserError(
            fmt::format("cannot create directory '{}': {}", directory.string(), error.message()));
    atEndStep(EndStep::DirectoriesMade);
    temporary_ = temporary;          // before there is a file
    constexpr mode_t anybody = 0666; // whom the umask lets
    lock_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, anybody);
    if (lock_ < 0)
        return false;
    atEndStep(EndStep::FileMade);
    removed_.note(hold, temporary_.native(), made_.size());
    atEndStep(EndStep::Noted);
    return true;
}

AtomicFile::~AtomicFile() {
    if (!committed_) {
        goNoFurtherAtTheEnd(); // it may have failed because of that
        std::error_code ignored;
        if (lock_ >= 0)
            fs::remove(temporary_, ignored);
        for (const fs::path& directory : made_)
            fs::remove(directory, ignored); // fails for a directory that is not empty
    }
    if (lock_ >= 0)
        ::close(lock_);
    atEndStep(EndStep::BeforeForgotten);
}

void AtomicFile::commit() {
    flushToDisk(lock_, name_);
    atEndStep(EndStep::BeforeRename);
    if (::rename(temporary_.c_str(), final_.c_str()) != 0)
        failToWrite(name_, reason());
    atEndStep(EndStep::Renamed);
    committed_ = true;
}

void writeFileAtomically(const fs::path& file, const std::function<void(std::ostream&)>& write) {
    if (const OutputTarget target = outputTarget(file); !target.regular)
        return writeInto(target, file, write);
    AtomicFile atomic(file);
    DescriptorBuffer buffer([&] { return atomic.descriptor(); });
    writeThrough(buffer, file, write);
    atomic.commit();
}

void writeFileAtomically(const fs::path& file, std::string_view text) {
    writeFileAtomically(file, [text](std::ostream& out) { out << text; });
}

void checkWritable(const fs::path& file) {
    if (outputTarget(file).regular)
        const AtomicFile probe(file);
}

std::string readFile(const fs::path& file) {
    std::error_code error;
    if (fs::is_directory(file, error))
        throw UserError(fmt::format("cannot read '{}': it is a directory", file.string()));
    Opened opened;
    opened.number = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened.number < 0)
        throw UserError(fmt::format("cannot read '{}': {}", file.string(), reason()));
    return readAll(opened.number, file);
}

} // namespace tilescope
