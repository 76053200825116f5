// Operands that are reordered, and exchanges of short runs.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <span>

#include "core/analysis/accounting/strided_copies.h"
#include "core/analysis/insights/advise.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

// Operations with a card of their own, and copies that a card lists.
constexpr std::size_t shownOperations = 5;
constexpr std::size_t shownCopies = 3;
// Share of an operation's cycles from which its copies are reported.
constexpr double noteShare = 0.1;
// Share of the run from which they have a card of their own.
constexpr double worthACard = 0.01;
// Share of the run from which exchanges of short runs are reported.
constexpr double worthAWord = 0.001;

/// The operation that the operand's variable belongs to; none if that is its reader, which laid out
/// an input of the model.
OperationId producerOf(const Facts& p, const Copy& copy) {
    const OperationId producer = p.variables()[copy.variable].operation;
    return producer == p.computeSets()[copy.computeSet].operation ? OperationId() : producer;
}

/// The operand and who laid it out.
std::string operandName(const Facts& p, const Copy& copy) {
    const std::string& name = p.variables()[copy.variable].name;
    const OperationId producer = producerOf(p, copy);
    return producer.valid() ? fmt::format("'{}' (laid out by '{}')", name, p.nameOf(producer))
                            : fmt::format("'{}'", name);
}

std::string adviceForPlan(const Facts& p, const Copy& copy, const std::string& operation) {
    if (!producerOf(p, copy).valid())
        return fmt::format("'{}' reads channels in the groups of its plan, and {} comes from "
                           "outside. Send it in that order (channels last, padded to whole "
                           "groups).",
                           operation, operandName(p, copy));
    return fmt::format("'{}' reads channels in the groups of its plan. Let {} be made in that "
                       "order: move transposes and reshapes of channels (channel shuffles) away "
                       "from it, or choose channels so that what a shuffle or a group of a "
                       "convolution keeps together is a multiple of the plan's group.",
                       operation, operandName(p, copy));
}

std::string adviceFor(const Facts& p, const Copy& copy) {
    const std::string operation = p.nameOf(p.computeSets()[copy.computeSet].operation);
    const std::string operand = operandName(p, copy);
    switch (copy.cause) {
    case CopyCause::FirstOperand:
        return fmt::format("Swap the operands of '{}': the result takes the layout of the first, "
                           "and the first is an input that had none. With {} first, the input is "
                           "laid out like it and nothing is copied.",
                           operation, operand);
    case CopyCause::OtherOperand:
        return fmt::format("The result takes the layout of the first operand of '{}'. Let {} be "
                           "made in the same order, for instance by leaving out or moving the "
                           "transpose or reshape between them; swapping the operands only moves "
                           "the copy to the other one.",
                           operation, operand);
    case CopyCause::Plan:
        return adviceForPlan(p, copy, operation);
    case CopyCause::Consumer:
        return fmt::format(
            "'{}' reads another order than {} has. Let it be made in that order, or, "
            "where a transpose or reshape lies between them, move that after '{}', "
            "where less data is left.",
            operation, operand, operation);
    case CopyCause::Reshape:
        return fmt::format("The new shape of {} cuts across the dimensions it is stored in, so it "
                           "is copied to a linear layout. Reshape along whole dimensions, or "
                           "before the tensor is laid out in channel groups.",
                           operand);
    case CopyCause::Part:
        break;
    }
    return fmt::format("'{}' puts {} into a tensor of another order. Concatenate, slice or pad "
                       "along a dimension that is not in channel groups, or before the transpose.",
                       operation, operand);
}

void addCopyEvidence(const Facts& p, const Copy& copy, OperationId operation,
                     std::vector<Evidence>& evidence) {
    const ComputeSet& set = p.computeSets()[copy.computeSet];
    evidence.push_back(cyclesOf(set.name, p.cyclesOf({copy.program}), operation));
    std::string operand = p.variables()[copy.variable].name;
    if (!copy.shape.empty())
        operand += " " + copy.shape;
    evidence.push_back(textOf("copies", operand));
    evidence.push_back(textOf("order it has", copy.sourceOrder));
    evidence.push_back(textOf("order it needs", copy.wantedOrder));
    evidence.push_back(
        textOf("contiguous run",
               fmt::format("{} {}, {} B", copy.runElements,
                           copy.runElements == 1 ? "element" : "elements", copy.runBytes)));
    if (!set.vertices.empty() && set.vertices.front().type.index() < p.vertexTypes().size())
        evidence.push_back(textOf("vertex", p.vertexTypes()[set.vertices.front().type].name));
}

