#include "core/analysis/memory/tables.h"

#include <algorithm>

namespace tilescope {
namespace {

template <class Row, class Size> void sortLargestFirst(std::vector<Row>& rows, Size&& size) {
    std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
        const auto sizeA = size(a);
        const auto sizeB = size(b);
        return sizeA != sizeB ? sizeA > sizeB : a.name < b.name;
    });
}

} // namespace

std::vector<VariableRow> variableTable(const Target& target,
                                       const IdVector<VariableId, Variable>& variables,
                                       const TileSelection& selection) {
    const TileRange range = selection.range(target);
    std::vector<VariableRow> rows;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const Variable& v = variables[VariableId(i)];
        const TileSeries bytes = v.bytes.slice(range.first, range.end);
        if (bytes.empty())
            continue;
        const TileSeries::Peak peak = bytes.max();
        rows.push_back({VariableId(i), v.name, v.category, v.alwaysLive, v.type, v.shape,
                        v.operation, bytes.sum(), bytes.tilesUsed(), peak.value, peak.tile});
    }
    sortLargestFirst(rows, [](const VariableRow& row) { return row.bytes; });
    return rows;
}

std::vector<VertexRow> vertexTable(const Target& target,
                                   const IdVector<VertexTypeId, VertexType>& types,
                                   const IdVector<ComputeSetId, ComputeSet>& computeSets,
                                   const TileSelection& selection) {
    const TileRange range = selection.range(target);
    std::vector<VertexRow> rows;
    for (std::size_t i = 0; i < types.size(); ++i) {
        const VertexType& type = types[VertexTypeId(i)];
        rows.push_back(
            {VertexTypeId(i), type.name, type.codeBytes.sum(range.first, range.end), 0, 0, {}});
    }
    for (std::size_t i = 0; i < computeSets.size(); ++i)
        for (const VertexInstances& instances : computeSets[ComputeSetId(i)].vertices) {
            const std::int64_t count = instances.count.sum(range.first, range.end);
            if (count == 0 || !instances.type.valid() || instances.type.index() >= rows.size())
                continue;
            VertexRow& row = rows[instances.type.index()];
            row.count += count;
            row.stateBytes += instances.stateBytes.sum(range.first, range.end);
            if (row.computeSets.empty() || row.computeSets.back() != ComputeSetId(i))
                row.computeSets.emplace_back(i);
        }
    std::erase_if(rows, [](const VertexRow& row) { return row.codeBytes == 0 && row.count == 0; });
    sortLargestFirst(rows, [](const VertexRow& row) { return row.codeBytes + row.stateBytes; });
    return rows;
}

std::vector<ComputeSetRow> computeSetTable(const Target& target,
                                           const IdVector<ComputeSetId, ComputeSet>& computeSets,
                                           const TileSelection& selection) {
    const TileRange range = selection.range(target);
    std::vector<ComputeSetRow> rows;
    for (std::size_t i = 0; i < computeSets.size(); ++i) {
        const ComputeSet& set = computeSets[ComputeSetId(i)];
        ComputeSetRow row;
        row.computeSet = ComputeSetId(i);
        row.name = set.name;
        row.operation = set.operation;
        for (const VertexInstances& instances : set.vertices) {
            row.vertices += instances.count.sum(range.first, range.end);
            row.stateBytes += instances.stateBytes.sum(range.first, range.end);
        }
        const TileSeries cycles = set.cycles.slice(range.first, range.end);
        if (cycles.empty() && row.vertices == 0)
            continue;
        row.tiles = cycles.tilesUsed();
        row.cycles = cycles.max().value;
        if (row.cycles > 0)
            row.balance = static_cast<double>(cycles.sum()) /
                          (static_cast<double>(row.cycles) * range.tiles());
        rows.push_back(std::move(row));
    }
    sortLargestFirst(rows, [](const ComputeSetRow& row) { return row.cycles; });
    return rows;
}

std::vector<ExchangeRow> exchangeTable(const Target& target,
                                       const IdVector<ExchangeId, Exchange>& exchanges,
                                       const TileSelection& selection) {
    const TileRange range = selection.range(target);
    std::vector<ExchangeRow> rows;
    for (std::size_t i = 0; i < exchanges.size(); ++i) {
        const Exchange& e = exchanges[ExchangeId(i)];
        ExchangeRow row{ExchangeId(i),
                        e.name,
                        e.operation,
                        e.bytesReceived.sum(range.first, range.end),
                        e.bytesSent.sum(range.first, range.end),
                        e.codeBytes.sum(range.first, range.end),
                        e.cycles.slice(range.first, range.end).max().value,
                        e.runBytes};
        if (row.bytesReceived != 0 || row.bytesSent != 0 || row.codeBytes != 0)
            rows.push_back(std::move(row));
    }
    sortLargestFirst(rows, [](const ExchangeRow& row) { return row.codeBytes; });
    return rows;
}

} // namespace tilescope
