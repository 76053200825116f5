#include "core/base/printable.h"

#include <algorithm>
#include <cstddef>

namespace tilescope {
namespace {

/// Length of a terminal control character at the beginning of the text, 0 if there is none: C0 and
/// DEL, C1 (ECMA-48), and characters that change the direction or break lines (Unicode bidi
/// controls, U+2028, U+2029).
std::size_t commandBytes(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    if (byte(0) < 0x20 || byte(0) == 0x7F)
        return 1;
    if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F)
        return 2;
    if (byte(0) != 0xE2)
        return 0;
    const bool turns = (byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) ||
                       (byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F)) ||
                       (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
    return turns ? 3 : 0;
}

bool isInCharacter(char c) { // of UTF-8
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

} // namespace

std::string printable(std::string_view text, Lines lines) {
    std::string clean;
    clean.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t bytes = commandBytes(text.substr(at));
        const bool kept = bytes == 0 || (lines == Lines::Keep && text[at] == '\n');
        clean += kept ? text[at] : ' ';
        at += std::max<std::size_t>(1, bytes);
    }
    return clean;
}

std::string_view firstBytes(std::string_view text, std::size_t most) {
    std::size_t end = std::min(text.size(), most);
    while (end > 0 && end < text.size() && isInCharacter(text[end]))
        --end;
    return text.substr(0, end);
}

std::string boundedMessage(std::string text) {
    // A path may have 4096 bytes (PATH_MAX), and the remedy is at the end.
    constexpr std::size_t most = 8000;
    constexpr std::size_t shownEnd = 2000;
    if (text.size() <= most)
        return text;
    const std::size_t cut = firstBytes(text, most - shownEnd).size();
    std::size_t end = text.size() - shownEnd;
    while (end < text.size() && isInCharacter(text[end]))
        ++end;
    return text.replace(cut, end - cut, " \u2026 ");
}

} // namespace tilescope