std::string whatTheyAre(const StridedOperation& found) {
    if (found.transposed == 0)
        return "strided copies";
    return found.transposed == found.copies.size() ? "transposes of blocks"
                                                   : "strided copies and transposes of blocks";
}

/// The step at which a program runs; none if it is in no control program or function.
StepId stepOf(const Facts& p, ProgramId program) {
    const auto at = std::find(p.steps().begin(), p.steps().end(), program);
    return at == p.steps().end() ? StepId()
                                 : StepId(static_cast<std::size_t>(at - p.steps().begin()));
}

/// Steps of the program by what they run.
struct StepLists {
    std::map<OperationId, Steps> ofOperation; ///< compute sets and exchanges
    std::map<ExchangeId, Steps> ofExchange;
};

StepLists stepLists(const Facts& p) {
    StepLists lists;
    for (std::size_t i = 0; i < p.programs().size(); ++i) {
        const Program& program = p.programs()[ProgramId(i)];
        if (program.computeSet.valid() && program.computeSet.index() < p.computeSets().size())
            lists.ofOperation[p.computeSets()[program.computeSet].operation].emplace_back(i);
        if (program.exchange.valid() && program.exchange.index() < p.exchanges().size()) {
            lists.ofOperation[p.exchanges()[program.exchange].operation].emplace_back(i);
            lists.ofExchange[program.exchange].emplace_back(i);
        }
    }
    return lists;
}

/// An operation's copies and their cost in the run: a step may run several times, also within one
/// execution of the operation.
struct CostlyCopies {
    StridedOperation found;
    Steps steps; ///< of the copies, and of those of `alike`
    std::int64_t copies = 0;
    std::int64_t exchanges = 0;     ///< that bring what they copy
    std::int64_t all = 0;           ///< all steps of the operation
    std::int64_t gain = 0;          ///< copies, and exchanges that belong to them
    std::vector<OperationId> alike; ///< further operations with the same copies at the same cost
    [[nodiscard]] double share() const {
        return all > 0 ? static_cast<double>(copies) / static_cast<double>(all) : 0;
    }
};

/// Each step once: a compute set may make several copies.
std::int64_t cyclesOfEach(const Facts& p, Steps& steps) {
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return p.cyclesOf(steps);
}

CostlyCopies costsOf(const Facts& p, const StepLists& lists, const StridedOperation& found) {
    CostlyCopies costs;
    costs.found = found;
    Steps exchanges;
    Steps spared;
    for (const CopyId id : found.copies) {
        const Copy& copy = p.copies()[id];
        costs.steps.push_back(copy.program);
        const auto before = lists.ofExchange.find(copy.exchange);
        if (before == lists.ofExchange.end())
            continue;
        exchanges.insert(exchanges.end(), before->second.begin(), before->second.end());
        if (copy.cause == CopyCause::FirstOperand)
            spared.insert(spared.end(), before->second.begin(), before->second.end());
    }
    costs.copies = cyclesOfEach(p, costs.steps);
    costs.exchanges = cyclesOfEach(p, exchanges);
    costs.gain = costs.copies + cyclesOfEach(p, spared);
    if (const auto all = lists.ofOperation.find(found.operation); all != lists.ofOperation.end())
        costs.all = p.cyclesOf(all->second);
    return costs;
}

/// Whether one card covers both: the same copies of repeated layers.
bool areAlike(const Facts& p, const CostlyCopies& a, const CostlyCopies& b) {
    const Copy& first = p.copies()[a.found.copies.front()];
    const Copy& second = p.copies()[b.found.copies.front()];
    const auto typeOf = [&](const CostlyCopies& each) {
        const OperationId id = each.found.operation;
        return id.valid() && id.index() < p.operations().size() ? p.operations()[id].type
                                                                : std::string();
    };
    return a.copies == b.copies && a.all == b.all && a.gain == b.gain &&
           a.found.copies.size() == b.found.copies.size() && first.cause == second.cause &&
           first.sourceOrder == second.sourceOrder && first.wantedOrder == second.wantedOrder &&
           first.shape == second.shape && typeOf(a) == typeOf(b);
}

