// Operands that are put in order, and exchanges of short runs.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "core/analysis/accounting/strided_copies.h"
#include "core/analysis/insights/advise.h"
#include "core/analysis/insights/rules.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

// Operations with a card of their own, and copies that a card spells out.
constexpr std::size_t shownOperations = 5;
constexpr std::size_t shownCopies = 3;
// Share of an operation's cycles from which its copies are worth a card.
constexpr double noteShare = 0.1;
// Share of the run from which they have a card of their own.
constexpr double worthACard = 0.01;

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
    evidence.push_back(cyclesOf(set.name, set.cycles.max().value, operation));
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

Steps stepsOf(const Facts& p, std::span<const StridedOperation> operations) {
    Steps steps;
    for (const StridedOperation& each : operations)
        for (const CopyId id : each.copies)
            steps.push_back(p.copies()[id].program);
    return steps;
}

InsightCost costOf(const Facts& p, const Steps& steps) {
    const std::int64_t cycles = p.cyclesOf(steps);
    return p.run() ? costOf(cycles, *p.run()) : InsightCost{cycles, 0, 0};
}

Insight insightOf(const Facts& p, const StridedOperation& found) {
    const Copy& largest = p.copies()[found.copies.front()];
    Insight insight;
    insight.cost = costOf(p, stepsOf(p, std::span(&found, 1)));
    insight.level = levelOf(insight.cost.share);
    insight.title = fmt::format("'{}' spends {} of its cycles on {}", p.nameOf(found.operation),
                                formatPercent(found.share(), 1), whatTheyAre(found));
    insight.advice = {{Advice::model, Advice::Direction::Change, {}, {}, adviceFor(p, largest)}};
    insight.evidence = {cyclesOf(whatTheyAre(found), found.copyCycles, found.operation),
                        cyclesOf("exchanges before them", found.exchangeCycles, found.operation),
                        cyclesOf("all steps of the operation", found.allCycles, found.operation),
                        shareOf("share of the copies", found.share()),
                        cyclesOf("estimated gain, at most", found.gainCycles, found.operation)};
    for (std::size_t i = 0; i < std::min(shownCopies, found.copies.size()); ++i)
        addCopyEvidence(p, p.copies()[found.copies[i]], found.operation, insight.evidence);
    if (found.copies.size() > shownCopies)
        insight.evidence.push_back(countOf(
            "further copies", static_cast<std::int64_t>(found.copies.size() - shownCopies)));
    // Where it ran the copy is a box of its own; else its step at least has a place.
    insight.link.report = p.info().hasExecution ? "trace" : "liveness";
    if (p.info().hasExecution)
        insight.link.also = {"liveness"};
    insight.link.program = largest.program;
    insight.link.step = stepOf(p, largest.program);
    insight.link.operation = found.operation;
    insight.link.variable = largest.variable;
    return insight;
}

/// One card for all that have none of their own.
Insight otherOperations(const Facts& p, std::span<const StridedOperation> rest,
                        const char* further) {
    std::int64_t cycles = 0;
    std::int64_t gain = 0;
    for (const StridedOperation& found : rest) {
        cycles += found.copyCycles;
        gain += found.gainCycles;
    }
    Insight insight;
    insight.cost = costOf(p, stepsOf(p, rest));
    insight.title = fmt::format("{} {}{} operands in order", rest.size(), further,
                                rest.size() == 1 ? "operation puts" : "operations put");
    insight.evidence = {cyclesOf("their copies", cycles),
                        cyclesOf("estimated gain, at most", gain)};
    for (const StridedOperation& found : rest.first(std::min(shownRows, rest.size())))
        insight.evidence.push_back(cyclesOf(fmt::format("'{}'", p.nameOf(found.operation)),
                                            found.copyCycles, found.operation));
    insight.link.report = "operations";
    insight.link.operation = rest.front().operation;
    return insight;
}

std::vector<Insight> findStridedCopies(const Facts& p) {
    std::vector<StridedOperation> operations =
        stridedOperations(p.copies(), p.computeSets(), p.exchanges());
    std::erase_if(operations, [](const StridedOperation& o) { return o.share() < noteShare; });
    const auto cycles = [&](const StridedOperation& o) {
        return p.cyclesOf(stepsOf(p, std::span(&o, 1)));
    };
    std::stable_sort(operations.begin(), operations.end(),
                     [&](const StridedOperation& a, const StridedOperation& b) {
                         return cycles(a) > cycles(b);
                     });
    std::size_t shown = 0;
    while (shown < std::min(shownOperations, operations.size()) &&
           (!p.run() || p.run()->share(cycles(operations[shown])) >= worthACard))
        ++shown;
    std::vector<Insight> insights;
    for (std::size_t i = 0; i < shown; ++i)
        insights.push_back(insightOf(p, operations[i]));
    if (shown < operations.size())
        insights.push_back(
            otherOperations(p, std::span(operations).subspan(shown), shown > 0 ? "further " : ""));
    return insights;
}

/// Steps that exchange short runs, most cycles first. Those before a strided copy are told with it.
Steps shortRuns(const Facts& p) {
    std::vector<bool> told(p.exchanges().size(), false);
    for (const Copy& copy : p.copies())
        if (copy.strided && copy.exchange.valid())
            told.at(copy.exchange.index()) = true;
    Steps found;
    for (std::size_t i = 0; i < p.programs().size(); ++i) {
        const ExchangeId id = p.programs()[ProgramId(i)].exchange;
        if (!id.valid() || told.at(id.index()))
            continue;
        const Exchange& e = p.exchanges()[id];
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
    insight.link.exchange = p.programs()[found.front()].exchange;
    insight.link.operation = p.exchanges()[insight.link.exchange].operation;
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
