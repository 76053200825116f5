#include "core/analysis/compare/names.h"
#include "core/analysis/accounting/place_names.h"

#include <cctype>

namespace tilescope {
namespace {

bool isDigit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Letters, digits and '_' continue a word; '/', ':', '.' and brackets end a part of a path.
bool goesOn(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::size_t skipDigits(std::string_view text, std::size_t from) {
    while (from < text.size() && isDigit(text[from]))
        ++from;
    return from;
}

/// "cs12_" and "copy12_" begin the names of exchanges and copies.
std::string withoutCounter(std::string_view name) {
    const std::size_t end = endOfCounter(name);
    return end == 0 ? std::string(name)
                    : std::string(name.substr(0, name.find_first_of("0123456789")))
                          .append(name.substr(end));
}

} // namespace

std::string comparableName(std::string_view name) {
    constexpr std::string_view call = "call_subgraph(";
    const std::string text = withoutCounter(name);
    std::string result;
    std::size_t done = 0;
    for (std::size_t at = text.find(call); at != std::string::npos; at = text.find(call, at)) {
        at += call.size();
        result.append(text, done, at - done);
        done = skipDigits(text, at);
    }
    return result.append(text, done);
}

std::string renamedWithin(std::string_view name, std::string_view from, std::string_view to) {
    if (from.empty())
        return std::string(name);
    for (std::size_t at = name.find(from); at != std::string_view::npos;
         at = name.find(from, at + 1)) {
        const std::size_t end = at + from.size();
        // What comes before may be "copy3_Copy_" or "_to_", so '_' begins a path as well.
        const bool begins = at == 0 || !goesOn(name[at - 1]) || name[at - 1] == '_';
        const bool ends = end == name.size() || !goesOn(name[end]) || name[end] == '_';
        if (begins && ends)
            return std::string(name.substr(0, at)).append(to).append(name.substr(end));
    }
    return std::string(name);
}

} // namespace tilescope
