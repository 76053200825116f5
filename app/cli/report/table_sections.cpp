#include <fmt/format.h>
#include <unordered_map>

#include "app/cli/report/sections.h"
#include "core/analysis/memory/address_map.h"
#include "core/analysis/memory/tables.h"

namespace tilescope::cli {
namespace {

/// Names of operations by id; "" for none.
class OperationNames {
public:
    explicit OperationNames(const ProfileReader& reader)
        : operations_(reader.operations()) {}
    [[nodiscard]] Value of(OperationId id) const {
        if (!id.valid() || id.index() >= operations_.size())
            return {};
        return operations_[id].name;
    }

private:
    IdVector<OperationId, Operation> operations_;
};

Table computeSetsTable(const ProfileReader& reader, const ReportRequest& request,
                       const IdVector<ComputeSetId, ComputeSet>& computeSets) {
    Table table{"computeSets",
                "Compute sets",
                {{"computeSet", "Id"},
                 {"name", "Compute set"},
                 {"operation", "Operation"},
                 {"vertices", "Vertices"},
                 {"stateBytes", "State", Unit::Bytes},
                 {"tiles", "Tiles"},
                 {"cycles", "Cycles", Unit::Cycles},
                 {"balance", "Balance", Unit::Share}},
                {}};
    const OperationNames names(reader);
    for (const ComputeSetRow& row :
         computeSetTable(reader.info().target, computeSets, request.selection))
        if (request.wants(row.name))
            table.rows.push_back({std::int64_t{row.computeSet.value()}, row.name,
                                  names.of(row.operation), row.vertices, row.stateBytes,
                                  std::int64_t{row.tiles}, row.cycles, row.balance});
    return table;
}

} // namespace

Document variablesSection(const ProfileReader& reader, const ReportRequest& request) {
    Table table{"variables",
                "Variables, " + request.selection.label(),
                {{"variable", "Id"},
                 {"name", "Variable"},
                 {"category", "Category"},
                 {"live", "Live"},
                 {"type", "Type"},
                 {"shape", "Shape"},
                 {"bytes", "Bytes", Unit::Bytes},
                 {"tiles", "Tiles"},
                 {"maxTileBytes", "Largest tile", Unit::Bytes},
                 {"maxTile", "on tile"}},
                {}};
    // One tile has addresses as well.
    const bool withOffsets = request.selection.tile().valid();
    const IdVector<VariableId, Variable> variables = reader.variables();
    std::unordered_map<VariableId, std::int64_t> offsets;
    Document document;
    if (withOffsets) {
        table.columns.push_back({"offset", "Offset", Unit::None});
        const Placement placement = reader.placement(request.selection.tile());
        for (const PlacedVariable& placed : placement.variables)
            offsets[placed.variable] = placed.offset;
        const AddressSharing sharing =
            addressSharing(addressBlocks(placement, variables, request.selection.tile()));
        if (sharing.sharing > 0)
            document.fields = {
                {"variableBytes", "Variables", sharing.variableBytes, Unit::Bytes},
                {"addressBytes", "At addresses", sharing.addressBytes, Unit::Bytes},
                {"sharingVariables", "Share theirs at other times", sharing.sharing}};
    }
    for (const VariableRow& row :
         variableTable(reader.info().target, variables, request.selection)) {
        if (!request.wants(row.name))
            continue;
        std::vector<Value> cells{std::int64_t{row.variable.value()},
                                 row.name,
                                 std::string(toString(row.category)),
                                 std::string(row.alwaysLive ? "always" : "not always"),
                                 row.type,
                                 row.shape,
                                 row.bytes,
                                 std::int64_t{row.tiles},
                                 row.maxTileBytes,
                                 std::int64_t{row.maxTile.value()}};
        if (withOffsets) {
            const auto offset = offsets.find(row.variable);
            cells.push_back(offset == offsets.end() ? Value() : Value(offset->second));
        }
        table.rows.push_back(std::move(cells));
    }
    document.tables.push_back(std::move(table));
    return document;
}

Document verticesSection(const ProfileReader& reader, const ReportRequest& request) {
    Table table{"vertices",
                "Vertices, " + request.selection.label(),
                {{"name", "Vertex"},
                 {"codeBytes", "Code", Unit::Bytes},
                 {"stateBytes", "State", Unit::Bytes},
                 {"count", "Instances"},
                 {"computeSets", "Compute sets"}},
                {}};
    const IdVector<ComputeSetId, ComputeSet> computeSets = reader.computeSets();
    for (const VertexRow& row :
         vertexTable(reader.info().target, reader.vertexTypes(), computeSets, request.selection))
        if (request.wants(row.name))
            table.rows.push_back({row.name, row.codeBytes, row.stateBytes, row.count,
                                  static_cast<std::int64_t>(row.computeSets.size())});
    return {{}, {std::move(table), computeSetsTable(reader, request, computeSets)}};
}

Document exchangesSection(const ProfileReader& reader, const ReportRequest& request) {
    Table table{"exchanges",
                "Exchanges, " + request.selection.label(),
                {{"exchange", "Id"},
                 {"name", "Exchange"},
                 {"operation", "Operation"},
                 {"bytesReceived", "Received", Unit::Bytes},
                 {"bytesSent", "Sent", Unit::Bytes},
                 {"codeBytes", "Code", Unit::Bytes},
                 {"cycles", "Cycles", Unit::Cycles},
                 {"runBytes", "Run", Unit::Bytes}},
                {}};
    const OperationNames names(reader);
    for (const ExchangeRow& row :
         exchangeTable(reader.info().target, reader.exchanges(), request.selection))
        if (request.wants(row.name))
            table.rows.push_back({std::int64_t{row.exchange.value()}, row.name,
                                  names.of(row.operation), row.bytesReceived, row.bytesSent,
                                  row.codeBytes, row.cycles, row.runBytes});
    return {{}, {std::move(table)}};
}

} // namespace tilescope::cli
