#include "core/analysis/insights/insights.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "core/analysis/insights/rules.h"
#include "core/base/printable.h"
#include "core/base/units.h"
#include "core/options/option_table.h"

namespace tilescope {
namespace {

/// Wrong numbers come before all costs, except for a model that does not fit.
int orderOf(InsightKind kind, bool fits) {
    switch (kind) {
    case InsightKind::Values:
        return 0;
    case InsightKind::Time:
        return fits ? 1 : 2;
    case InsightKind::Memory:
        break;
    }
    return fits ? 2 : 1;
}

/// The most important first: a model that does not fit, then the kind that matters more, by share.
void rank(std::vector<Insight>& insights, bool fits) {
    const auto place = [&](const Insight& i) {
        return std::tuple(i.level != InsightLevel::Problem, orderOf(i.kind, fits), -i.cost.share,
                          -i.cost.cycles, -i.cost.bytes);
    };
    std::stable_sort(insights.begin(), insights.end(),
                     [&](const Insight& a, const Insight& b) { return place(a) < place(b); });
}

std::string flagged(const std::string& key, const std::string& value) {
    const OptionSpec* option = findOption(key);
    const std::string flag = option == nullptr ? key : option->flag;
    return value.empty() ? flag : flag + " " + value;
}

} // namespace

std::string_view wholeOf(const InsightCost& cost) {
    return cost.elements > 0 ? "those looked at"
           : cost.cycles > 0 ? "the run"
           : cost.ofOneTile  ? "a tile's memory"
                             : "all memory";
}

std::string formatCost(const InsightCost& cost) {
    const std::string amount = cost.elements > 0
                                   ? fmt::format("{} elements", withThousands(cost.elements))
                               : cost.cycles > 0 ? formatCycles(cost.cycles)
                                                 : formatBytes(cost.bytes);
    return cost.share > 0 || cost.elements > 0
               ? fmt::format("{}, {} of {}", amount, formatPercent(cost.share, 1), wholeOf(cost))
               : amount;
}

Cell cellOf(const Evidence& evidence, double clockHz) {
    if (evidence.unit == Unit::None)
        return evidence.text;
    if (evidence.unit == Unit::Cycles)
        return Duration{static_cast<std::int64_t>(evidence.value), clockHz};
    return evidence.value;
}

std::string changeOf(const Advice& advice) {
    if (advice.option == Advice::model)
        return advice.effect;
    std::string change = flagged(advice.option, advice.value);
    for (const auto& [key, value] : advice.with)
        change += " " + flagged(key, value);
    return change;
}

std::string sentenceOf(const Advice& advice) {
    if (advice.option == Advice::model)
        return advice.effect;
    std::string what = findOption(advice.option)->flag;
    switch (advice.direction) {
    case Advice::Direction::Lower:
    case Advice::Direction::Raise:
        what.insert(0, advice.direction == Advice::Direction::Lower ? "A lower " : "A higher ");
        if (!advice.value.empty())
            what += advice.instead.empty()
                        ? fmt::format(" ({})", advice.value)
                        : fmt::format(" ({} instead of {})", advice.value, advice.instead);
        break;
    case Advice::Direction::Set:
        what += " " + advice.value;
        break;
    case Advice::Direction::Change:
        what.insert(0, "Another ");
        break;
    }
    return fmt::format("{} {}.", what, advice.effect);
}

std::string adviceText(const Insight& insight) {
    std::string text = insight.reason;
    for (const Advice& advice : insight.advice)
        text += (text.empty() ? "" : " ") + sentenceOf(advice);
    return text;
}

std::vector<Insight> insightsOf(const Facts& facts) {
    std::vector<Insight> insights;
    for (const std::vector<Rule>& rules :
         {memoryRules(), wasteRules(), copyRules(), timeRules(), feedingRules(), hotRules(),
          pipelineRules(), valueRules()})
        for (const Rule& rule : rules)
            for (Insight& insight : rule.find(facts)) {
                insight.kind = rule.kind;
                insight.rule = rule.name;
                // Sentences have names of the profile in them, which may have line breaks.
                insight.title = printable(insight.title);
                insight.reason = printable(insight.reason);
                for (Advice& advice : insight.advice)
                    advice.effect = printable(advice.effect);
                insights.push_back(std::move(insight));
            }
    rank(insights, facts.info().fits);
    return insights;
}

std::vector<Insight> findInsights(const ProfileView& profile, const std::stop_token& stop) {
    return insightsOf(Facts(profile, stop));
}

std::vector<Insight> findInsights(const Profile& profile) {
    return findInsights(*ProfileView::of(profile));
}

} // namespace tilescope
