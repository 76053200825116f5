#include "tests/support/figures.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/analysis/insights/losses.h"
#include "core/analysis/model_graph/costs.h"
#include "core/analysis/programs/program_costs.h"
#include "core/trace/lanes.h"

namespace tilescope::test {
namespace {

class Checker {
public:
    Checker(const ProfileView& profile, const Figures& figures)
        : profile_(profile)
        , figures_(figures)
        , accounting_(*accountingOf(profile))
        , totals_(accounting_.totals()) {}

    std::string run() {
        same("the run of the accounting and the Summary's", totals_.cycles, profile_.info().cycles);
        for (std::size_t i = 0; i < figures_.layers.size(); ++i)
            checkRows(std::string(toString(costLayers.at(i))), figures_.layers[i]);
        for (std::size_t i = 0; i < figures_.scopes.size(); ++i)
            checkRows(fmt::format("scope of depth {}", i + 1), figures_.scopes[i]);
        for (const CostLayer layer :
             {CostLayer::Shared, CostLayer::Scope, CostLayer::Type, CostLayer::Line,
              CostLayer::Function, CostLayer::File, CostLayer::Stack})
            checkWork(layer);
        checkMemory();
        checkGraph();
        if (profile_.info().hasExecution) {
            checkTrace();
            checkPrograms();
            checkLosses();
        }
        return std::move(complaints_);
    }

private:
    using Rows = std::vector<CostRow>;

    [[nodiscard]] const Rows& rows(CostLayer layer) const {
        return figures_.layers[static_cast<std::size_t>(layer)];
    }
    template <class Value> static Value sum(const Rows& rows, Value (*value)(const CostRow&)) {
        Value all = 0;
        for (const CostRow& row : rows)
            all += value(row);
        return all;
    }

    template <class Value> void same(const std::string& what, Value got, Value wanted) {
        if (std::abs(static_cast<double>(got) - static_cast<double>(wanted)) >
            1e-9 * std::abs(static_cast<double>(wanted)))
            complaints_ += fmt::format("{}: {} is not {}\n", what, got, wanted);
    }

    void checkRows(const std::string& layer, const Rows& of) {
        for (std::int32_t ipu = 0; ipu < profile_.machine().ipus; ++ipu) {
            std::int64_t measured = 0;
            for (const CostRow& row : of) {
                if (row.ipu != IpuId(ipu))
                    continue;
                measured += row.measuredCycles;
                std::int64_t kinds = 0;
                for (const std::int64_t cycles : row.measuredByKind)
                    kinds += cycles;
                same(layer + ", kinds of " + row.path, kinds, row.measuredCycles);
            }
            if (totals_.run >= 0)
                same(fmt::format("{}, IPU {}: rows less what overlaps, and the run", layer, ipu),
                     measured - totals_.overlapped[static_cast<std::size_t>(ipu)], totals_.cycles);
            else
                same(layer + ": nothing ran", measured, std::int64_t{0});
        }
    }

    void checkWork(CostLayer layer) {
        const std::string name(toString(layer));
        const auto flops = [](const CostRow& row) { return row.flops; };
        same(name + ": FLOPs", sum<double>(rows(layer), flops),
             sum<double>(rows(CostLayer::Place), flops));
        const auto once = [](const CostRow& row) { return row.cyclesOnce(); };
        same(name + ": estimated cycles", sum<std::int64_t>(rows(layer), once),
             sum<std::int64_t>(rows(CostLayer::Place), once));
        const auto code = [](const CostRow& row) { return row.memory.code(); };
        same(name + ": code", sum<std::int64_t>(rows(layer), code),
             sum<std::int64_t>(rows(CostLayer::Place), code));
    }

    /// Bytes of rows are on the tiles, each once.
    void checkMemory() {
        std::int64_t code = 0;
        std::int64_t held = 0;
        for (const CategoryMemory& memory : *profile_.categoryMemory())
            if (memory.category == MemoryCategory::VertexCode ||
                memory.category == MemoryCategory::ControlCode ||
                memory.category == MemoryCategory::InternalExchangeCode ||
                memory.category == MemoryCategory::HostExchangeCode ||
                memory.category == MemoryCategory::GlobalExchangeCode)
                code += memory.bytes.sum();
        for (const TileMemory& tile : *profile_.tileMemory())
            held += tile.alwaysLive;
        OperationBytes all;
        for (const CostRow& row : rows(CostLayer::Place))
            all += row.memory;
        atMost("code of all rows, and on the tiles", all.code(), code);
        atMost("what is always live", all.code() + all.vertexState + all.alwaysLive, held);
        const auto& live = profile_.livenessCurve()->notAlwaysLive;
        atMost("what is live at the peak", all.atPeak,
               live.empty() ? 0 : *std::max_element(live.begin(), live.end()));
    }

    void atMost(const std::string& what, std::int64_t got, std::int64_t limit) {
        if (got > limit)
            complaints_ += fmt::format("{}: {} is more than {}\n", what, got, limit);
    }

