#include "core/options/parameter_groups.h"

#include <algorithm>
#include <boost/json.hpp>
#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/options/optimizer_numbers.h"
#include "core/options/option_error.h"
#include "core/options/option_table.h"
#include "core/options/option_values.h"
#include "core/options/run_options.h"
#include "core/options/training_options.h"

namespace tilescope {
namespace json = boost::json;
namespace {

constexpr const char* groupsKey = "parameterGroups";

struct GroupNumber {
    const char* key;
    std::optional<double> ParameterGroup::*member;
};
constexpr auto groupNumbers = std::to_array<GroupNumber>({
    {"learningRate", &ParameterGroup::learningRate},
    {"weightDecay", &ParameterGroup::weightDecay},
    {"momentum", &ParameterGroup::momentum},
    {"beta1", &ParameterGroup::beta1},
    {"beta2", &ParameterGroup::beta2},
    {"optimizerEpsilon", &ParameterGroup::optimizerEpsilon},
});

const GroupNumber& numberNamed(std::string_view key) {
    const auto* const found =
        std::find_if(std::begin(groupNumbers), std::end(groupNumbers),
                     [key](const GroupNumber& number) { return key == number.key; });
    if (found != std::end(groupNumbers))
        return *found;
    std::vector<std::string> keys;
    for (const GroupNumber& number : groupNumbers)
        keys.emplace_back(number.key);
    throw OptionError(groupsKey,
                      fmt::format("'{}' is not a number of a group; there are {}.{}",
                                  shortened(key), fmt::join(keys, ", "), didYouMean(key, keys)));
}

ParameterGroup groupFrom(std::string_view names, const json::value& numbers) {
    ParameterGroup group;
    group.weights = splitAt(names, ',');
    if (std::find(group.weights.begin(), group.weights.end(), "") != group.weights.end())
        throw OptionError(groupsKey, fmt::format("'{}' has an empty name", shortened(names)));
    const json::object* object = numbers.if_object();
    if (object == nullptr)
        throw OptionError(groupsKey,
                          fmt::format("the numbers of '{}' must be an object", shortened(names)));
    for (const auto& [key, value] : *object) {
        const GroupNumber& number = numberNamed(key);
        const OptionSpec& spec = *findOption(key);
        group.*number.member =
            numberValue(spec, optionText(value, false), spec.range(RunOptions()));
    }
    return group;
}

const ParameterGroup* groupOf(const TrainingOptions& options, std::string_view weight) {
    for (const ParameterGroup& group : options.parameterGroups)
        for (const std::string& name : group.weights)
            if (isWeightOf(weight, name))
                return &group;
    return nullptr;
}

} // namespace

bool isWeightOf(std::string_view weight, std::string_view nameOrScope) {
    return weight.starts_with(nameOrScope) &&
           (weight.size() == nameOrScope.size() || weight[nameOrScope.size()] == '.');
}

UpdateNumbers updateNumbers(const TrainingOptions& options, std::string_view weight) {
    UpdateNumbers numbers{0,
                          options.weightDecayInForce(),
                          options.momentum,
                          options.beta1,
                          options.beta2,
                          options.optimizerEpsilon,
                          options.optimizer == Optimizer::Momentum};
    const ParameterGroup* group = groupOf(options, weight);
    if (group == nullptr)
        return numbers;
    if (group->learningRate)
        numbers.rate = 1 + static_cast<std::int32_t>(group - options.parameterGroups.data());
    numbers.weightDecay = group->weightDecay.value_or(numbers.weightDecay);
    numbers.momentum = group->momentum.value_or(numbers.momentum);
    numbers.beta1 = group->beta1.value_or(numbers.beta1);
    numbers.beta2 = group->beta2.value_or(numbers.beta2);
    numbers.epsilon = group->optimizerEpsilon.value_or(numbers.epsilon);
    numbers.hasVelocity = numbers.hasVelocity && group->momentum != 0.0;
    return numbers;
}

std::vector<double> learningRates(const TrainingOptions& options) {
    std::vector<double> rates{options.learningRate};
    for (const ParameterGroup& group : options.parameterGroups)
        rates.push_back(group.learningRate.value_or(options.learningRate));
    return rates;
}

std::vector<ParameterGroup> parameterGroupsFrom(const std::string& text) {
    const json::value parsed = parseJson(text, "option " + optionName(groupsKey));
    const json::object* object = parsed.if_object();
    if (object == nullptr)
        throw OptionError(groupsKey,
                          "a JSON object of weights and their numbers is needed, such as "
                          "{\"encoder,head.bias\": {\"learningRate\": 0.01, \"weightDecay\": 0}}");
    std::vector<ParameterGroup> groups;
    for (const auto& [names, numbers] : *object)
        groups.push_back(groupFrom(names, numbers));
    return groups;
}

std::string parameterGroupsText(const std::vector<ParameterGroup>& groups) {
    json::object all;
    for (const ParameterGroup& group : groups) {
        if (group.weights.empty())
            continue;
        json::object numbers;
        for (const GroupNumber& number : groupNumbers)
            if (const auto& value = group.*number.member)
                numbers[number.key] = *value;
        all[fmt::format("{}", fmt::join(group.weights, ","))] = std::move(numbers);
    }
    return all.empty() ? "" : json::serialize(all);
}

void checkParameterGroups(const TrainingOptions& options) {
    std::vector<std::string> names;
    for (const ParameterGroup& group : options.parameterGroups) {
        for (const std::string& name : group.weights) {
            if (std::find(names.begin(), names.end(), name) != names.end())
                throw OptionError(groupsKey, fmt::format("'{}' occurs twice; leave one out", name));
            names.push_back(name);
        }
        for (const GroupNumber& number : groupNumbers)
            if (group.*number.member)
                if (const char* why = whyIdle(options.optimizer, number.key))
                    throw OptionError(groupsKey,
                                      fmt::format("the group of '{}' has '{}', but {}; "
                                                  "leave it out",
                                                  group.weights.front(), number.key, why));
    }
}

} // namespace tilescope
