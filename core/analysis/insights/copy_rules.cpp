#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/insights/rules.h"
#include "core/analysis/strided_copies.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

// Operations with a card of their own, and copies that a card spells out.
constexpr std::size_t shownOperations = 5;
constexpr std::size_t shownCopies = 3;
// Shares of an operation's cycles from which its copies are worth a card and a warning.
constexpr double noteShare = 0.1;
constexpr double warningShare = 0.5;

std::string operationName(const InsightParts& p, OperationId id) {
    return id.valid() && id.index() < p.operations.size() ? p.operations[id].name : "no operation";
}

/// Who laid the operand out: the operation that its variable belongs to, if another.
std::string producerOf(const InsightParts& p, const Copy& copy) {
    const Variable& variable = p.variables[copy.variable];
    const OperationId user = p.computeSets[copy.computeSet].operation;
    if (!variable.operation.valid() || variable.operation == user)
        return fmt::format("'{}'", variable.name);
    return fmt::format("'{}' (laid out by '{}')", variable.name,
                       operationName(p, variable.operation));
}

std::string adviceFor(const InsightParts& p, const Copy& copy) {
    const std::string operation = operationName(p, p.computeSets[copy.computeSet].operation);
    const std::string operand = producerOf(p, copy);
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
        return fmt::format("'{}' reads channels in the groups of its plan. Let {} be made in that "
                           "order: move transposes and reshapes of channels (channel shuffles) "
                           "away from it, or choose channels so that what a shuffle keeps together "
                           "is a multiple of the group.",
                           operation, operand);
    case CopyCause::Consumer:
        return fmt::format("'{}' reads another order than {} has. Move the transpose or reshape "
                           "between them behind '{}', where less data is left.",
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

void addCopyEvidence(const InsightParts& p, const Copy& copy, OperationId operation,
                     std::vector<Evidence>& evidence) {
    const ComputeSet& set = p.computeSets[copy.computeSet];
    evidence.push_back(cyclesOf(set.name, set.cycles.max().value, operation));
    std::string operand = p.variables[copy.variable].name;
    if (!copy.shape.empty())
        operand += " " + copy.shape;
    evidence.push_back(textOf("copies", operand));
    evidence.push_back(textOf("order it has", copy.sourceOrder));
    evidence.push_back(textOf("order it needs", copy.wantedOrder));
    evidence.push_back(textOf("contiguous run",
                              fmt::format("{} {}, {} B", copy.runElements,
                                          copy.runElements == 1 ? "element" : "elements",
                                          copy.runBytes)));
    if (!set.vertices.empty())
        evidence.push_back(textOf("vertex", p.vertexTypes[set.vertices.front().type].name));
}

/// The step at which a program runs; none if it is in no control program or function.
StepId stepOf(const InsightParts& p, ProgramId program) {
    const auto at = std::find(p.steps.begin(), p.steps.end(), program);
    return at == p.steps.end() ? StepId() : StepId(static_cast<std::size_t>(at - p.steps.begin()));
}

Insight insightOf(const InsightParts& p, const StridedOperation& found) {
    const Copy& largest = p.copies[found.copies.front()];
    Insight insight;
    insight.kind = InsightKind::StridedCopies;
    insight.level = found.share() >= warningShare ? InsightLevel::Warning : InsightLevel::Note;
    insight.title = fmt::format("'{}' spends {} of its cycles on strided copies",
                                operationName(p, found.operation), formatPercent(found.share(), 1));
    insight.advice = adviceFor(p, largest);
    insight.evidence = {
        cyclesOf("strided copies", found.copyCycles, found.operation),
        cyclesOf("exchanges before them", found.exchangeCycles, found.operation),
        cyclesOf("all steps of the operation", found.allCycles, found.operation),
        shareOf("share of the copies", found.share()),
        cyclesOf("estimated gain, at most", found.gainCycles, found.operation)};
    for (std::size_t i = 0; i < std::min(shownCopies, found.copies.size()); ++i)
        addCopyEvidence(p, p.copies[found.copies[i]], found.operation, insight.evidence);
    if (found.copies.size() > shownCopies)
        insight.evidence.push_back(
            countOf("further copies", static_cast<std::int64_t>(found.copies.size() - shownCopies)));
    insight.link = {"liveness", {}, stepOf(p, largest.program), found.operation, largest.variable};
    return insight;
}

} // namespace

void addCopyInsights(const InsightParts& p, std::vector<Insight>& insights) {
    std::size_t shown = 0;
    for (const StridedOperation& found : stridedOperations(p.copies, p.computeSets, p.exchanges)) {
        if (shown == shownOperations)
            break;
        if (found.share() < noteShare)
            continue;
        insights.push_back(insightOf(p, found));
        ++shown;
    }
}

} // namespace tilescope
