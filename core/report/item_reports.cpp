// Variables, vertices and exchanges on some tiles.
#include "core/report/item_tables.h"
#include "core/report/report.h"

namespace tilescope {

void keepWanted(Table& table, const ReportRequest& request) {
    const std::size_t name = table.columnOf("name");
    std::erase_if(table.rows, [&](const Row& row) {
        return !request.wants(std::get<std::string>(row.cells[name]));
    });
}

Document variablesReport(const ProfileReader& reader, const ReportRequest& request) {
    std::optional<Placement> placement;
    if (request.selection.tile().valid())
        placement = reader.placement(request.selection.tile());
    Table table = variablesTable(reader.info().target, reader.variables(), request.selection,
                                 placement ? &*placement : nullptr);
    keepWanted(table, request);
    return {{}, {std::move(table)}};
}

Document verticesReport(const ProfileReader& reader, const ReportRequest& request) {
    const Target& target = reader.info().target;
    const auto computeSets = reader.computeSets();
    const auto types = reader.vertexTypes();
    Document document;
    document.tables = {
        verticesTable(target, types, computeSets, request.selection),
        computeSetsTable(target, computeSets, types, reader.operations(), request.selection)};
    for (Table& table : document.tables)
        keepWanted(table, request);
    return document;
}

Document exchangesReport(const ProfileReader& reader, const ReportRequest& request) {
    Table table = exchangesTable(reader.info().target, reader.exchanges(), reader.operations(),
                                 request.selection);
    keepWanted(table, request);
    return {{}, {std::move(table)}};
}

} // namespace tilescope
