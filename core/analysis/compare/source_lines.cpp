#include "core/analysis/compare/source_lines.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/analysis/compare/step_alignment.h"

namespace tilescope {
namespace {

constexpr std::int32_t unmatched = -1;
/// Lines with fewer letters, such as a bracket, are at many places.
constexpr std::size_t leastMoved = 4;

std::string_view withoutBlanks(std::string_view line) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t begin = line.find_first_not_of(blanks);
    return begin == line.npos ? std::string_view()
                              : line.substr(begin, line.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

using Keys = std::unordered_map<std::string_view, std::int32_t>;

std::vector<std::int32_t> keysOf(const std::vector<std::string_view>& lines, Keys& keys) {
    std::vector<std::int32_t> list;
    list.reserve(lines.size());
    for (const std::string_view line : lines)
        list.push_back(
            keys.try_emplace(line, static_cast<std::int32_t>(keys.size())).first->second);
    return list;
}

/// Lines that the other version lacks match none.
void dropUnmatched(std::vector<std::int32_t>& keys, const std::vector<std::int32_t>& others,
                   std::size_t count) {
    std::vector<bool> there(count);
    for (const std::int32_t key : others)
        if (key >= 0)
            there[static_cast<std::size_t>(key)] = true;
    for (std::int32_t& key : keys)
        if (key >= 0 && !there[static_cast<std::size_t>(key)])
            key = unmatched;
}

/// Pairs removed and added lines of equal content, in their order.
void matchMoved(std::vector<ComparedLine>& lines, const std::vector<std::string_view>& source,
                const std::vector<std::string_view>& target) {
    std::map<std::string_view, std::vector<ComparedLine*>> removed;
    for (ComparedLine& line : lines)
        if (line.source > 0 && line.target == 0)
            removed[withoutBlanks(source[static_cast<std::size_t>(line.source - 1)])].push_back(
                &line);
    for (auto& [content, list] : removed)
        std::reverse(list.begin(), list.end()); // the first is taken from the end
    for (ComparedLine& line : lines) {
        if (line.target == 0 || line.source > 0)
            continue;
        const std::string_view content =
            withoutBlanks(target[static_cast<std::size_t>(line.target - 1)]);
        const auto found = removed.find(content);
        if (content.size() < leastMoved || found == removed.end() || found->second.empty())
            continue;
        ComparedLine& from = *found->second.back();
        found->second.pop_back();
        line.moved = from.source;
        from.moved = line.target;
    }
}

/// Puts what was removed between two equal lines before what was added there, and pairs the lines
/// of both if they are as many.
void matchEdited(std::vector<ComparedLine>& lines) {
    const auto differs = [](const ComparedLine& line) {
        return line.source == 0 || line.target == 0;
    };
    for (auto begin = lines.begin(); begin != lines.end();) {
        begin = std::find_if(begin, lines.end(), differs);
        const auto end = std::find_if_not(begin, lines.end(), differs);
        const auto added = std::stable_partition(
            begin, end, [](const ComparedLine& line) { return line.source > 0; });
        if (added - begin == end - added)
            for (auto from = begin, to = added; to != end; ++from, ++to)
                if (from->moved == 0 && to->moved == 0) {
                    from->edited = to->target;
                    to->edited = from->source;
                }
        begin = end;
    }
}

} // namespace

std::vector<ComparedLine> compareLines(std::string_view source, std::string_view target) {
    const std::vector<std::string_view> before = linesOf(source);
    const std::vector<std::string_view> after = linesOf(target);
    Keys all;
    std::vector<std::int32_t> sourceKeys = keysOf(before, all);
    std::vector<std::int32_t> targetKeys = keysOf(after, all);
    const std::vector<std::int32_t> sourceHas = sourceKeys;
    dropUnmatched(sourceKeys, targetKeys, all.size());
    dropUnmatched(targetKeys, sourceHas, all.size());
    const StepAlignment aligned = alignSteps(sourceKeys, targetKeys);
    std::vector<ComparedLine> places(static_cast<std::size_t>(aligned.places));
    for (std::size_t i = 0; i < before.size(); ++i)
        places[static_cast<std::size_t>(aligned.source[i])].source =
            static_cast<std::int32_t>(i + 1);
    for (std::size_t i = 0; i < after.size(); ++i)
        places[static_cast<std::size_t>(aligned.target[i])].target =
            static_cast<std::int32_t>(i + 1);
    std::vector<ComparedLine> lines;
    for (const ComparedLine& place : places) {
        const bool equal = place.source > 0 && place.target > 0 &&
                           before[static_cast<std::size_t>(place.source - 1)] ==
                               after[static_cast<std::size_t>(place.target - 1)];
        if (place.source > 0 && place.target > 0 && !equal) {
            lines.push_back({place.source, 0, 0, 0});
            lines.push_back({0, place.target, 0, 0});
        } else if (place.source > 0 || place.target > 0) {
            lines.push_back(place);
        }
    }
    matchMoved(lines, before, after);
    matchEdited(lines);
    return lines;
}

} // namespace tilescope
