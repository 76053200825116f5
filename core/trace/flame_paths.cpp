#include "core/trace/flame_paths.h"

#include <algorithm>

namespace tilescope {
namespace {

std::string_view withoutDigits(std::string_view text) {
    const std::size_t end = text.find_first_not_of("0123456789");
    return text.substr(std::min(end, text.size()));
}

/// The text after a word, a number and a separator, as in "cs12_" or "copy3_Copy_"; empty if the
/// text does not begin so.
std::string_view afterNumber(std::string_view text, std::string_view word,
                             std::string_view separator) {
    if (!text.starts_with(word))
        return {};
    const std::string_view digits = text.substr(word.size());
    const std::string_view rest = withoutDigits(digits);
    if (rest.size() == digits.size() || !rest.starts_with(separator))
        return {};
    return rest.substr(separator.size());
}

std::vector<std::string_view> partsOf(std::string_view path) {
    // Each part is a row of the flame; no model nests this deep, but names in a damaged file may.
    constexpr std::size_t mostParts = 100;
    constexpr std::size_t usualParts = 8;
    std::vector<std::string_view> parts;
    parts.reserve(usualParts);
    while (!path.empty()) {
        const std::size_t slash =
            parts.size() < mostParts ? std::min(path.find('/'), path.size()) : path.size();
        if (slash != 0)
            parts.push_back(path.substr(0, slash));
        path.remove_prefix(std::min(slash + 1, path.size()));
    }
    return parts;
}

} // namespace

FlamePath splitPath(std::string_view path) {
    FlamePath split{partsOf(path), {}};
    if (!split.groups.empty()) {
        split.leaf = split.groups.back();
        split.groups.pop_back();
    }
    return split;
}

FlamePath pathOf(std::string_view name) {
    constexpr std::string_view suffix = "/ExchangePre";
    std::string_view stem = name;
    if (stem.ends_with(suffix))
        stem.remove_suffix(suffix.size());
    if (const std::string_view computeSet = afterNumber(stem, "cs", "_"); !computeSet.empty())
        return {splitPath(computeSet).groups, name};
    if (const std::string_view copy = afterNumber(stem, "copy", "_Copy_"); !copy.empty()) {
        // "copy3_Copy_SOURCE_to_USER": the user is why the copy is there.
        constexpr std::string_view to = "_to_";
        const std::size_t at = copy.rfind(to);
        if (at != std::string_view::npos)
            return {partsOf(copy.substr(at + to.size())), name};
    }
    // "copy20_layer1/0/call_subgraph(4)/callInputs": for an operation's own use.
    if (const std::string_view own = afterNumber(stem, "copy", "_"); !own.empty())
        return {splitPath(own).groups, name};
    return splitPath(name);
}

} // namespace tilescope
