// A command line as typed by users, run within the test.
#pragma once

#include <QtGlobal>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/cli_result.h"

namespace tilescope::test {

/// Words of a command line; quotes protect blanks, there are no other rules.
inline std::vector<std::string> wordsOf(const std::string& line) {
    std::vector<std::string> words;
    std::string word;
    bool open = false;
    char quote = '\0';
    for (const char c : line) {
        if (quote != '\0') {
            if (quote == c)
                quote = '\0';
            else
                word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            open = true;
        } else if (c != ' ') {
            word += c;
            open = true;
        } else if (open) {
            words.push_back(std::move(word));
            word.clear();
            open = false;
        }
    }
    if (open)
        words.push_back(std::move(word));
    return words;
}

/// A typed line: VARIABLE=VALUE ... PROGRAM ARGUMENTS ...
struct TypedCommand {
    std::vector<std::pair<std::string, std::string>> variables;
    std::string program;
    std::vector<std::string> arguments;
};

inline TypedCommand typedCommand(const std::string& line) {
    TypedCommand command;
    for (std::string& word : wordsOf(line)) {
        const std::size_t equals = word.find('=');
        if (!command.program.empty())
            command.arguments.push_back(std::move(word));
        else if (equals != std::string::npos)
            command.variables.emplace_back(word.substr(0, equals), word.substr(equals + 1));
        else
            command.program = std::move(word);
    }
    return command;
}

/// Runs a command of `tilescope` in its environment.
inline CliResult runTyped(const TypedCommand& command) {
    for (const auto& [name, value] : command.variables)
        qputenv(name.c_str(), QByteArray::fromStdString(value));
    CliResult result = runCommand(command.arguments);
    for (const auto& [name, value] : command.variables)
        qunsetenv(name.c_str());
    return result;
}

} // namespace tilescope::test