    void checkGraph() {
        const auto graph = profile_.modelGraph();
        const NodeCosts nodes = nodeCosts(*graph, rows(CostLayer::Place));
        const ScopeTree tree(*graph, {});
        const GraphCosts root = scopeCosts(tree, nodes)[tree.root()];
        std::int64_t measured = 0;
        double flops = 0;
        std::vector<int> places(graph->nodes.size(), 0);
        for (const CostRow& row : rows(CostLayer::Place)) {
            if (!row.kind.empty())
                continue;
            measured += row.measuredCycles;
            flops += row.executions > 0 ? row.flops : row.flopsOnce;
            if (!row.node.valid())
                complaints_ += "a place that the graph lacks: " + row.path + "\n";
            else
                ++places[row.node.index()];
        }
        same("the graph's measured cycles", root.measuredCycles, measured);
        same("the graph's FLOPs", root.flops, flops);
        for (std::size_t i = 0; i < places.size(); ++i)
            if (places[i] == 0 && graph->nodes[ModelNodeId(i)].operation.valid())
                complaints_ += "no row for the graph's " + graph->nodes[ModelNodeId(i)].name + "\n";
    }

    /// The strip above the trace, by kind.
    void checkTrace() {
        const auto trace = profile_.trace();
        const TraceRun& run = trace->runs()[static_cast<std::size_t>(totals_.run)];
        for (std::int32_t ipu = 0; ipu < profile_.machine().ipus; ++ipu) {
            const TraceSums sums =
                trace->statistics(IpuId(ipu), {run.start, run.start + run.cycles}).sums;
            std::array<std::int64_t, costKinds.size()> kinds{};
            for (const CostRow& row : rows(CostLayer::Type))
                if (row.ipu == IpuId(ipu))
                    for (std::size_t i = 0; i < kinds.size(); ++i)
                        kinds[i] += row.measuredByKind[i];
            const auto of = [&](CostKind kind) { return kinds[static_cast<std::size_t>(kind)]; };
            const std::string where = fmt::format("trace of IPU {}: ", ipu);
            same(where + "compute", of(CostKind::Compute), sums.compute());
            same(where + "exchange", of(CostKind::Exchange) + of(CostKind::GlobalExchange),
                 sums.exchange());
            same(where + "host", of(CostKind::Host), sums.host());
            same(where + "sync", of(CostKind::Sync), sums.sync());
            std::int64_t exchanged = 0;
            for (const CostRow& row : rows(CostLayer::Type))
                exchanged += row.ipu == IpuId(ipu) ? row.bytesExchanged : 0;
            same(where + "bytes exchanged", exchanged, sums.exchangeBytesIn + sums.globalBytesIn);
        }
    }

    /// The list of losses has all cycles of each IPU, and insights on a loss tell the same.
    void checkLosses() {
        const Findings findings = findAll(profile_);
        std::int64_t all = 0;
        std::vector<std::int64_t> ipus(static_cast<std::size_t>(profile_.machine().ipus));
        for (const Loss& loss : findings.losses) {
            all += loss.cycles;
            for (std::size_t ipu = 0; ipu < loss.byIpu.size(); ++ipu)
                ipus.at(ipu) += loss.byIpu[ipu];
        }
        if (findings.losses.empty())
            return;
        same("the losses", all, totals_.cycles);
        // A loss of which the mean of all IPUs is no whole cycle is not listed.
        const std::int64_t unlisted = std::ssize(lossKinds) * profile_.machine().ipus / 2;
        for (std::size_t ipu = 0; ipu < ipus.size(); ++ipu)
            if (const std::int64_t left = totals_.cycles - ipus[ipu]; left < 0 || left > unlisted)
                same(fmt::format("losses of IPU {}", ipu), ipus[ipu], totals_.cycles);
        for (const auto& [rule, kind] : {std::pair{"pipelineBubbles", LossKind::Bubbles},
                                         std::pair{"unbalancedStages", LossKind::StageImbalance}})
            for (const Insight& insight : findings.insights)
                for (const Loss& loss : findings.losses)
                    if (insight.rule == rule && loss.kind == kind)
                        same(rule, insight.cost.cycles, loss.cycles);
    }

    void checkPrograms() {
        const std::vector<ProgramCost> costs = programCosts(profile_);
        const auto programs = profile_.programs();
        const auto trace = profile_.trace();
        const TraceRun& run = trace->runs()[static_cast<std::size_t>(totals_.run)];
        const ProgramId root = trace->lanes().outline().bodies[run.body].program;
        same("the program tree's control program", costs[root.index()].total, totals_.cycles);
        for (std::size_t i = 0; i < programs->size(); ++i) {
            const Program& program = (*programs)[ProgramId(i)];
            if (program.kind != ProgramKind::Sequence)
                continue;
            std::int64_t parts = costs[i].between;
            for (const ProgramId child : program.children)
                parts += costs[child.index()].total;
            same("parts of program " + program.name, parts, costs[i].total);
        }
    }

    const ProfileView& profile_;
    const Figures& figures_;
    const Accounting& accounting_;
    const RunTotals& totals_;
    std::string complaints_;
};

} // namespace

Figures figuresOf(const ProfileView& profile) {
    const auto accounting = accountingOf(profile);
    Figures figures;
    for (const CostLayer layer : costLayers)
        figures.layers.push_back(costRows(profile, *accounting, layer));
    for (int depth = 1; depth <= scopeDepth(*accounting); ++depth)
        figures.scopes.push_back(costRows(profile, *accounting, CostLayer::Scope, depth));
    return figures;
}

std::string contradictions(const ProfileView& profile, const Figures& figures) {
    return Checker(profile, figures).run();
}

} // namespace tilescope::test
