// The planner's choice and its alternatives.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands/op_tools.h"
#include "core/base/units.h"

namespace tilescope::cli {
namespace {

/// "AMP 16x8 units 8": the vertex by its grains and units.
std::string vertexText(const sim::ConvPlan& plan) {
    std::string text = fmt::format("{} {}x{}x{}", sim::toString(plan.method), plan.grains.groups,
                                   plan.grains.inChans, plan.grains.outChans);
    if (plan.convUnits > 0)
        text += fmt::format("/{}", plan.convUnits);
    return text;
}

/// "swap", "expand 0,1", "combine 16": how the problem was rewritten.
std::string transformText(const sim::ConvPlan& plan) {
    const sim::ConvTransform& transform = plan.transform;
    std::vector<std::string> parts;
    if (plan.joint)
        parts.emplace_back("joint");
    if (plan.parallel)
        parts.push_back(fmt::format("parallel from tile {}", plan.firstTile));
    if (transform.swapOperands)
        parts.emplace_back("swap");
    if (!transform.expandedDims.empty())
        parts.push_back(fmt::format("expand {}", fmt::join(transform.expandedDims, ",")));
    if (transform.combinedGroups > 1)
        parts.push_back(fmt::format("combine {}", transform.combinedGroups));
    return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, " "));
}

/// "g1 b4 f7x2 o4 i1 k1x1", and the numbers of serial slices if any.
std::string partitionText(const sim::ConvSplits& s) {
    std::string text =
        fmt::format("g{} b{} f{} o{} i{} k{}", s.groups, s.batch, fmt::join(s.field, "x"),
                    s.outChans, s.inChans, fmt::join(s.kernel, "x"));
    if (s.outChansSerial > 1)
        text += fmt::format(" serial o{}", s.outChansSerial);
    if (s.inChansSerial > 1)
        text += fmt::format(" serial i{}", s.inChansSerial);
    return text;
}

} // namespace

std::vector<Table> planTables(const std::vector<sim::ExplainedOperation>& operations) {
    std::vector<Table> tables;
    for (const sim::ExplainedOperation& operation : operations) {
        Table table{"plans",
                    fmt::format("Plans of {} (available memory proportion {})", operation.name,
                                operation.availableMemoryProportion),
                    {{"chosen", ""},
                     {"vertex", "Vertex"},
                     {"transform", "Transform"},
                     {"partition", "Partition"},
                     {"tiles", "Tiles", Unit::Cycles},
                     {"cycles", "Cycles", Unit::Cycles},
                     {"exchange", "Exchange", Unit::Cycles},
                     {"rearrange", "Transform copy", Unit::Cycles},
                     {"compute", "Compute", Unit::Cycles},
                     {"reduce", "Reduce", Unit::Cycles},
                     {"serial", "Serial", Unit::Cycles},
                     {"tempBytes", "Temporary", Unit::Bytes}}};
        for (const sim::ExplainedPlan& explained : operation.plans) {
            const sim::ConvPlan& plan = explained.plan;
            const sim::ConvCost& cost = plan.cost;
            table.add({std::string(explained.chosen ? "*" : ""), vertexText(plan),
                       transformText(plan), partitionText(plan.splits), plan.splits.tiles(),
                       cost.cycles(), cost.exchange, cost.rearrange, cost.compute, cost.reduce,
                       cost.serial, cost.tempBytes});
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

} // namespace tilescope::cli
