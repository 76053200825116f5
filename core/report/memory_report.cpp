#include <fmt/format.h>

#include "core/analysis/memory/memory_details.h"
#include "core/analysis/memory/memory_plot.h"
#include "core/report/report.h"

namespace tilescope {
namespace {

/// All tiles, and the selection or each IPU of several.
std::vector<TileSelection> columnsOf(const Target& target, const TileSelection& selection) {
    std::vector<TileSelection> columns{TileSelection::all()};
    if (!(selection == TileSelection::all()))
        columns.push_back(selection);
    else if (target.ipus > 1)
        for (std::int32_t ipu = 0; ipu < target.ipus; ++ipu)
            columns.push_back(TileSelection::ofIpu(IpuId(ipu)));
    return columns;
}

/// "allTiles", "ipu0", "tile3".
std::string selectionKey(const TileSelection& selection) {
    if (selection.tile().valid())
        return fmt::format("tile{}", selection.tile().value());
    return selection.ipu().valid() ? fmt::format("ipu{}", selection.ipu().value()) : "allTiles";
}

void addNode(Table& table, const MemoryNode& node, const std::string& parent,
             const ReportRequest& request, int depth) {
    const std::string path = parent.empty() ? node.name : parent + "/" + node.name;
    if (request.wants(path)) {
        Row& row =
            table.add({path, std::string(static_cast<std::size_t>(depth) * 2, ' ') + node.name});
        for (const std::int64_t bytes : node.bytes)
            row.cells.emplace_back(bytes);
    }
    for (const MemoryNode& child : node.children)
        addNode(table, child, path, request, depth + 1);
}

Table detailsTable(const ProfileView& profile, const ReportRequest& request) {
    const Target& target = profile.machine();
    const std::vector<TileSelection> columns = columnsOf(target, request.selection);
    Table table{
        "details", "", {in(Shown::Data, {"path", ""}), in(Shown::Text, {"name", "Memory"})}};
    for (const TileSelection& column : columns)
        table.columns.push_back({selectionKey(column), column.label(), Unit::Bytes});
    for (const MemoryNode& node :
         memoryDetails(target, *profile.tileMemory(), *profile.categoryMemory(), columns))
        addNode(table, node, "", request, 0);
    return table;
}

Table layersTable(const ProfileView& profile, const ReportRequest& request) {
    const Target& target = profile.machine();
    const TileRange range = request.selection.range(target);
    const MemoryPlot plot =
        memoryPlot(target, *profile.tileMemory(), *profile.categoryMemory(),
                   {memoryBreakdownFrom(request.breakdown), true, TileOrder::Software});
    Table table{"layers",
                "Memory by " + request.breakdown + ", " + request.selection.label(),
                {{"key", "Key"},
                 {"name", "Layer"},
                 {"bytes", "Bytes", Unit::Bytes},
                 {"maxTileBytes", "Largest tile", Unit::Bytes},
                 {"maxTile", "on tile"}}};
    for (const MemoryLayer& layer : plot.layers) {
        const TileSeries bytes = layer.bytes.slice(range.first, range.end);
        const TileSeries::Peak peak = bytes.max();
        if (request.wants(layer.name) && !bytes.empty())
            table.add({layer.key, layer.name, bytes.sum(), peak.value, cellOf(peak.tile)});
    }
    return table;
}

} // namespace

Document memoryReport(const ProfileView& profile, const ReportRequest& request) {
    const Target& target = profile.machine();
    Document document;
    document.fields.push_back(
        {"limitPerTile", "Memory of a tile", target.bytesPerTile, Unit::Bytes});
    if (request.selection.tile().valid()) {
        const std::int32_t tile = request.selection.range(target).first;
        document.fields.push_back(
            {"physicalTile", "Physical tile",
             std::int64_t{physicalTileId(target, tile % target.tilesPerIpu)}});
    }
    if (request.breakdown.empty() || request.breakdown == "none")
        document.tables.push_back(detailsTable(profile, request));
    else
        document.tables.push_back(layersTable(profile, request));
    return document;
}

} // namespace tilescope
