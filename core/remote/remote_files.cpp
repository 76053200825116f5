#include "core/remote/remote_files.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/printable.h"

namespace tilescope {
namespace {

/// Folders with more are not for choosing a file.
constexpr std::size_t mostEntries = 20'000;

/// Takes the text before a separator.
std::string_view take(std::string_view& text, char separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return taken;
}

/// None for anything but a number.
std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// "1700000000.5": seconds in nanoseconds.
std::optional<std::int64_t> nanoseconds(std::string_view text) {
    constexpr std::size_t digits = 9;
    constexpr std::int64_t inSecond = 1'000'000'000;
    constexpr std::int64_t mostSeconds = std::numeric_limits<std::int64_t>::max() / inSecond - 1;
    const std::optional<std::int64_t> seconds = number(take(text, '.'));
    std::string fraction(text.substr(0, digits));
    fraction.resize(digits, '0');
    const std::optional<std::int64_t> rest = number(fraction);
    if (!seconds || !rest || *rest < 0 || *seconds < -mostSeconds || *seconds > mostSeconds)
        return std::nullopt;
    return *seconds * inSecond + *rest;
}

bool isShown(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           std::none_of(name.begin(), name.end(), [](char c) {
               return static_cast<unsigned char>(c) < ' ' || c == '\x7f' || c == '/';
           });
}

/// "f 1234 1700000000.5 name": the type, bytes, time and name.
std::optional<RemoteEntry> entryFrom(std::string_view line) {
    const std::string_view type = take(line, ' ');
    const auto bytes = number(take(line, ' '));
    const auto modified = nanoseconds(take(line, ' '));
    if ((type != "f" && type != "d") || !bytes || *bytes < 0 || !modified)
        return std::nullopt;
    return RemoteEntry{std::string(line), type == "d", *bytes, *modified};
}

[[noreturn]] void refused(const RemoteAddress& address, const RemoteResult& result) {
    if (result.err.find("No such file") != std::string::npos ||
        result.err.find("ot a directory") != std::string::npos)
        throw UserError(fmt::format("there is no file '{}' on '{}'", address.path, address.host));
    throw UserError(fmt::format("cannot read '{}' on '{}': {}", address.path, address.host,
                                printable(boundedMessage(result.err))));
}

} // namespace

RemoteEntry remoteEntry(const SshProgram& ssh, const RemoteAddress& address,
                        const std::stop_token& stop) {
    const RemoteResult result = runRemote(ssh, address,
                                          "env LC_ALL=C find -L " + shellPath(address) +
                                              " -maxdepth 0 -printf '%y %s %T@ %f\\0'",
                                          stop);
    std::string_view text = result.out;
    const std::optional<RemoteEntry> entry = entryFrom(take(text, '\0'));
    if (result.status != 0)
        refused(address, result);
    if (!entry)
        throw UserError(
            fmt::format("'{}' on '{}' is neither a file nor a folder", address.path, address.host));
    return *entry;
}

RemoteFolder remoteFolder(const SshProgram& ssh, const RemoteAddress& address,
                          const std::stop_token& stop) {
    // What cannot be read in it makes find fail, and is no reason to show nothing. Not every
    // shell's cd says why it failed; ls does.
    const std::string path = shellPath(address);
    const RemoteResult result =
        runRemote(ssh, address,
                  fmt::format("env LC_ALL=C ls -d {}/. > /dev/null && cd {} && pwd && env LC_ALL=C "
                              "find -L . -mindepth 1 -maxdepth 1 -printf '%y %s %T@ %f\\0'",
                              path, path),
                  stop);
    if (result.out.empty())
        refused(address, result);
    std::string_view text = result.out;
    RemoteFolder folder{address, {}, 0};
    folder.address.path = take(text, '\n');
    remoteAddress(toString(folder.address)); // it may be anything, but must not be
    while (!text.empty()) {
        std::optional<RemoteEntry> entry = entryFrom(take(text, '\0'));
        if (!entry)
            continue; // a device, a link to nothing
        if (!isShown(entry->name) || folder.entries.size() == mostEntries)
            ++folder.leftOut;
        else
            folder.entries.push_back(*std::move(entry));
    }
    std::sort(folder.entries.begin(), folder.entries.end(),
              [](const RemoteEntry& a, const RemoteEntry& b) {
                  return a.folder != b.folder ? a.folder : a.name < b.name;
              });
    return folder;
}

RemoteAddress inFolder(const RemoteAddress& folder, const std::string& name) {
    RemoteAddress address = folder;
    if (!address.path.ends_with('/'))
        address.path += '/';
    address.path += name;
    return address;
}

RemoteAddress above(const RemoteAddress& address) {
    RemoteAddress parent = address;
    while (parent.path.size() > 1 && parent.path.ends_with('/'))
        parent.path.pop_back();
    const std::size_t slash = parent.path.rfind('/');
    parent.path = slash == std::string::npos || slash == 0 ? "/" : parent.path.substr(0, slash);
    return parent;
}

} // namespace tilescope