/// Operations whose copies are worth reporting, most cycles first.
std::vector<CostlyCopies> costlyCopies(const Facts& p) {
    const std::vector<StridedOperation> strided =
        stridedOperations(p.copies(), p.computeSets(), p.exchanges());
    if (strided.empty())
        return {};
    const StepLists lists = stepLists(p);
    std::vector<CostlyCopies> all;
    for (const StridedOperation& found : strided)
        if (CostlyCopies costs = costsOf(p, lists, found); costs.share() >= noteShare)
            all.push_back(std::move(costs));
    std::stable_sort(all.begin(), all.end(), [](const CostlyCopies& a, const CostlyCopies& b) {
        return a.copies > b.copies;
    });
    std::vector<CostlyCopies> grouped;
    for (CostlyCopies& costs : all) {
        // Alike operations cost the same and so are neighbours, except for others of the same cost.
        const auto same = std::find_if(grouped.rbegin(), grouped.rend(), [&](const auto& each) {
            return each.copies != costs.copies || areAlike(p, each, costs);
        });
        if (same == grouped.rend() || same->copies != costs.copies) {
            grouped.push_back(std::move(costs));
            continue;
        }
        same->alike.push_back(costs.found.operation);
        same->steps.insert(same->steps.end(), costs.steps.begin(), costs.steps.end());
    }
    return grouped;
}

InsightCost costOf(const Facts& p, Steps steps) {
    const std::int64_t cycles = cyclesOfEach(p, steps);
    return p.run() ? costOf(cycles, *p.run()) : InsightCost{cycles, 0, 0};
}

std::string titleOf(const Facts& p, const CostlyCopies& costs) {
    const std::string name = fmt::format("'{}'", p.nameOf(costs.found.operation));
    const std::string share = formatPercent(costs.share(), 1);
    const std::string what = whatTheyAre(costs.found);
    if (costs.alike.empty())
        return fmt::format("{} spends {} of its cycles on {}", name, share, what);
    return fmt::format("{} and {} like it spend {} of their cycles on {}", name, costs.alike.size(),
                       share, what);
}

void addCosts(const Facts& p, const CostlyCopies& costs, std::vector<Evidence>& evidence) {
    const OperationId operation = costs.found.operation;
    evidence = {cyclesOf(whatTheyAre(costs.found), costs.copies, operation),
                cyclesOf("exchanges before them", costs.exchanges, operation),
                cyclesOf("all steps of the operation", costs.all, operation),
                shareOf("share of the copies", costs.share()),
                cyclesOf("estimated gain, at most", costs.gain, operation)};
    if (p.run())
        evidence.push_back(countOf("executions of the longest copy",
                                   p.executionsOf(p.copies()[costs.found.copies.front()].program)));
    for (std::size_t i = 0; i < std::min(shownRows, costs.alike.size()); ++i)
        evidence.push_back(textOf("as many cycles", p.nameOf(costs.alike[i])));
}

Insight insightOf(const Facts& p, const CostlyCopies& costs) {
    const StridedOperation& found = costs.found;
    const Copy& largest = p.copies()[found.copies.front()];
    Insight insight;
    insight.cost = costOf(p, costs.steps);
    insight.level = levelOf(insight.cost.share);
    insight.title = titleOf(p, costs);
    insight.advice = {{Advice::model, Advice::Direction::Change, {}, {}, adviceFor(p, largest)}};
    addCosts(p, costs, insight.evidence);
    for (std::size_t i = 0; i < std::min(shownCopies, found.copies.size()); ++i)
        addCopyEvidence(p, p.copies()[found.copies[i]], found.operation, insight.evidence);
    if (found.copies.size() > shownCopies)
        insight.evidence.push_back(countOf(
            "further copies", static_cast<std::int64_t>(found.copies.size() - shownCopies)));
    // If it ran, the copy has a box of its own; otherwise its step at least has a place.
    insight.link.report = p.info().hasExecution ? "trace" : "liveness";
    if (p.info().hasExecution)
        insight.link.also = {"liveness"};
    insight.link.things.program = largest.program;
    insight.link.things.step = stepOf(p, largest.program);
    insight.link.things.operation = found.operation;
    insight.link.things.variable = largest.variable;
    return insight;
}

