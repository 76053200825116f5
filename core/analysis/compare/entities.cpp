#include "core/analysis/compare/entities.h"

#include <fmt/format.h>

#include "core/analysis/compare/table_builder.h"
#include "core/analysis/memory/tables.h"
#include "core/analysis/operations/operations.h"

namespace tilescope {
namespace {

std::string typeText(const Variable& variable) {
    return variable.type.empty() ? variable.shape
                                 : fmt::format("{} {}", variable.type, variable.shape);
}

/// "half [1,64,56,56], always live".
std::string describe(const Variable& variable) {
    const std::string type = typeText(variable);
    const char* live = variable.alwaysLive ? "always live" : "not always live";
    return type.empty() ? live : fmt::format("{}, {}", type, live);
}

std::vector<TableItem> variableItems(const ProfileParts& parts) {
    std::vector<TableItem> items;
    for (std::size_t i = 0; i < parts.variables->size(); ++i) {
        const Variable& v = (*parts.variables)[VariableId(i)];
        items.push_back({v.name,
                         std::string(displayName(v.category)),
                         describe(v),
                         static_cast<std::int32_t>(i),
                         {v.bytes.sum(), v.bytes.max().value, v.bytes.tilesUsed()}});
    }
    return items;
}

std::vector<TableItem> computeSetItems(const ProfileParts& parts) {
    std::vector<TableItem> items;
    for (const ComputeSetRow& row :
         computeSetTable(parts.info.target, *parts.computeSets, TileSelection::all()))
        items.push_back({row.name,
                         "",
                         "",
                         row.computeSet.value(),
                         {row.cycles, row.vertices, row.stateBytes, row.tiles}});
    return items;
}

std::vector<TableItem> exchangeItems(const ProfileParts& parts) {
    std::vector<TableItem> items;
    for (const ExchangeRow& row :
         exchangeTable(parts.info.target, *parts.exchanges, TileSelection::all()))
        items.push_back({row.name,
                         "",
                         "",
                         row.exchange.value(),
                         {row.codeBytes, row.bytesReceived, row.cycles}});
    return items;
}

std::vector<TableItem> vertexItems(const ProfileParts& parts) {
    std::vector<TableItem> items;
    for (const VertexRow& row : vertexTable(parts.info.target, *parts.vertexTypes,
                                            *parts.computeSets, TileSelection::all()))
        items.push_back(
            {row.name,
             "",
             "",
             row.type.value(),
             {row.codeBytes + row.stateBytes, row.codeBytes, row.stateBytes, row.count}});
    return items;
}

std::vector<TableItem> programItems(const ProfileParts& parts, CycleBasis basis) {
    const std::vector<std::int64_t> counts =
        executionCounts(*parts.programs, *parts.controlPrograms);
    const ProgramCycles cycles = programCyclesOf(parts, basis);
    std::vector<TableItem> items;
    for (std::size_t i = 0; i < parts.programs->size(); ++i) {
        const Program& p = (*parts.programs)[ProgramId(i)];
        items.push_back({p.name,
                         std::string(toString(p.kind)),
                         p.kind == ProgramKind::Repeat ? fmt::format("{} times", p.count) : "",
                         static_cast<std::int32_t>(i),
                         {cycles.byProgram[i], counts[i], p.controlCode.sum()}});
    }
    return items;
}

std::vector<OperationRow> operationRows(const ProfileParts& parts) {
    return operationTable({*parts.operations, *parts.variables, *parts.computeSets,
                           *parts.exchanges, *parts.programs, *parts.copies});
}

std::vector<std::int64_t> cyclesByOperation(const ProfileParts& parts, CycleBasis basis) {
    std::vector<std::int64_t> cycles(parts.operations->size(), 0);
    for (const auto& [piece, spent] : cyclePieces(parts, basis))
        if (piece.first.valid())
            cycles[piece.first.index()] += spent;
    return cycles;
}

std::vector<std::optional<std::int64_t>> operationValues(const OperationRow& row,
                                                         std::int64_t cycles) {
    return {cycles,
            row.variableBytes,
            row.exchangeCodeBytes,
            row.controlCodeBytes,
            row.vertexStateBytes,
            row.steps};
}

} // namespace

ComparedTable compareOperations(const ProfileParts& source, const ProfileParts& target,
                                const MatchedOperations& operations, CycleBasis basis) {
    ComparedTable table{"operations",
                        "Operations",
                        {{"cycles", "Cycles", Unit::Cycles},
                         {"variableBytes", "Variables", Unit::Bytes},
                         {"exchangeCodeBytes", "Exchange code", Unit::Bytes},
                         {"controlCodeBytes", "Control code", Unit::Bytes},
                         {"stateBytes", "Vertex state", Unit::Bytes},
                         {"steps", "Steps", Unit::Count, MetricBetter::Neither}},
                        {}};
    const std::vector<OperationRow> before = operationRows(source);
    const std::vector<OperationRow> after = operationRows(target);
    const std::vector<std::int64_t> cyclesBefore = cyclesByOperation(source, basis);
    const std::vector<std::int64_t> cyclesAfter = cyclesByOperation(target, basis);
    for (const Match& match : operations.matches()) {
        const auto a = static_cast<std::size_t>(match.source);
        const auto b = static_cast<std::size_t>(match.target);
        const OperationRow& known = match.source >= 0 ? before[a] : after[b];
        ComparedRow row;
        row.source = match.source;
        row.target = match.target;
        row.name = known.name;
        row.kind = known.type;
        row.before.resize(table.columns.size());
        row.after.resize(table.columns.size());
        if (match.source >= 0)
            row.before = operationValues(before[a], cyclesBefore[a]);
        if (match.target >= 0)
            row.after = operationValues(after[b], cyclesAfter[b]);
        if (match.renamed)
            row.targetName = after[b].name;
        if (match.both())
            row.detail = planText(planDifferences((*source.operations)[OperationId(a)].plan,
                                                  (*target.operations)[OperationId(b)].plan));
        table.rows.push_back(std::move(row));
    }
    sortByChange(table);
    return table;
}

ComparedTable compareVariables(const ProfileParts& source, const ProfileParts& target,
                               const Matching& variables) {
    return makeComparedTable("variables", "Variables",
                             {{"bytes", "Bytes", Unit::Bytes},
                              {"maxTileBytes", "Largest tile", Unit::Bytes},
                              {"tiles", "Tiles", Unit::Count, MetricBetter::Neither}},
                             variables, variableItems(source), variableItems(target));
}

ComparedTable compareComputeSets(const ProfileParts& source, const ProfileParts& target,
                                 const Matching& computeSets) {
    return makeComparedTable("computeSets", "Compute sets",
                             {{"cycles", "Cycles", Unit::Cycles},
                              {"vertices", "Vertices", Unit::Count, MetricBetter::Neither},
                              {"stateBytes", "State", Unit::Bytes},
                              {"tiles", "Tiles", Unit::Count, MetricBetter::Neither}},
                             computeSets, computeSetItems(source), computeSetItems(target));
}

ComparedTable compareExchanges(const ProfileParts& source, const ProfileParts& target,
                               const Matching& exchanges) {
    return makeComparedTable("exchanges", "Exchanges",
                             {{"codeBytes", "Code", Unit::Bytes},
                              {"bytesReceived", "Received", Unit::Bytes},
                              {"cycles", "Cycles", Unit::Cycles}},
                             exchanges, exchangeItems(source), exchangeItems(target));
}

ComparedTable compareVertices(const ProfileParts& source, const ProfileParts& target,
                              const Matching& vertexTypes) {
    return makeComparedTable("vertices", "Vertices",
                             {{"bytes", "Code and state", Unit::Bytes},
                              {"codeBytes", "Code", Unit::Bytes},
                              {"stateBytes", "State", Unit::Bytes},
                              {"count", "Instances", Unit::Count, MetricBetter::Neither}},
                             vertexTypes, vertexItems(source), vertexItems(target));
}

ComparedTable comparePrograms(const ProfileParts& source, const ProfileParts& target,
                              const Matching& programs, CycleBasis basis) {
    return makeComparedTable("programs", "Programs",
                             {{"cycles", "Cycles", Unit::Cycles},
                              {"executions", "Executions", Unit::Count, MetricBetter::Neither},
                              {"controlCodeBytes", "Control code", Unit::Bytes}},
                             programs, programItems(source, basis), programItems(target, basis));
}

} // namespace tilescope
