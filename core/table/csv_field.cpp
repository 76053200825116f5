#include "core/table/csv_field.h"

#include <algorithm>
#include <array>
#include <span>

namespace tilescope {
namespace {

bool startsWithAny(std::string_view text, std::span<const std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view beginning) { return text.starts_with(beginning); });
}

/// Characters that some spreadsheet skips at the beginning of a cell: blanks, line feeds, a byte
/// order mark and zero-width characters.
std::string_view withoutBlanks(std::string_view text) {
    static constexpr std::array<std::string_view, 11> skipped{
        " ",      "\n",     "\v",     "\f",     "\u00A0", "\u200B",
        "\u200C", "\u200D", "\u2060", "\u3000", "\uFEFF"};
    while (startsWithAny(text, skipped)) {
        do
            text.remove_prefix(1);
        while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0U) == 0x80);
    }
    return text;
}

/// True for text that begins like a formula, also in full-width characters.
bool startsFormula(std::string_view text) {
    static constexpr std::array<std::string_view, 10> beginnings{
        "=", "+", "-", "@", "\t", "\r", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
    return startsWithAny(withoutBlanks(text), beginnings);
}

/// As in RFC 4180.
std::string quotedCsv(const std::string& text, char separator) {
    if (text.find_first_of(std::string("\"\r\n") + separator) == std::string::npos)
        return text;
    std::string result = "\"";
    for (const char c : text)
        result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + '"';
}

} // namespace

std::string csvField(std::string_view text, char separator) {
    return quotedCsv((startsFormula(text) ? "'" : "") + std::string(text), separator);
}

} // namespace tilescope
