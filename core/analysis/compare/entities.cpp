#include "core/analysis/compare/entities.h"

#include <fmt/format.h>

#include "core/analysis/compare/names.h"
#include "core/analysis/compare/table_builder.h"
#include "core/analysis/memory/tables.h"
#include "core/analysis/operations/operations.h"

namespace tilescope {
namespace {

using Unit = MetricUnit;

std::vector<MatchKey> operationKeys(const IdVector<OperationId, Operation>& operations) {
    std::vector<MatchKey> keys;
    for (const Operation& operation : operations)
        keys.push_back(
            {operation.name,
             {fmt::format("{} {}", operation.type, operation.outputShape), operation.type}});
    return keys;
}

/// The key of an item that belongs to an operation: in a source by the name that it would have in
/// the target, and for either by what it is of its operation. What belongs to no operation is
/// known by its name alone.
MatchKey keyOf(const MatchedOperations& operations, bool ofSource, const std::string& name,
               OperationId operation, const std::string& what) {
    const std::int32_t place =
        ofSource ? operations.placeInSource(operation) : operations.placeInTarget(operation);
    MatchKey key{ofSource ? operations.targetName(name, operation) : name, {}};
    if (place >= 0)
        key.signatures.push_back(fmt::format("{} {}", place, what));
    return key;
}

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

std::vector<TableItem> variableItems(const ProfileParts& parts, const MatchedOperations& operations,
                                     bool ofSource) {
    std::vector<TableItem> items;
    for (std::size_t i = 0; i < parts.variables->size(); ++i) {
        const Variable& v = (*parts.variables)[VariableId(i)];
        const std::string category(displayName(v.category));
        items.push_back(
            {keyOf(operations, ofSource, v.name, v.operation, category + " " + typeText(v)),
             v.name,
             category,
             describe(v),
             static_cast<std::int32_t>(i),
             {v.bytes.sum(), v.bytes.max().value, v.bytes.tilesUsed()}});
    }
    return items;
}

std::vector<TableItem> computeSetItems(const ProfileParts& parts,
                                       const MatchedOperations& operations, bool ofSource) {
    std::vector<TableItem> items;
    for (const ComputeSetRow& row :
         computeSetTable(parts.info.target, *parts.computeSets, TileSelection::all()))
        items.push_back({keyOf(operations, ofSource, row.name, row.operation, ""),
                         row.name,
                         "",
                         "",
                         row.computeSet.value(),
                         {row.cycles, row.vertices, row.stateBytes, row.tiles}});
    return items;
}

std::vector<TableItem> exchangeItems(const ProfileParts& parts, const MatchedOperations& operations,
                                     bool ofSource) {
    std::vector<TableItem> items;
    for (const ExchangeRow& row :
         exchangeTable(parts.info.target, *parts.exchanges, TileSelection::all()))
        items.push_back({keyOf(operations, ofSource, row.name, row.operation, ""),
                         row.name,
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
            {{row.name, {}},
             row.name,
             "",
             "",
             row.type.value(),
             {row.codeBytes + row.stateBytes, row.codeBytes, row.stateBytes, row.count}});
    return items;
}

std::vector<TableItem> programItems(const ProfileParts& parts, const MatchedOperations& operations,
                                    CycleBasis basis, bool ofSource) {
    const std::vector<std::int64_t> counts =
        executionCounts(*parts.programs, *parts.controlPrograms);
    const ProgramCycles cycles = programCyclesOf(parts, basis);
    std::vector<TableItem> items;
    for (std::size_t i = 0; i < parts.programs->size(); ++i) {
        const Program& p = (*parts.programs)[ProgramId(i)];
        const std::string kind(toString(p.kind));
        MatchKey key = keyOf(operations, ofSource, p.name, p.operation, kind);
        // Programs of one name differ in kind: the steps of a stream copy.
        key.name = kind + " " + key.name;
        items.push_back({std::move(key),
                         p.name,
                         kind,
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

MatchedOperations::MatchedOperations(const ProfileParts& source, const ProfileParts& target)
    : source_(*source.operations)
    , target_(*target.operations)
    , matches_(matchItems(operationKeys(source_), operationKeys(target_)))
    , sourcePlaces_(source_.size(), -1)
    , targetPlaces_(target_.size(), -1) {
    for (std::size_t i = 0; i < matches_.size(); ++i) {
        const Match& match = matches_[i];
        if (match.source >= 0)
            sourcePlaces_[static_cast<std::size_t>(match.source)] = static_cast<std::int32_t>(i);
        if (match.target >= 0)
            targetPlaces_[static_cast<std::size_t>(match.target)] = static_cast<std::int32_t>(i);
    }
}

std::string MatchedOperations::targetName(const std::string& name, OperationId operation) const {
    const std::int32_t at = placeInSource(operation);
    if (at < 0 || !matches_[static_cast<std::size_t>(at)].renamed)
        return name;
    const Match& match = matches_[static_cast<std::size_t>(at)];
    return renamedWithin(name, source_[OperationId(match.source)].name,
                         target_[OperationId(match.target)].name);
}

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
                               const MatchedOperations& operations) {
    return makeComparedTable(
        "variables", "Variables",
        {{"bytes", "Bytes", Unit::Bytes},
         {"maxTileBytes", "Largest tile", Unit::Bytes, MetricBetter::Less, true},
         {"tiles", "Tiles", Unit::Count, MetricBetter::Neither}},
        variableItems(source, operations, true), variableItems(target, operations, false));
}

ComparedTable compareComputeSets(const ProfileParts& source, const ProfileParts& target,
                                 const MatchedOperations& operations) {
    return makeComparedTable("computeSets", "Compute sets",
                             {{"cycles", "Cycles", Unit::Cycles},
                              {"vertices", "Vertices", Unit::Count, MetricBetter::Neither},
                              {"stateBytes", "State", Unit::Bytes},
                              {"tiles", "Tiles", Unit::Count, MetricBetter::Neither}},
                             computeSetItems(source, operations, true),
                             computeSetItems(target, operations, false));
}

ComparedTable compareExchanges(const ProfileParts& source, const ProfileParts& target,
                               const MatchedOperations& operations) {
    return makeComparedTable("exchanges", "Exchanges",
                             {{"codeBytes", "Code", Unit::Bytes},
                              {"bytesReceived", "Received", Unit::Bytes},
                              {"cycles", "Cycles", Unit::Cycles}},
                             exchangeItems(source, operations, true),
                             exchangeItems(target, operations, false));
}

ComparedTable compareVertices(const ProfileParts& source, const ProfileParts& target) {
    return makeComparedTable("vertices", "Vertices",
                             {{"bytes", "Code and state", Unit::Bytes},
                              {"codeBytes", "Code", Unit::Bytes},
                              {"stateBytes", "State", Unit::Bytes},
                              {"count", "Instances", Unit::Count, MetricBetter::Neither}},
                             vertexItems(source), vertexItems(target));
}

ComparedTable comparePrograms(const ProfileParts& source, const ProfileParts& target,
                              const MatchedOperations& operations, CycleBasis basis) {
    return makeComparedTable("programs", "Programs",
                             {{"cycles", "Cycles", Unit::Cycles},
                              {"executions", "Executions", Unit::Count, MetricBetter::Neither},
                              {"controlCodeBytes", "Control code", Unit::Bytes}},
                             programItems(source, operations, basis, true),
                             programItems(target, operations, basis, false));
}

} // namespace tilescope
