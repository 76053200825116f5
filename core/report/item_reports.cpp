// Variables, vertices and exchanges on some tiles, and programs.
#include <cctype>
#include <unordered_map>

#include "core/analysis/memory/address_map.h"
#include "core/analysis/memory/tables.h"
#include "core/analysis/programs/programs.h"
#include "core/report/item_tables.h"
#include "core/report/report.h"

namespace tilescope {

void keepWanted(Table& table, const ReportRequest& request) {
    const std::size_t name = table.columnOf("name");
    std::erase_if(table.rows, [&](const Row& row) {
        return !request.wants(std::get<std::string>(row.cells[name]));
    });
}

Document variablesReport(const ProfileView& profile, const ReportRequest& request) {
    std::optional<Placement> placement;
    if (request.selection.tile().valid())
        placement = profile.reader().placement(request.selection.tile());
    const auto variables = profile.variables();
    Table table = variablesTable(profile.machine(), *variables, request.selection,
                                 placement ? &*placement : nullptr);
    keepWanted(table, request);
    Document document;
    if (placement) {
        const AddressSharing sharing =
            addressSharing(addressBlocks(*placement, *variables, request.selection.tile()));
        if (sharing.sharing > 0)
            document.fields = {
                {"variableBytes", "Variables", sharing.variableBytes, Unit::Bytes},
                {"addressBytes", "At addresses", sharing.addressBytes, Unit::Bytes},
                {"sharingVariables", "Share theirs at other times", sharing.sharing, Unit::Count}};
    }
    document.tables.push_back(std::move(table));
    return document;
}

Document verticesReport(const ProfileView& profile, const ReportRequest& request) {
    const Target& target = profile.machine();
    const auto& computeSets = *profile.computeSets();
    const auto& types = *profile.vertexTypes();
    Document document;
    document.tables = {
        verticesTable(target, types, computeSets, request.selection),
        computeSetsTable(target, computeSets, types, *profile.operations(), request.selection)};
    for (Table& table : document.tables)
        keepWanted(table, request);
    return document;
}

Document exchangesReport(const ProfileView& profile, const ReportRequest& request) {
    Table table = exchangesTable(profile.machine(), *profile.exchanges(), *profile.operations(),
                                 request.selection);
    keepWanted(table, request);
    return {{}, {std::move(table)}};
}

namespace {

Cell nameOf(OperationId id, const IdVector<OperationId, Operation>& operations) {
    return id.valid() && id.index() < operations.size() ? Cell(operations[id].name) : Cell();
}

std::string typesOf(const ComputeSet& set, const IdVector<VertexTypeId, VertexType>& types) {
    std::string text;
    for (const VertexInstances& group : set.vertices)
        if (group.type.valid() && group.type.index() < types.size())
            text += (text.empty() ? "" : ", ") + types[group.type].name;
    return text;
}

// "variables at the peak" as a key: "variablesAtThePeak".
std::string keyOfKind(PartKind kind) {
    std::string key;
    bool upper = false;
    for (const char letter : toString(kind)) {
        if (letter == ' ' || letter == '-') {
            upper = true;
            continue;
        }
        key += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
        upper = false;
    }
    return key;
}

} // namespace

Table variablesTable(const Target& target, const IdVector<VariableId, Variable>& variables,
                     const TileSelection& tiles, const Placement* placement) {
    Table table{"variables",
                "Variables, " + tiles.label(),
                {{"name", "Variable"},
                 in(Shown::Data, {"category", ""}),
                 in(Shown::Text, {"category", "Category"}),
                 {"live", "Live"},
                 {"type", "Type"},
                 {"shape", "Shape"},
                 {"bytes", "Bytes", Unit::Bytes, "On the selected tiles", true},
                 {"tiles", "Tiles", Unit::Count, "Selected tiles that hold a part"},
                 {"maxTileBytes", "Largest tile", Unit::Bytes, "Most on one tile"},
                 {"maxTile", "on tile", Unit::None, "First tile with the largest part"}}};
    table.idKey = "variable";
    std::unordered_map<VariableId, std::int64_t> offsets;
    if (placement != nullptr) {
        table.columns.push_back({"offset", "Offset", Unit::None, "Address of the part"});
        for (const PlacedVariable& placed : placement->variables)
            offsets[placed.variable] = placed.offset;
    }
    for (const VariableRow& row : variableTable(target, variables, tiles)) {
        std::vector<Cell>& cells =
            table
                .add({row.name, std::string(toString(row.category)),
                      std::string(displayName(row.category)),
                      std::string(row.alwaysLive ? "always" : "not always"), row.type, row.shape,
                      row.bytes, row.tiles, row.maxTileBytes, cellOf(row.maxTile)},
                     row.variable.value())
                .cells;
        if (placement == nullptr)
            continue;
        const auto offset = offsets.find(row.variable);
        cells.push_back(offset == offsets.end() ? Cell() : Cell(offset->second));
    }
    return table;
}

Table verticesTable(const Target& target, const IdVector<VertexTypeId, VertexType>& types,
                    const IdVector<ComputeSetId, ComputeSet>& computeSets,
                    const TileSelection& tiles) {
    Table table{"vertices",
                "Vertices, " + tiles.label(),
                {{"name", "Vertex"},
                 {"codeBytes", "Code", Unit::Bytes, "Stored once on each tile that runs it", true},
                 {"stateBytes", "State", Unit::Bytes, "Instance state and field data", true},
                 in(Shown::Window, {"bytes", "Code and state", Unit::Bytes, {}, true}),
                 {"count", "Instances", Unit::Count, {}, true},
                 {"computeSets", "Compute sets", Unit::Count}}};
    for (const VertexRow& row : vertexTable(target, types, computeSets, tiles))
        table.add({row.name, row.codeBytes, row.stateBytes, row.codeBytes + row.stateBytes,
                   row.count, static_cast<std::int64_t>(row.computeSets.size())},
                  row.type.value());
    return table;
}

Table computeSetsTable(const Target& target, const IdVector<ComputeSetId, ComputeSet>& computeSets,
                       const IdVector<VertexTypeId, VertexType>& types,
                       const IdVector<OperationId, Operation>& operations,
                       const TileSelection& tiles) {
    Table table{
        "computeSets",
        "Compute sets",
        {{"name", "Compute set"},
         {"operation", "Operation"},
         {"vertices", "Vertices", Unit::Count, {}, true},
         {"stateBytes", "State", Unit::Bytes, {}, true},
         {"tiles", "Tiles", Unit::Count, "Selected tiles that compute"},
         {"cycles", "Cycles", Unit::Cycles, "Slowest tile, one execution, estimated"},
         {"balance", "Balance", Unit::Share, "Active cycles of all tiles against the slowest"},
         in(Shown::Window,
            {"vertexTypes", "Vertex types", Unit::None, "Also searched by the filter"})}};
    table.idKey = "computeSet";
    for (const ComputeSetRow& row : computeSetTable(target, computeSets, tiles))
        table.add({row.name, nameOf(row.operation, operations), row.vertices, row.stateBytes,
                   row.tiles, row.cycles, row.balance, typesOf(computeSets[row.computeSet], types)},
                  row.computeSet.value());
    return table;
}

Table exchangesTable(const Target& target, const IdVector<ExchangeId, Exchange>& exchanges,
                     const IdVector<OperationId, Operation>& operations,
                     const TileSelection& tiles) {
    Table table{"exchanges",
                "Exchanges, " + tiles.label(),
                {{"name", "Exchange"},
                 {"operation", "Operation"},
                 {"bytesReceived", "Received", Unit::Bytes, {}, true},
                 {"bytesSent", "Sent", Unit::Bytes, "Counted at each receiver", true},
                 {"codeBytes", "Code", Unit::Bytes,
                  "Internal exchange code; equal exchanges have it once, at the first", true},
                 {"cycles", "Cycles", Unit::Cycles, "Slowest tile, one execution, estimated"},
                 {"runBytes", "Run", Unit::Bytes,
                  "Typical contiguous run at the source; short runs make a strided copy"}},
                {}};
    table.idKey = "exchange";
    for (const ExchangeRow& row : exchangeTable(target, exchanges, tiles))
        table.add({row.name, nameOf(row.operation, operations), row.bytesReceived, row.bytesSent,
                   row.codeBytes, row.cycles, row.runBytes},
                  row.exchange.value());
    return table;
}

Table sizesTable(std::string key, std::string title, const std::vector<SizedVariable>& variables) {
    Table table{std::move(key),
                std::move(title),
                {{"name", "Variable"},
                 in(Shown::Data, {"category", ""}),
                 in(Shown::Text, {"category", "Category"}),
                 {"bytes", "Bytes", Unit::Bytes, "On the selected tiles", true},
                 in(Shown::Window, {"share", "Share", Unit::Share, "Of the total", true})}};
    table.idKey = "variable";
    const auto total = static_cast<double>(totalBytes(variables));
    for (const SizedVariable& v : variables)
        table.add({v.name, std::string(toString(v.category)), std::string(displayName(v.category)),
                   v.bytes, total == 0 ? 0.0 : static_cast<double>(v.bytes) / total},
                  v.variable.value());
    return table;
}

Table partsTable(PartKind kind, const TileSelection& tiles, const std::vector<SizedPart>& parts) {
    Table table{keyOfKind(kind),
                tiles.label() + ": " + std::string(toString(kind)),
                {{"name", "Name"},
                 {"bytes", "Bytes", Unit::Bytes, {}, true},
                 in(Shown::Window,
                    {"share", "Share", Unit::Share, "Of all parts of this kind on these tiles"})}};
    double total = 0;
    for (const SizedPart& part : parts)
        total += static_cast<double>(part.bytes);
    for (std::size_t i = 0; i < parts.size(); ++i)
        table.add({parts[i].name, parts[i].bytes, static_cast<double>(parts[i].bytes) / total},
                  static_cast<std::int32_t>(i));
    return table;
}

Document programsReport(const ProfileView& profile, const ReportRequest& request) {
    const IdVector<ProgramId, Program>& programs = *profile.programs();
    Document document;
    Table all{"programs",
              "",
              {{"tree", "Tree"},
               {"depth", "Depth"},
               {"program", "Id"},
               {"kind", "Kind"},
               {"name", "Name"},
               {"count", "Count"},
               {"cycles", "Cycles", Unit::Cycles}}};
    for (const ProgramTree& tree :
         programTrees(programs, *profile.controlPrograms(), *profile.functions(),
                      *profile.computeSets(), *profile.exchanges()))
        for (const ProgramLine& line : tree.lines) {
            const Program& program = programs[line.program];
            if (!request.wants(line.label))
                continue;
            all.add({tree.title, line.depth, cellOf(line.program), std::string(program.kindText()),
                     program.name, program.count, line.cycles});
        }
    document.tables.push_back(std::move(all));
    return document;
}

} // namespace tilescope
