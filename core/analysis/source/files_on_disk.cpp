#include "core/analysis/source/files_on_disk.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class OpenFile {
public:
    explicit OpenFile(int number)
        : number_(number) {}
    ~OpenFile() { close(); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    OpenFile(OpenFile&& other) noexcept
        : number_(std::exchange(other.number_, -1)) {}
    OpenFile& operator=(OpenFile&& other) noexcept {
        close();
        number_ = std::exchange(other.number_, -1);
        return *this;
    }
    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] bool isOpen() const { return number_ >= 0; }

private:
    void close() const {
        if (number_ >= 0)
            ::close(number_);
    }
    int number_;
};

bool staysBelow(const fs::path& relative) {
    if (relative.empty() || relative.is_absolute())
        return false;
    for (const fs::path& part : relative)
        if (part.empty() || part == "." || part == "..")
            return false;
    return true;
}

/// A file below a folder, where no part of its path is a link. Neither a pipe is waited for nor a
/// terminal taken.
OpenFile openBelow(const fs::path& folder, const fs::path& relative) {
    OpenFile at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (auto part = relative.begin(); at.isOpen() && part != relative.end(); ++part) {
        const int kind = std::next(part) == relative.end() ? O_NONBLOCK | O_NOCTTY : O_DIRECTORY;
        at = OpenFile(
            ::openat(at.number(), part->c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind));
    }
    return at;
}

/// At most so many bytes; none if they cannot be read.
std::optional<std::string> readUpTo(int file, std::size_t most) {
    std::string text(most, '\0');
    std::size_t length = 0;
    while (length < most) {
        const ssize_t count = ::read(file, text.data() + length, most - length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return std::nullopt;
        if (count == 0)
            break;
        length += static_cast<std::size_t>(count);
    }
    text.resize(length);
    return text;
}

/// As Python reads a text: each line ends in a line feed, the last one, too.
std::string linesOf(std::string_view text) {
    constexpr std::string_view mark = "\xef\xbb\xbf"; // of UTF-8, which some editors write
    if (text.starts_with(mark))
        text.remove_prefix(mark.size());
    std::string lines;
    lines.reserve(text.size() + 1);
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != '\r')
            lines += text[i];
        else if (i + 1 == text.size() || text[i + 1] != '\n')
            lines += '\n';
    if (!lines.empty() && lines.back() != '\n')
        lines += '\n';
    return lines;
}

bool isAscii(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

SourceFileState stateOf(const SourceFile& file, const fs::path& folder, const fs::path& relative) {
    if (file.text.empty())
        return SourceFileState::NotRecorded;
    if (folder.empty() || file.origin != SourceOrigin::Mine || !staysBelow(relative))
        return SourceFileState::Recorded;
    const OpenFile found = openBelow(folder, relative);
    struct stat status {};
    if (!found.isOpen() || ::fstat(found.number(), &status) != 0 || !S_ISREG(status.st_mode))
        return SourceFileState::Missing;
    // Lines may end in two characters, and the text may begin with a mark.
    const std::size_t most = 2 * file.text.size() + 4;
    if (status.st_size < 0 || static_cast<std::size_t>(status.st_size) > most)
        return SourceFileState::Changed;
    const auto text = readUpTo(found.number(), most);
    if (!text)
        return SourceFileState::Missing;
    if (linesOf(*text) == linesOf(file.text))
        return SourceFileState::Same;
    // A program may declare another encoding, which is not read here: only ASCII is the same in
    // all.
    const bool declared =
        text->substr(0, text->find('\n', text->find('\n') + 1)).find("coding") != std::string::npos;
    return declared && !isAscii(*text) ? SourceFileState::Recorded : SourceFileState::Changed;
}

/// Whether a folder is the root, the home folder or above it, by any of its names.
bool isTooWide(const fs::path& folder) {
    if (folder.relative_path().empty())
        return true;
    const char* variable = std::getenv("HOME");
    const fs::path home = variable == nullptr ? "" : variable;
    std::error_code error;
    for (const fs::path& name : {home, fs::canonical(home, error)})
        if ((name / "").string().starts_with(folder.string()))
            return true;
    return false;
}

} // namespace

fs::path folderOfSources(const ProfileView& profile, const SourceCode& source) {
    const fs::path shared = fs::path(sharedFolder(source)).lexically_normal();
    if (profile.file().empty() || !shared.is_absolute() || isTooWide(shared))
        return {};
    std::error_code error;
    // Words are compared: nothing is looked up at the path that the profile names.
    for (const fs::path& own : {fs::canonical(profile.file(), error),
                                fs::absolute(profile.file(), error).lexically_normal()})
        if (own.string().starts_with(shared.string()))
            return shared;
    return {};
}

IdVector<SourceFileId, SourceFileState> statesOnDisk(const SourceNames& names,
                                                     const fs::path& folder) {
    IdVector<SourceFileId, SourceFileState> states;
    for (std::size_t i = 0; i < names.code().files.size(); ++i) {
        const SourceFileId id(i);
        states.add(stateOf(names.code().files[id], folder, names.shortPath(id)));
    }
    return states;
}

} // namespace tilescope
