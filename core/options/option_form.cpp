#include "core/options/option_form.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/error.h"
#include "core/options/option_values.h"

namespace tilescope {
namespace {

std::vector<OptionGroup> makeGroups() {
    std::vector<OptionGroup> groups;
    for (const OptionTopic topic : optionTopics) {
        groups.push_back({std::string(titleOf(topic)), {}});
        for (const OptionSpec& spec : runOptionTable())
            if (spec.topic == topic)
                groups.back().keys.push_back(spec.key);
    }
    return groups;
}

bool isFlagCharacter(char c) {
    return (c >= 'a' && c <= 'z') || c == '-';
}

std::string_view wordBefore(std::string_view text, std::size_t at) {
    while (at > 0 && text[at - 1] == ' ')
        --at;
    const std::size_t space = text.substr(0, at).rfind(' ');
    return text.substr(space == std::string_view::npos ? 0 : space + 1,
                       at - (space == std::string_view::npos ? 0 : space + 1));
}

OptionMention::Change changeOf(std::string_view word) {
    using Change = OptionMention::Change;
    if (word == "lower" || word == "Lower" || word == "smaller" || word == "Smaller" ||
        word == "fewer" || word == "Fewer")
        return Change::Lower;
    if (word == "higher" || word == "Higher" || word == "larger" || word == "Larger")
        return Change::Higher;
    return Change::None;
}

bool isNumber(const OptionSpec& spec) {
    using Type = OptionSpec::Type;
    return spec.type == Type::Integer || spec.type == Type::Number || spec.type == Type::Proportion;
}

// "A or B" lowers both where A is lowered.
bool continues(std::string_view between) {
    constexpr std::array<std::string_view, 5> links{" or ", " and ", ", ", ", or ", ", and "};
    // A value stands in parentheses behind its flag.
    if (between.starts_with(" (") && between.find(')') != std::string_view::npos)
        between.remove_prefix(between.find(')') + 1);
    return std::find(links.begin(), links.end(), between) != links.end();
}

// "16" in "--batch-size (16 instead of 32)".
std::string numberAfter(const OptionSpec& spec, std::string_view text, std::size_t at) {
    constexpr std::string_view open = " (";
    constexpr std::string_view instead = " instead of ";
    if (text.substr(at, open.size()) != open)
        return "";
    const std::size_t begin = at + open.size();
    const std::size_t end = text.find(' ', begin);
    if (end == std::string_view::npos || text.substr(end, instead.size()) != instead)
        return "";
    std::string word(text.substr(begin, end - begin));
    return optionProblem(spec, {}, word).empty() ? word : "";
}

// "half" in "--precision half or ...", if the option allows it, or a number in parentheses.
std::string valueAfter(const OptionSpec& spec, std::string_view text, std::size_t at) {
    if (isNumber(spec))
        return numberAfter(spec, text, at);
    if (at >= text.size() || text[at] != ' ')
        return "";
    const std::size_t end = std::min(text.find(' ', at + 1), text.size());
    std::string word(text.substr(at + 1, end - at - 1));
    while (!word.empty() && (word.back() == '.' || word.back() == ',' || word.back() == ';'))
        word.pop_back();
    const bool speaks = spec.type == OptionSpec::Type::Choice || spec.key == "split";
    return speaks && !word.empty() && optionProblem(spec, {}, word).empty() ? word : "";
}

std::optional<double> numberIn(const std::string& text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

} // namespace

const std::vector<OptionGroup>& optionGroups() {
    static const std::vector<OptionGroup> groups = makeGroups();
    return groups;
}

std::optional<OptionRange> optionRange(std::string_view key, const RunOptions& options) {
    const OptionSpec* spec = findOption(key);
    return spec != nullptr && spec->range ? std::optional(spec->range(options)) : std::nullopt;
}

std::string optionProblem(const OptionSpec& spec, const RunOptions& others,
                          const std::string& value) {
    try {
        RunOptions scratch = others;
        spec.set(scratch, value);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

std::vector<OptionMention> optionsNamedIn(std::string_view text) {
    std::vector<OptionMention> found;
    std::size_t endBefore = 0;
    OptionMention::Change changeBefore = OptionMention::Change::None;
    for (std::size_t at = text.find("--"); at != std::string_view::npos;
         at = text.find("--", at + 2)) {
        std::size_t end = at;
        while (end < text.size() && isFlagCharacter(text[end]))
            ++end;
        const std::string_view flag = text.substr(at, end - at);
        for (const OptionSpec& spec : runOptionTable()) {
            if (spec.flag != flag)
                continue;
            const auto change = continues(text.substr(endBefore, at - endBefore))
                                    ? changeBefore
                                    : changeOf(wordBefore(text, at));
            OptionMention mention{spec.key, change, valueAfter(spec, text, end)};
            if (!mention.value.empty() || !isNumber(spec))
                mention.change = OptionMention::Change::None;
            endBefore = end;
            changeBefore = change;
            const auto same = [&](const OptionMention& m) { return m.key == spec.key; };
            const auto before = std::find_if(found.begin(), found.end(), same);
            if (before == found.end())
                found.push_back(std::move(mention));
            else if (before->value.empty() && before->change == OptionMention::Change::None)
                *before = std::move(mention);
        }
    }
    return found;
}

std::string suggestedValue(const OptionMention& mention, const std::string& inForce) {
    if (!mention.value.empty())
        return mention.value;
    const std::optional<double> now = numberIn(inForce.empty() ? "1" : inForce);
    const OptionSpec* spec = findOption(mention.key);
    if (mention.change == OptionMention::Change::None || !now || spec == nullptr)
        return "";
    double value = mention.change == OptionMention::Change::Lower ? *now / 2 : *now * 2;
    if (const auto range = optionRange(mention.key, {}))
        value = std::clamp(value, range->least, range->most);
    if (spec->type == OptionSpec::Type::Integer)
        value = static_cast<double>(static_cast<std::int64_t>(value));
    const std::string text = spec->type == OptionSpec::Type::Integer
                                 ? std::to_string(static_cast<std::int64_t>(value))
                                 : numberText(value);
    return text == inForce ? "" : text;
}

} // namespace tilescope
