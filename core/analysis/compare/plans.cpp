#include "core/analysis/compare/plans.h"

#include <algorithm>
#include <boost/json.hpp>
#include <fmt/format.h>

#include "core/base/damaged_profile.h"

namespace tilescope {
namespace json = boost::json;
namespace {

using Leaves = std::vector<std::pair<std::string, std::string>>;

json::object planObject(std::string_view plan) {
    if (plan.empty())
        return {};
    json::error_code error;
    const json::value value = json::parse({plan.data(), plan.size()}, error);
    if (error || !value.is_object())
        throw DamagedProfile("the plan of an operation is not a JSON object");
    return value.as_object();
}

bool isChoice(std::string_view key) {
    return key != "estimate" && key != "planner" && key != "withinMemoryTarget";
}

void addLeaves(Leaves& leaves, const json::object& object, const std::string& prefix) {
    for (const auto& [name, value] : object) {
        const std::string key = prefix + std::string(name);
        if (!isChoice(key))
            continue;
        if (const json::object* inner = value.if_object())
            addLeaves(leaves, *inner, key + ".");
        else if (const json::string* text = value.if_string())
            leaves.emplace_back(key, std::string(*text));
        else
            leaves.emplace_back(key, json::serialize(value));
    }
}

Leaves leavesOf(std::string_view plan) {
    Leaves leaves;
    addLeaves(leaves, planObject(plan), "");
    return leaves;
}

const std::string* valueOf(const Leaves& leaves, const std::string& key) {
    const auto found = std::find_if(leaves.begin(), leaves.end(),
                                    [&](const auto& leaf) { return leaf.first == key; });
    return found == leaves.end() ? nullptr : &found->second;
}

/// Splits make up most of a plan, so they are listed without a prefix.
std::string shownKey(const std::string& key) {
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos)
        return key;
    const std::string name = key.substr(dot + 1);
    return key.starts_with("partition.") ? name : fmt::format("{} {}", key.substr(0, dot), name);
}

std::optional<std::int64_t> integer(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    if (value == nullptr || !value->is_int64())
        return std::nullopt;
    return value->as_int64();
}

} // namespace

std::vector<PlanDifference> planDifferences(std::string_view source, std::string_view target) {
    if (source == target)
        return {};
    const Leaves before = leavesOf(source);
    const Leaves after = leavesOf(target);
    std::vector<PlanDifference> differences;
    for (const auto& [key, value] : before) {
        const std::string* other = valueOf(after, key);
        if (other == nullptr || *other != value)
            differences.push_back({key, value, other == nullptr ? std::string() : *other});
    }
    for (const auto& [key, value] : after)
        if (valueOf(before, key) == nullptr)
            differences.push_back({key, "", value});
    return differences;
}

PlanEstimate planEstimate(std::string_view plan) {
    const json::object object = planObject(plan);
    const json::value* estimate = object.if_contains("estimate");
    if (estimate == nullptr || !estimate->is_object())
        return {};
    return {integer(estimate->as_object(), "cycles"), integer(estimate->as_object(), "tempBytes")};
}

std::string planText(const std::vector<PlanDifference>& differences) {
    std::string text;
    for (const PlanDifference& difference : differences) {
        const auto shown = [](const std::string& value) { return value.empty() ? "none" : value; };
        text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", shownKey(difference.key),
                            shown(difference.source), shown(difference.target));
    }
    return text;
}

} // namespace tilescope