/// One card for all operations without a card of their own.
Insight otherOperations(const Facts& p, std::span<const CostlyCopies> rest, const char* further) {
    Steps steps;
    std::size_t count = 0;
    for (const CostlyCopies& costs : rest) {
        count += 1 + costs.alike.size();
        steps.insert(steps.end(), costs.steps.begin(), costs.steps.end());
    }
    Insight insight;
    insight.cost = costOf(p, steps);
    insight.title = fmt::format("{} {}{} operands in order", count, further,
                                count == 1 ? "operation puts" : "operations put");
    insight.evidence = {cyclesOf("their copies", insight.cost.cycles)};
    for (const CostlyCopies& costs : rest.first(std::min(shownRows, rest.size()))) {
        std::string name = fmt::format("'{}'", p.nameOf(costs.found.operation));
        if (!costs.alike.empty())
            name += fmt::format(", as {} like it", costs.alike.size());
        insight.evidence.push_back(cyclesOf(std::move(name), costs.copies, costs.found.operation));
    }
    insight.link.report = "operations";
    insight.link.things.operation = rest.front().found.operation;
    return insight;
}

std::vector<Insight> findStridedCopies(const Facts& p) {
    const std::vector<CostlyCopies> operations = costlyCopies(p);
    std::size_t shown = 0;
    while (shown < std::min(shownOperations, operations.size()) &&
           (!p.run() || p.run()->share(operations[shown].copies) >= worthACard))
        ++shown;
    std::vector<Insight> insights;
    for (std::size_t i = 0; i < shown; ++i)
        insights.push_back(insightOf(p, operations[i]));
    if (shown < operations.size())
        insights.push_back(
            otherOperations(p, std::span(operations).subspan(shown), shown > 0 ? "further " : ""));
    return insights;
}

/// Steps that exchange short runs, most cycles first. Those before a strided copy are covered by
/// its card.
Steps shortRuns(const Facts& p) {
    const auto& programs = p.programs();
    const auto& exchanges = p.exchanges();
    std::vector<bool> told(exchanges.size(), false);
    for (const Copy& copy : p.copies())
        if (copy.strided && copy.exchange.valid())
            told.at(copy.exchange.index()) = true;
    Steps found;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const ExchangeId id = programs[ProgramId(i)].exchange;
        if (!id.valid() || told.at(id.index()))
            continue;
        const Exchange& e = exchanges[id];
        if (e.runBytes > 0 && e.runBytes < shortRunBytes && !e.bytesReceived.empty())
            found.emplace_back(i);
    }
    return longestFirst(p, std::move(found));
}

std::vector<Insight> findShortRuns(const Facts& p) {
    const Steps found = shortRuns(p);
    if (found.empty())
        return {};
    Insight insight;
    insight.cost = costOf(p, found);
    if (p.run() && insight.cost.share < worthAWord)
        return {};
    insight.level = levelOf(insight.cost.share);
    insight.title =
        fmt::format("{} {} data in runs under {} bytes", found.size(),
                    found.size() == 1 ? "exchange moves" : "exchanges move", shortRunBytes);
    insight.reason = "The producer's layout differs from what the consumer needs.";
    insight.advice =
        Adviser(p.info())
            .change("availableMemoryProportion", "may choose plans whose layouts agree")
            .advice();
    insight.link.report = "exchanges";
    insight.link.things.exchange = p.programs()[found.front()].exchange;
    insight.link.things.operation = p.exchanges()[insight.link.things.exchange].operation;
    insight.evidence.push_back(cyclesOf("their cycles", insight.cost.cycles));
    for (std::size_t i = 0; i < std::min(shownRows, found.size()); ++i) {
        const Exchange& e = p.exchanges()[p.programs()[found[i]].exchange];
        insight.evidence.push_back(cyclesOf(fmt::format("{} (runs of {} B)", e.name, e.runBytes),
                                            p.cyclesOf({found[i]}), e.operation));
    }
    return {insight};
}

} // namespace

std::vector<Rule> copyRules() {
    return {
        {InsightKind::Time, "stridedCopies", findStridedCopies},
        {InsightKind::Time, "shortRunCopies", findShortRuns},
    };
}

} // namespace tilescope
