#include <algorithm>
#include <fmt/format.h>

#include "simulator/cost/elementwise_cycles.h"
#include "simulator/lowering/context.h"
#include "simulator/lowering/copies.h"

namespace tilescope::sim {
namespace {

TileSeries ones(const TileSeries& series) {
    return TileSeries::zip(series, {}, [](std::int64_t, std::int64_t) { return 1; });
}

/// The table as [outer, rows, inner] cut over tiles: inner first (no partial results), then rows.
struct TableSplit {
    std::int64_t inner = 1, rows = 1;
};

TableSplit splitTable(const Target& target, std::int64_t rows, std::int64_t rowElements,
                      std::int64_t elementBytes) {
    // PopLibs popops/DynamicSlice.cpp: the grain of the unsliced dimension is 8 bytes.
    const std::int64_t grains = std::max<std::int64_t>(1, rowElements * elementBytes / 8);
    TableSplit split;
    split.inner = std::min<std::int64_t>(grains, target.tilesPerIpu);
    split.rows = std::clamp<std::int64_t>(target.tilesPerIpu / split.inner, 1, rows);
    return split;
}

} // namespace

void lowerGather(LoweringContext& context, const Op& op) {
    ProgramBuilder& b = context.builder();
    const Target& target = context.target();
    const TensorId table = op.inputs[0];
    const TensorId indices = op.inputs[1];
    const TensorId out = op.outputs[0];
    const Tensor& t = context.tensor(table);
    const auto axis = static_cast<std::size_t>(std::get<GatherAttributes>(op.attributes).axis);
    const std::int64_t rows = t.shape[axis];
    const std::int64_t rowElements = rows == 0 ? 0 : t.elements() / rows;
    const std::int64_t count = context.tensor(indices).elements();
    const TableSplit split = splitTable(target, rows, rowElements, bytesOf(t.type));

    std::vector<int> rest;
    for (std::size_t d = 0; d < t.shape.size(); ++d)
        if (d != axis && t.shape[d] != 1)
            rest.push_back(static_cast<int>(d));
    const TileDigit innerDigit{static_cast<std::int32_t>(split.inner), 1};
    const TileDigit rowDigit{static_cast<std::int32_t>(split.rows), innerDigit.count};
    const auto tableBlocking = [&](const std::vector<int>& restAtoms,
                                   const std::vector<int>& rowAtoms) {
        Blocking blocking;
        if (restAtoms.empty())
            blocking.copies.push_back(innerDigit);
        else
            blocking.dims.push_back({restAtoms,
                                     rowElements,
                                     evenBlocks(rowElements, split.inner,
                                                8 / std::min<std::int64_t>(8, bytesOf(t.type))),
                                     {innerDigit}});
        if (rowAtoms.empty())
            blocking.copies.push_back(rowDigit);
        else
            blocking.dims.push_back({rowAtoms, rows, evenBlocks(rows, split.rows), {rowDigit}});
        return blocking;
    };
    const std::vector<int> ownRows =
        rows == 1 ? std::vector<int>{} : std::vector<int>{static_cast<int>(axis)};
    context.ensurePlace(table, [&] {
        Storage storage;
        storage.atomSizes = t.shape;
        storage.elementBytes = bytesOf(t.type);
        storage.layout.blocking = tableBlocking(rest, ownRows);
        storage.layout.order = rowMajorOrder(identityView(t.shape.size()));
        return std::pair(std::move(storage), identityView(t.shape.size()));
    });
    context.ensurePlace(indices);

    const std::string name = op.name + "/multiSlice";
    const PlacedStorage placedTable = context.storageOf(table);
    std::vector<int> restAtoms;
    std::vector<OrderLevel> wantedOrder;
    for (std::size_t d = 0; d < t.shape.size(); ++d)
        for (const int atom : withoutOnes(context.viewOf(table)[d], placedTable.storage)) {
            wantedOrder.push_back({atom, 0});
            if (d != axis)
                restAtoms.push_back(atom);
        }
    const Blocking tableNeed =
        tableBlocking(restAtoms, withoutOnes(context.viewOf(table)[axis], placedTable.storage));
    OperandGather gather(context, name);
    const VariableId tableRead =
        gather.bring(placedTable, planMove(placedTable, tableNeed, wantedOrder), "baseT");

    // Every tile that holds a part of the table reads all indices.
    const PlacedStorage placedIndices = context.storageOf(indices);
    Blocking indexNeed;
    indexNeed.copies = {innerDigit, rowDigit};
    for (const BlockedDim& dim : placedIndices.storage.layout.blocking.dims)
        if (!dim.atoms.empty())
            indexNeed.dims.push_back({dim.atoms, dim.size, {{0, dim.size}}, {{1, 1}}});
    const VariableId indexRead = gather.bring(
        placedIndices, planMove(placedIndices, indexNeed, placedIndices.storage.layout.order),
        "offsets");
    gather.emit();

    // Results: rows of indices, cut as the table's inner dimension and, after a second stage that
    // picks the right row part's answer, shared by the row parts.
    const Tensor& result = context.tensor(out);
    Storage storage;
    std::int64_t before = 1;
    for (std::size_t d = 0; d < axis; ++d)
        before *= t.shape[d];
    const std::int64_t row = std::max<std::int64_t>(rowElements, 1);
    storage.atomSizes = {std::max<std::int64_t>(count, 1), before,
                         row / std::max<std::int64_t>(before, 1)};
    storage.elementBytes = bytesOf(result.type);
    storage.layout.blocking.dims = {
        {{1, 2},
         row,
         evenBlocks(row, split.inner, 8 / std::min<std::int64_t>(8, storage.elementBytes)),
         {innerDigit}},
        {{0}, storage.atomSizes[0], {{0, storage.atomSizes[0]}}, {{1, 1}}}};
    storage.layout.blocking.copies = {rowDigit};
    storage.layout.blocking.copiesShare = true;
    storage.layout.order = {{0, 0}, {1, 0}, {2, 0}};
    Blocking wholeBlocks = storage.layout.blocking;
    wholeBlocks.copiesShare = false;
    const TileSeries partials = wholeBlocks.elements();
    const TileSeries cycles = TileSeries::zip(partials, {}, [&](std::int64_t n, std::int64_t) {
        return multiSliceCycles(target, count, n / std::max<std::int64_t>(1, count));
    });
    // In the result's own shape, the looked-up dimensions stand between those of the row.
    auto own = reshapeView({{1}, {0}, {2}}, result.shape, storage, {});
    if (!own) {
        storage = linearStorage(result.shape, storage.elementBytes, target.tilesPerIpu);
        own = identityView(result.shape.size());
    }
    const TileSeries results = storage.layout.blocking.elements();
    const std::string vertex = fmt::format("popops::MultiSlice<{}>", toString(t.type));
    if (split.rows == 1) {
        const VariableId made =
            context.makeResult(out, op.name + "/out", std::move(storage), *std::move(own));
        b.execute(name, cycles, {{vertex, ones(partials)}}, {{tableRead, indexRead}, {made}});
        return;
    }
    const VariableId partial =
        b.variable(name + "/partials", MemoryCategory::Variable,
                   partials.scaled(bytesOf(result.type)), std::string(toString(result.type)));
    b.execute(name, cycles, {{vertex, ones(partials)}}, {{tableRead, indexRead}, {partial}});
    Traffic traffic;
    traffic.total = partials.sum() - results.sum();
    traffic.sent = shareOut(traffic.total, partials);
    traffic.received = shareOut(traffic.total, results);
    traffic.messages =
        TileSeries::zip(results, {}, [&](std::int64_t, std::int64_t) { return split.rows - 1; });
    const TileSeries gatheredElements = traffic.received + results;
    const VariableId gathered = b.variable(name + "/Reduce/partials", MemoryCategory::Message,
                                           gatheredElements.scaled(bytesOf(result.type)),
                                           std::string(toString(result.type)));
    Movement movement;
    movement.add(target, traffic, bytesOf(result.type), bytesOf(result.type));
    b.exchange(b.exchangeName(name + "/Reduce"), std::move(movement), {{partial}, {gathered}});
    const VariableId made =
        context.makeResult(out, op.name + "/out", std::move(storage), *std::move(own));
    const TileSeries addCycles =
        TileSeries::zip(gatheredElements, results, [&](std::int64_t n, std::int64_t outputs) {
            return reduceCycles(target, n, outputs, result.type);
        });
    b.execute(name + "/Reduce", addCycles,
              {{reduceVertex(ReduceFunction::Add, result.type, result.type), ones(results)}},
              {{gathered}, {made}});
}

void lowerMultiUpdate(LoweringContext& context, const Op& op) {
    ProgramBuilder& b = context.builder();
    const Target& target = context.target();
    const TensorId table = op.inputs[0];
    const TensorId indices = op.inputs[1];
    const TensorId deltas = op.inputs[2];
    const DataType type = context.tensor(table).type;
    for (const TensorId operand : op.inputs)
        context.ensurePlace(operand);
    const std::string name = op.name + "/multiUpdateAdd";
    const std::int64_t count = context.tensor(indices).elements();
    const std::int64_t width = context.tensor(table).elements() /
                               std::max<std::int64_t>(1, context.tensor(table).shape[0]);
    const PlacedStorage placedTable = context.storageOf(table);
    const Blocking& blocks = placedTable.storage.layout.blocking;
    const TableSplit split =
        splitTable(target, context.tensor(table).shape[0], width, bytesOf(type));

    // Every tile that holds a part of the table reads all indices and its columns of all deltas.
    OperandGather gather(context, name);
    const auto whole = [&](TensorId id, std::int64_t elementsPerTile) {
        const PlacedStorage placed = context.storageOf(id);
        OperandMove move;
        move.traffic.received = TileSeries::zip(
            blocks.elements(), {}, [&](std::int64_t, std::int64_t) { return elementsPerTile; });
        move.traffic.total = move.traffic.received.sum();
        const TileSeries held = placed.storage.layout.blocking.elements();
        move.traffic.sent = shareOut(move.traffic.total, held);
        move.traffic.messages =
            TileSeries::zip(move.traffic.received, {}, [&](std::int64_t n, std::int64_t) {
                return std::min<std::int64_t>(n, held.tilesUsed() / split.inner + 1);
            });
        move.bytes = move.traffic.received.scaled(placed.storage.elementBytes);
        move.runBytes = std::max<std::int64_t>(8, placed.storage.elementBytes);
        return gather.bring(placed, move, context.tensor(id).name);
    };
    const std::int64_t columns = (width + split.inner - 1) / split.inner;
    const VariableId indexRead = whole(indices, count);
    const VariableId deltaRead = whole(deltas, count * columns);
    gather.emit();
    const TileSeries cycles =
        TileSeries::zip(blocks.elements(), {}, [&](std::int64_t, std::int64_t) {
            return multiUpdateCycles(target, count, columns, type);
        });
    b.execute(
        name, cycles,
        {{fmt::format("popops::MultiUpdateAdd<{}>", toString(type)), ones(blocks.elements())}},
        {{placedTable.variable, indexRead, deltaRead}, {placedTable.variable}});
    context.makeView(op.outputs[0], table, context.viewOf(table));
}

} // namespace tilescope::sim
