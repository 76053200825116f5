#include "core/analysis/compare/differences.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>

#include "core/options/option_table.h"

namespace tilescope {
namespace {

// Options that leadingChanges() lists under another name, or one by one; and the name that an
// exporter has given to the loss, which says nothing about a run.
constexpr std::array<std::string_view, 7> saidBefore{
    "model", "target", "batchSize", "ipus", "tilesPerIpu", "engineOptions", "lossOutput"};

} // namespace

std::vector<OptionChange> optionChanges(const ProfileInfo& source, const ProfileInfo& target) {
    std::map<std::string, OptionChange> all;
    // What is not known has not changed.
    const bool known = source.has(ProfilePart::Options) && target.has(ProfilePart::Options);
    const auto add = [&](const ProfileInfo& info, std::string OptionChange::*side) {
        for (const auto* options : {&info.options, &info.engineOptions})
            for (const auto& [name, value] : *options) {
                if (!known)
                    continue;
                all[name].option = name;
                all[name].*side = value;
            }
        all["model"].option = "model";
        all["model"].*side = info.model;
        all["target"].option = "target";
        all["target"].*side = info.target.name;
    };
    add(source, &OptionChange::source);
    add(target, &OptionChange::target);
    std::vector<OptionChange> changes;
    for (auto& [name, change] : all) {
        // An option that a run does not record has its default value, if there is one.
        const OptionSpec* option = findOption(name);
        for (std::string* side : {&change.source, &change.target})
            if (side->empty())
                *side = option != nullptr && !option->defaultValue.empty() ? option->defaultValue
                                                                           : "not set";
        if (change.source != change.target)
            changes.push_back(std::move(change));
    }
    return changes;
}

std::vector<OptionChange> leadingChanges(const ProfileInfo& source, const ProfileInfo& target) {
    std::vector<OptionChange> changes;
    const auto text = [&](const char* name, const std::string& before, const std::string& after) {
        if (before != after)
            changes.push_back({name, before, after});
    };
    const auto number = [&](const char* name, std::int64_t before, std::int64_t after) {
        text(name, std::to_string(before), std::to_string(after));
    };
    text("model", source.model, target.model);
    if (source.has(ProfilePart::Run) && target.has(ProfilePart::Run)) {
        text("mode", source.mode, target.mode);
        number("batch", source.batchSize, target.batchSize);
    }
    text("target", source.target.name, target.target.name);
    number("IPUs", source.target.ipus, target.target.ipus);
    number("tiles per IPU", source.target.tilesPerIpu, target.target.tilesPerIpu);
    std::vector<OptionChange> options = optionChanges(source, target);
    std::erase_if(options, [](const OptionChange& change) {
        return std::find(saidBefore.begin(), saidBefore.end(), change.option) != saidBefore.end();
    });
    // Engine options last: they say less about a run.
    std::stable_partition(options.begin(), options.end(), [&](const OptionChange& change) {
        return source.engineOptions.count(change.option) == 0 &&
               target.engineOptions.count(change.option) == 0;
    });
    std::move(options.begin(), options.end(), std::back_inserter(changes));
    return changes;
}

} // namespace tilescope
