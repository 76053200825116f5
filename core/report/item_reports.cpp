// Variables, vertices and exchanges on some tiles.
#include "core/analysis/memory/address_map.h"
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

} // namespace tilescope
