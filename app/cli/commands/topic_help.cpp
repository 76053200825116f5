#include "app/cli/commands/topic_help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/options/option_table.h"

namespace tilescope::cli {
namespace {

/// Whether an option of a command belongs to the topic.
auto isOf(OptionTopic topic) {
    return [topic](const CLI::Option* option) { return option->get_group() == displayName(topic); };
}

/// The word after the first --help; "" if there is none.
std::string topicAsked(const std::vector<std::string>& args) {
    const auto help = std::find_if(args.begin(), args.end(), [](const std::string& arg) {
        return arg == "--help" || arg == "-h";
    });
    if (help == args.end() || help + 1 == args.end() || (help + 1)->starts_with("-"))
        return "";
    return *(help + 1);
}

OptionTopic topicNamed(const std::string& word) {
    std::vector<std::string> words;
    for (const OptionTopic topic : optionTopics) {
        words.emplace_back(toString(topic));
        if (word == words.back())
            return topic;
    }
    throw UserError(fmt::format("unknown topic of options '{}'.{} Topics are {}.", shortened(word),
                                didYouMean(word, words), fmt::join(words, ", ")));
}

/// Removes the blank lines with which the parser's formatter begins and ends.
std::string withoutBlankLines(const std::string& text) {
    const std::size_t first = text.find_first_not_of('\n');
    const std::size_t last = text.find_last_not_of('\n');
    return first == std::string::npos ? "" : text.substr(first, last - first + 1) + '\n';
}

std::string topicLines(const std::string& name) {
    std::string text = fmt::format(
        "Options of a run, by topic ({0} --help TOPIC, or all by {0} --help-all):\n", name);
    for (const OptionTopic topic : optionTopics)
        text += fmt::format("  {:<26}  {}\n", toString(topic), topicSummary(topic));
    return text;
}

} // namespace

std::string helpText(CLI::App& command, const std::string& parent,
                     const std::vector<std::string>& args) {
    if (command.get_options(isOf(OptionTopic::Machine)).empty())
        return command.help(parent);
    if (const std::string asked = topicAsked(args); !asked.empty()) {
        const OptionTopic topic = topicNamed(asked);
        const auto shown = command.get_options(isOf(topic));
        return withoutBlankLines(CLI::Formatter().make_group(
            fmt::format("{} ({})", displayName(topic), topicSummary(topic)), false,
            {shown.begin(), shown.end()}));
    }
    for (const OptionTopic topic : optionTopics)
        for (CLI::Option* option : command.get_options(isOf(topic)))
            option->group(""); // not shown
    return withoutBlankLines(command.help(parent)) + "\n" +
           topicLines(parent + " " + command.get_name());
}

} // namespace tilescope::cli
