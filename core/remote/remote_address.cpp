#include "core/remote/remote_address.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "core/base/error.h"

namespace tilescope {
namespace {

constexpr std::string_view scheme = "ssh://";
constexpr int largestPort = 65'535;
// Of a Linux path; a longer one cannot be there.
constexpr std::size_t longestPath = 4096;

[[noreturn]] void refuse(std::string_view text, std::string_view what) {
    throw UserError(fmt::format("'{}': {}. Remote files are given as ssh://[user@]host[:port]/path",
                                text, what));
}

bool isPlain(std::string_view name, std::string_view also) {
    return std::all_of(name.begin(), name.end(), [also](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               also.find(c) != std::string_view::npos;
    });
}

/// A name that begins with '-' would be an option of ssh.
bool isName(std::string_view name, std::string_view also) {
    return !name.empty() && name.front() != '-' && isPlain(name, also);
}

int portFrom(std::string_view text, std::string_view whole) {
    int port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > largestPort)
        refuse(whole, fmt::format("'{}' is no port", text));
    return port;
}

/// [::1] and [::1]:2222 are addresses of IPv6.
void readHost(RemoteAddress& address, std::string_view text, std::string_view whole) {
    std::string_view host = text;
    std::string_view port;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos)
            refuse(whole, "']' is missing");
        host = text.substr(1, end - 1);
        port = text.substr(end + 1);
        if (!isName(host, ":.%_-") || (!port.empty() && !port.starts_with(':')))
            refuse(whole, fmt::format("'{}' is no host", text));
    } else {
        const std::size_t colon = text.find(':');
        host = text.substr(0, colon);
        port = colon == std::string_view::npos ? std::string_view() : text.substr(colon);
        if (!isName(host, "._-"))
            refuse(whole, fmt::format("'{}' is no host", host));
    }
    address.host = host;
    if (!port.empty())
        address.port = portFrom(port.substr(1), whole);
}

} // namespace

bool isRemote(std::string_view name) {
    return name.starts_with(scheme);
}

RemoteAddress remoteAddress(std::string_view text) {
    if (!isRemote(text))
        refuse(text, "it does not begin with ssh://");
    RemoteAddress address;
    const std::string_view rest = text.substr(scheme.size());
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    std::string_view host = rest.substr(0, slash);
    address.path = rest.substr(slash);
    if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
        address.user = host.substr(0, at);
        if (!isName(address.user, "._-@+\\"))
            refuse(text, fmt::format("'{}' is no user", address.user));
        host = host.substr(at + 1);
    }
    readHost(address, host, text);
    if (address.path.size() > longestPath ||
        std::any_of(address.path.begin(), address.path.end(),
                    [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
        refuse(text, "the path is too long or has control characters");
    return address;
}

std::string toString(const RemoteAddress& address) {
    const bool isSix = address.host.find(':') != std::string::npos;
    return fmt::format("{}{}{}{}{}", scheme, address.user.empty() ? "" : address.user + "@",
                       isSix ? "[" + address.host + "]" : address.host,
                       address.port == 0 ? "" : fmt::format(":{}", address.port), address.path);
}

std::string shellWord(std::string_view text) {
    // Backslashes outside the quotes, as some shells have escapes inside.
    std::string word = "'";
    for (const char c : text)
        if (c == '\'' || c == '\\')
            word.append("'\\").append(1, c).append("'");
        else
            word += c;
    return word + "'";
}

std::string shellPath(const RemoteAddress& address) {
    const std::string_view path = address.path;
    if (path.empty() || path == "/~" || path == "/~/")
        return "~";
    if (path.starts_with("/~/"))
        return "~/" + shellWord(path.substr(3));
    return shellWord(path);
}

} // namespace tilescope
