#include "core/analysis/source/files_on_disk.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <string_view>
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

/// A file that was looked for.
struct FoundFile {
    OpenFile file;
    bool absent = false; ///< nothing has its name; else, if it is not open, it is out of reach
};

/// Whether there is nothing at a place that could not be opened. A link is something, whatever it
/// leads to; so is what may not be read.
bool isAbsent(int error, int folder, const char* name) {
    if (error != ENOTDIR)
        return error == ENOENT;
    struct stat status {};
    return ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(status.st_mode);
}

/// A file below a folder, where no part of its path is a link. Neither a pipe is waited for nor a
/// terminal taken.
FoundFile openBelow(const fs::path& folder, const fs::path& relative) {
    OpenFile at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!at.isOpen())
        return {std::move(at), errno == ENOENT || errno == ENOTDIR};
    for (auto part = relative.begin(); part != relative.end(); ++part) {
        const int kind = std::next(part) == relative.end() ? O_NONBLOCK | O_NOCTTY : O_DIRECTORY;
        OpenFile next(
            ::openat(at.number(), part->c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind));
        if (!next.isOpen())
            return {std::move(next), isAbsent(errno, at.number(), part->c_str())};
        at = std::move(next);
    }
    return {std::move(at)};
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

/// The encoding that a program declares in a comment of its first two lines (PEP 263); empty for
/// none.
std::string_view declaredEncoding(std::string_view lines) {
    constexpr std::string_view key = "coding";
    constexpr std::string_view ofNames = "abcdefghijklmnopqrstuvwxyz"
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    constexpr int declaringLines = 2;
    for (int i = 0; i < declaringLines && !lines.empty(); ++i) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        const std::size_t first = line.find_first_not_of(" \t\f");
        if (first != std::string_view::npos && line[first] != '#')
            break; // the code has begun
        for (std::size_t at = line.find(key); at != std::string_view::npos;
             at = line.find(key, at + 1)) {
            std::string_view rest = line.substr(at + key.size());
            if (!rest.starts_with(':') && !rest.starts_with('='))
                continue;
            rest.remove_prefix(std::min(rest.find_first_not_of(" \t", 1), rest.size()));
            if (const auto name = rest.substr(0, rest.find_first_not_of(ofNames)); !name.empty())
                return name;
        }
        lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    }
    return {};
}

/// Whether that is how the recorded text is encoded, too: Python's default, by any of its names.
bool isUtf8(std::string_view encoding) {
    std::string name;
    for (const char c : encoding)
        name += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name.empty() || name == "utf-8" || name == "utf8" || name.starts_with("utf-8-");
}

SourceFileState stateOf(const SourceFile& file, const fs::path& folder, const fs::path& relative) {
    if (file.text.empty())
        return SourceFileState::NotRecorded;
    if (folder.empty() || file.origin != SourceOrigin::Mine || !staysBelow(relative))
        return SourceFileState::Recorded;
    const auto [found, absent] = openBelow(folder, relative);
    struct stat status {};
    if (!found.isOpen() || ::fstat(found.number(), &status) != 0)
        return absent ? SourceFileState::Missing : SourceFileState::Recorded;
    if (!S_ISREG(status.st_mode))
        return SourceFileState::Missing;
    // Lines may end in two characters, and the text may begin with a mark.
    const std::size_t most = 2 * file.text.size() + 4;
    if (status.st_size < 0 || static_cast<std::size_t>(status.st_size) > most)
        return SourceFileState::Changed;
    const auto text = readUpTo(found.number(), most);
    if (!text)
        return SourceFileState::Recorded;
    const std::string lines = linesOf(*text);
    if (lines == linesOf(file.text))
        return SourceFileState::Same;
    // Another encoding is not read here: only ASCII is the same in all.
    return isUtf8(declaredEncoding(lines)) || isAscii(lines) ? SourceFileState::Changed
                                                             : SourceFileState::Recorded;
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
