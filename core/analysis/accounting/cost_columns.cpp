#include "core/analysis/accounting/cost_columns.h"

#include <algorithm>

namespace tilescope {
namespace {

using Value = Cell (*)(const CostRow&, const RunTotals&);

template <auto Member> Cell number(const CostRow& row, const RunTotals&) {
    return std::int64_t{row.*Member};
}
/// A dash where a function's places share the memory.
Cell memoryCell(const CostRow& row, std::int64_t bytes) {
    return row.places > 1 && row.memory == OperationBytes{} ? Cell() : Cell(bytes);
}
template <auto Member> Cell bytes(const CostRow& row, const RunTotals&) {
    return memoryCell(row, row.memory.*Member);
}
template <CostKind Kind> Cell ofKind(const CostRow& row, const RunTotals&) {
    return row.measured(Kind);
}
template <ModelPhase Pass> Cell ofPass(const CostRow& row, const RunTotals&) {
    return row.measured(Pass);
}
/// A dash for rows without work, or without the figure that it is divided by.
template <std::optional<double> (CostRow::*Value)() const>
Cell rate(const CostRow& row, const RunTotals&) {
    const std::optional<double> value = (row.*Value)();
    return row.flopsOnce > 0 && value ? Cell(*value) : Cell();
}
Cell positive(double value) {
    return value > 0 ? Cell(value) : Cell();
}

std::vector<CostColumn> makeColumns() {
    const char* once = "Slowest tile, one execution of the operation, estimated";
    const char* run = "Of all executions in the run";
    const char* allTiles =
        "All tiles; none where the places of a function share it: see that function's row";
    std::vector<CostColumn> columns;
    const auto add = [&](Column column, Value value, bool standard = true, bool executed = false) {
        columns.push_back({std::move(column), standard, executed, value});
    };
    add({"path", "Operation"}, [](const CostRow& r, const RunTotals&) -> Cell { return r.path; });
    add(
        in(Shown::Data, {"operation", "Id"}),
        [](const CostRow& r, const RunTotals&) { return cellOf(r.operation); }, false);
    add({"ipu", "IPU"}, [](const CostRow& r, const RunTotals&) { return cellOf(r.ipu); });
    add(
        in(Shown::Data, {"kind", "Kind"}),
        [](const CostRow& r, const RunTotals&) { return textOrNone(r.kind); }, false);
    add({"type", "Type"}, [](const CostRow& r, const RunTotals&) { return textOrNone(r.type); });
    add(
        {"outputShape", "Output", Unit::None, "Shape of the result"},
        [](const CostRow& r, const RunTotals&) { return textOrNone(r.outputShape); }, false);
    add(
        {"pass", "Pass", Unit::None, "Forward, backward or update"},
        [](const CostRow& r, const RunTotals&) {
            return r.pass && r.kind.empty() ? Cell(std::string(toString(*r.pass))) : Cell();
        },
        false);
    add(
        {"stage", "Stage", Unit::None, "Of a pipelined or sharded model"},
        [](const CostRow& r, const RunTotals&) {
            return r.pass ? Cell(std::int64_t{r.stage}) : Cell();
        },
        false);
    add({"operations", "Operations", Unit::Count, "Operations of the model"},
        number<&CostRow::operations>, false);
    add({"steps", "Steps", Unit::Count, "Leaves of the program tree"},
        [](const CostRow& r, const RunTotals&) -> Cell {
            return static_cast<std::int64_t>(r.steps.size());
        });
    add({"calls", "Places", Unit::Count,
         "Places of the model that run the operation's program and share its code"},
        number<&CostRow::places>, false);
    add({"executions", "Executions", Unit::Count, "In the run"}, number<&CostRow::executions>,
        false, true);
    add({"measuredCycles", "Measured cycles", Unit::Cycles, run}, number<&CostRow::measuredCycles>,
        true, true);
    add(
        {"measuredShare", "Of the run", Unit::Share,
         "Measured cycles over those of the run; overlapping steps each count in full"},
        [](const CostRow& r, const RunTotals& totals) -> Cell {
            return totals.cycles > 0 ? Cell(static_cast<double>(r.measuredCycles) /
                                            static_cast<double>(totals.cycles))
                                     : Cell();
        },
        true, true);
    add({"measuredComputeCycles", "Measured compute", Unit::Cycles, run}, ofKind<CostKind::Compute>,
        false, true);
    add({"measuredExchangeCycles", "Measured exchange", Unit::Cycles, run},
        ofKind<CostKind::Exchange>, false, true);
    add({"measuredGlobalCycles", "Measured between IPUs", Unit::Cycles, run},
        ofKind<CostKind::GlobalExchange>, false, true);
    add({"measuredHostCycles", "Measured with the host", Unit::Cycles, run}, ofKind<CostKind::Host>,
        false, true);
    add({"forwardCycles", "Measured forward", Unit::Cycles, "Of the forward pass, in the run"},
        ofPass<ModelPhase::Forward>, false, true);
    add({"backwardCycles", "Measured backward", Unit::Cycles, "Of the backward pass, in the run"},
        ofPass<ModelPhase::Backward>, false, true);
    add({"updateCycles", "Measured update", Unit::Cycles,
         "In the run; without gradient accumulation updates run in the backward pass"},
        ofPass<ModelPhase::Update>, false, true);
    add({"estimatedComputeCycles", "Compute, once", Unit::Cycles, once},
        number<&CostRow::computeOnce>, false);
    add({"estimatedCopyCycles", "Copies, once", Unit::Cycles, "Strided copies; part of compute"},
        number<&CostRow::copyOnce>, false);
    add({"estimatedExchangeCycles", "Exchange, once", Unit::Cycles, once},
        number<&CostRow::exchangeOnce>, false);
    add({"estimatedCycles", "Estimated, once", Unit::Cycles, once},
        [](const CostRow& r, const RunTotals&) -> Cell { return r.cyclesOnce(); });
    add({"balance", "Tile balance", Unit::Share,
         "Cycles in which tiles work over the compute cycles of all tiles of the IPU"},
        [](const CostRow& r, const RunTotals&) { return positive(r.balance); });
    add(
        {"flops", "FLOPs", Unit::Flops,
         "Of all executions in the run; a multiply-accumulate is two"},
        [](const CostRow& r, const RunTotals&) -> Cell { return r.flops; }, true, true);
    add(
        {"flopsOnce", "FLOPs, once", Unit::Flops, "Of one execution; a multiply-accumulate is two"},
        [](const CostRow& r, const RunTotals&) -> Cell { return r.flopsOnce; }, false);
    add(
        {"flopsPerCycle", "FLOP/cycle", Unit::None, "Of one execution, as estimated"},
        [](const CostRow& r, const RunTotals&) -> Cell {
            return r.cyclesOnce() > 0 ? r.flopsOnce / static_cast<double>(r.cyclesOnce()) : 0.0;
        },
        false);
    add({"flopsPerByte", "FLOP/byte", Unit::None,
         "Over the bytes exchanged; none if it exchanges nothing"},
        rate<&CostRow::flopsPerByte>, false);
    add({"workFlopsPerCycle", "FLOP/cycle, run", Unit::None,
         "FLOPs over the cycles of compute and exchange, of all executions in the run"},
        rate<&CostRow::flopsPerCycle>, false);
    add({"roofFlopsPerCycle", "FLOP/cycle, limit", Unit::None,
         "Highest possible rate, limited by the matrix units or by the bytes exchanged"},
        rate<&CostRow::roofFlopsPerCycle>, false);
    add({"utilisation", "FLOP utilisation", Unit::Share,
         "FLOPs over the peak of the IPU's matrix units in these cycles, at half precision if "
         "there are half variables"},
        [](const CostRow& r, const RunTotals&) { return positive(r.utilisation()); });
    add({"bytesExchanged", "Exchanged", Unit::Bytes,
         "Received by tiles from tiles and other IPUs, all executions in the run"},
        number<&CostRow::bytesExchanged>, false, true);
    add({"codeBytes", "Code", Unit::Bytes, allTiles},
        [](const CostRow& r, const RunTotals&) { return memoryCell(r, r.memory.code()); });
    add({"exchangeCodeBytes", "Exchange code", Unit::Bytes, allTiles},
        bytes<&OperationBytes::exchangeCode>, false);
    add({"controlCodeBytes", "Control code", Unit::Bytes, allTiles},
        bytes<&OperationBytes::controlCode>, false);
    add({"vertexCodeBytes", "Vertex code", Unit::Bytes,
         "Codelets that no other operation uses on the same tile"},
        bytes<&OperationBytes::vertexCode>, false);
    add({"vertexStateBytes", "Vertex state", Unit::Bytes, allTiles},
        bytes<&OperationBytes::vertexState>);
    add({"alwaysLiveBytes", "Always live", Unit::Bytes,
         "Variables and constants with addresses of their own, all tiles"},
        bytes<&OperationBytes::alwaysLive>);
    add({"peakBytes", "At the peak", Unit::Bytes,
         "Not-always-live variables at the step with the most live bytes"},
        bytes<&OperationBytes::atPeak>);
    add({"variableBytes", "All variables", Unit::Bytes,
         "Variables never live together share addresses, so sums may exceed the memory"},
        bytes<&OperationBytes::variables>, false);
    return columns;
}

} // namespace

const std::vector<CostColumn>& costColumns() {
    static const std::vector<CostColumn> columns = makeColumns();
    return columns;
}

const CostColumn* costColumn(std::string_view key) {
    const auto& columns = costColumns();
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [key](const CostColumn& one) { return one.column.key == key; });
    return found == columns.end() ? nullptr : &*found;
}

std::string_view titleOf(CostLayer layer) {
    return displayName(layer);
}

Table costTable(const std::vector<CostRow>& rows, const RunTotals& totals, CostLayer layer,
                const std::vector<std::string_view>& wanted) {
    Table table;
    table.key = "rows";
    table.title = "Operations";
    std::vector<const CostColumn*> columns;
    for (const CostColumn& one : costColumns()) {
        const bool isWanted = wanted.empty() || std::find(wanted.begin(), wanted.end(),
                                                          one.column.key) != wanted.end();
        const bool lacks = one.executed && totals.run < 0;
        if (!isWanted || (lacks && !wanted.empty()))
            continue;
        columns.push_back(&one);
        table.columns.push_back(one.column);
        if (!wanted.empty())
            table.columns.back().shown = Shown::Everywhere;
        else if (!one.standard || lacks)
            table.columns.back().shown = Shown::Data;
    }
    if (!table.columns.empty() && table.columns.front().key == "path")
        table.columns.front().title = titleOf(layer);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Row& row = table.add({}, static_cast<std::int32_t>(i));
        for (const CostColumn* column : columns)
            row.cells.push_back(column->value(rows[i], totals));
    }
    return table;
}

} // namespace tilescope
