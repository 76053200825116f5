#include <fmt/format.h>

#include "core/analysis/accounting/operation_memory.h"
#include "core/analysis/compare/table_builder.h"
#include "core/analysis/memory/tables.h"

namespace tilescope {
namespace {

using Items = std::vector<TableItem>;

/// "half [1,64,56,56], always live".
std::string describe(const Variable& variable) {
    const std::string type =
        variable.type.empty() ? variable.shape : variable.type + " " + variable.shape;
    const char* live = variable.alwaysLive ? "always live" : "not always live";
    return type.empty() ? live : fmt::format("{}, {}", type, live);
}

std::string planChange(const std::string& source, const std::string& target) {
    return planText(planDifferences(source, target));
}

/// The items of one side with what is compared of them, in the order of the columns.
class Side {
public:
    Side(const ProfileView& profile, CycleBasis basis, Stop stop)
        : profile_(profile)
        , basis_(basis)
        , stop_(stop) {}

    [[nodiscard]] Items operations() const {
        const auto& operations = *profile_.operations(stop_);
        std::vector<std::int64_t> cycles(operations.size(), 0);
        for (const auto& [piece, spent] : cyclePieces(profile_, basis_, stop_))
            if (piece.first.valid())
                cycles[piece.first.index()] += spent;
        std::vector<std::int64_t> steps(operations.size(), 0);
        for (const Program& program : *profile_.programs(stop_))
            if (!isControl(program.kind) && program.operation.valid() &&
                program.operation.index() < steps.size())
                ++steps[program.operation.index()];
        const auto& memory = memoryByOperation(profile_, stop_)->byOperation;
        Items items;
        for (std::size_t i = 0; i < operations.size(); ++i) {
            const Operation& operation = operations[OperationId(i)];
            OperationBytes sum;
            for (const auto& [ipu, onIpu] : memory[i])
                sum += onIpu;
            items.push_back({operation.name,
                             operation.type,
                             operation.plan,
                             static_cast<std::int32_t>(i),
                             {cycles[i], sum.variables, sum.exchangeCode, sum.controlCode,
                              sum.vertexState, steps[i]}});
        }
        return items;
    }

    [[nodiscard]] Items variables() const {
        Items items;
        for (const Variable& v : *profile_.variables(stop_))
            items.push_back({v.name,
                             std::string(displayName(v.category)),
                             describe(v),
                             static_cast<std::int32_t>(items.size()),
                             {v.bytes.sum(), v.bytes.max().value, v.bytes.tilesUsed()}});
        return items;
    }

    [[nodiscard]] Items computeSets() const {
        Items items;
        for (const ComputeSetRow& row : computeSetTable(
                 profile_.machine(), *profile_.computeSets(stop_), TileSelection::all()))
            items.push_back({row.name,
                             "",
                             "",
                             row.computeSet.value(),
                             {row.cycles, row.vertices, row.stateBytes, row.tiles}});
        return items;
    }

    [[nodiscard]] Items exchanges() const {
        Items items;
        for (const ExchangeRow& row :
             exchangeTable(profile_.machine(), *profile_.exchanges(stop_), TileSelection::all()))
            items.push_back({row.name,
                             "",
                             "",
                             row.exchange.value(),
                             {row.codeBytes, row.bytesReceived, row.cycles}});
        return items;
    }

    [[nodiscard]] Items vertices() const {
        Items items;
        for (const VertexRow& row : vertexTable(profile_.machine(), *profile_.vertexTypes(stop_),
                                                *profile_.computeSets(stop_), TileSelection::all()))
            items.push_back(
                {row.name,
                 "",
                 "",
                 row.type.value(),
                 {row.codeBytes + row.stateBytes, row.codeBytes, row.stateBytes, row.count}});
        return items;
    }

    [[nodiscard]] Items programs() const {
        const auto& programs = *profile_.programs(stop_);
        const auto counts = executionCounts(programs, *profile_.controlPrograms(stop_));
        const auto cycles = programCyclesOf(profile_, basis_, stop_);
        Items items;
        for (std::size_t i = 0; i < programs.size(); ++i) {
            const Program& p = programs[ProgramId(i)];
            items.push_back({p.name,
                             std::string(p.kindText()),
                             p.kind == ProgramKind::Repeat ? fmt::format("{} times", p.count) : "",
                             static_cast<std::int32_t>(i),
                             {cycles[i], counts[i], p.controlCode.sum()}});
        }
        return items;
    }

private:
    const ProfileView& profile_;
    CycleBasis basis_;
    Stop stop_;
};

} // namespace

std::vector<ComparedTable> comparedTables(const ProfileView& source, const ProfileView& target,
                                          const ProfileMatching& matching, CycleBasis basis,
                                          Stop stop) {
    const Side before(source, basis, stop);
    const Side after(target, basis, stop);
    constexpr MetricBetter neither = MetricBetter::Neither;
    const ComparedColumn cycles{"cycles", "Cycles", Unit::Cycles};
    const ComparedColumn tiles{"tiles", "Tiles", Unit::Count, neither};
    const ComparedColumn controlCode{"controlCodeBytes", "Control code", Unit::Bytes};
    const auto make = [&](const char* key, const char* title, std::vector<ComparedColumn> columns,
                          const Matching& matched, Items (Side::*items)() const,
                          DetailChange change = fromTo) {
        return makeComparedTable({key, title, std::move(columns)}, matched, (before.*items)(),
                                 (after.*items)(), change);
    };
    return {make("operations", "Operations",
                 {cycles,
                  {"variableBytes", "Variables", Unit::Bytes},
                  {"exchangeCodeBytes", "Exchange code", Unit::Bytes},
                  controlCode,
                  {"stateBytes", "Vertex state", Unit::Bytes},
                  {"steps", "Steps", Unit::Count, neither}},
                 *matching.operations(stop), &Side::operations, planChange),
            make("variables", "Variables",
                 {{"bytes", "Bytes", Unit::Bytes},
                  {"maxTileBytes", "Largest tile", Unit::Bytes, MetricBetter::Less, true},
                  tiles},
                 *matching.variables(stop), &Side::variables),
            make("computeSets", "Compute sets",
                 {cycles,
                  {"vertices", "Vertices", Unit::Count, neither},
                  {"stateBytes", "State", Unit::Bytes},
                  tiles},
                 *matching.computeSets(stop), &Side::computeSets),
            make("exchanges", "Exchanges",
                 {{"codeBytes", "Code", Unit::Bytes},
                  {"bytesReceived", "Received", Unit::Bytes},
                  cycles},
                 *matching.exchanges(stop), &Side::exchanges),
            make("vertices", "Vertices",
                 {{"bytes", "Code and state", Unit::Bytes},
                  {"codeBytes", "Code", Unit::Bytes},
                  {"stateBytes", "State", Unit::Bytes},
                  {"count", "Instances", Unit::Count, neither}},
                 *matching.vertexTypes(stop), &Side::vertices),
            make("programs", "Programs",
                 {cycles, {"executions", "Executions", Unit::Count, neither}, controlCode},
                 *matching.programs(stop), &Side::programs)};
}

} // namespace tilescope
