#include "core/options/option_rows.h"

#include <fmt/format.h>

namespace tilescope {
namespace {

/// "--available-memory-proportion" for "availableMemoryProportion".
std::string flagOf(const std::string& key) {
    std::string flag = "--";
    for (const char c : key)
        if (c >= 'A' && c <= 'Z')
            flag += {'-', static_cast<char>(c - 'A' + 'a')};
        else
            flag += c;
    return flag;
}

} // namespace

OptionSpec ownRow(OptionTopic topic, std::string key, OptionSpec::Type type, std::string help,
                  Set set, Get get, std::vector<std::string> choices) {
    static const RunOptions fresh; // one for all rows, as it looks up a target
    OptionSpec spec;
    spec.topic = topic;
    spec.flag = flagOf(key);
    spec.key = std::move(key);
    spec.type = type;
    spec.defaultValue = get(fresh);
    spec.help = std::move(help);
    spec.choices = std::move(choices);
    spec.parse = std::move(set);
    spec.get = std::move(get);
    return spec;
}

OptionSpec inTraining(OptionSpec row, const std::string& what) {
    return std::move(row).needing(
        [](const RunOptions& options) { return options.isTraining(); },
        fmt::format("{} in training only; add --mode training, or leave it out", what));
}

OptionSpec withHost(OptionSpec row) {
    return std::move(row).needing(
        [](const RunOptions& options) { return !options.host.ignoreData; },
        "nothing is exchanged with the host; leave it out");
}

void refuse(bool given, const char* option, const std::string& problem) {
    if (given)
        throw OptionError(option, problem);
}

bool hasOptimizerState(const RunOptions& options) {
    return options.isTraining() && options.training.optimizer != Optimizer::Sgd;
}

} // namespace tilescope
