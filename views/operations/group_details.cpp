// What the tabs below the table of operations show.
#include <algorithm>
#include <utility>

#include "core/analysis/programs/programs.h"
#include "views/operations/operations_content.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr std::size_t shownSteps = 24; ///< as many bars as can be told apart without scrolling far

const CostRow* namesake(const std::vector<CostRow>& rows, const CostRow& wanted) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const CostRow& row) {
        return row.path == wanted.path && row.ipu == wanted.ipu;
    });
    return found == rows.end() ? nullptr : &*found;
}

// Every column of the table, even if it is hidden there.
void addFigures(ValueTree& tree, const OperationsReport& report, const CostRow& source,
                bool comparing) {
    const CostRow* target = namesake(report.target.rows, source);
    for (const CostColumn& one : costColumns()) {
        if ((one.executed && !report.executed) || one.column.key == "path")
            continue;
        ValueNode node{QString::fromStdString(one.column.title), {}, {}, one.column.unit};
        node.values.push_back(one.value(source, report.source.totals));
        if (comparing)
            node.values.push_back(target == nullptr ? Cell()
                                                    : one.value(*target, report.target.totals));
        // Text that is missing is left out (an operation has no kind and a sync no type); missing
        // numbers are shown, as memory that places share is in a row of its own.
        if (one.column.unit != Unit::None ||
            !std::all_of(node.values.begin(), node.values.end(), [](const Cell& cell) {
                return std::holds_alternative<std::monostate>(cell);
            }))
            tree.roots.push_back(std::move(node));
    }
}

QString titleOf(InsightLevel level) {
    switch (level) {
    case InsightLevel::Good:
        return Text::tr("Good");
    case InsightLevel::Note:
        return Text::tr("Note");
    case InsightLevel::Warning:
        return Text::tr("Warning");
    case InsightLevel::Problem:
        break;
    }
    return Text::tr("Problem");
}

/// Adds what insights say of a line; other rows have none. The target's column stays empty.
void addRemarks(ValueTree& tree, const ProfileView& profile, const OperationsReport& report,
                const CostRow& row, const std::stop_token& stop) {
    if (!report.names || !report.remarks || !row.source.valid())
        return;
    const auto remarks = report.remarks->get(
        [&] { return lineRemarks(profile, *report.names, SourceGrain::Line, stop); });
    const auto line = [&tree](const QString& name, std::string text) {
        ValueNode node = valueLine(name, std::move(text));
        node.values.resize(static_cast<std::size_t>(tree.valueTitles.size()), std::string());
        return node;
    };
    ValueNode all = line(Text::tr("What insights say"), {});
    for (const LineRemark& remark : *remarks)
        if (report.names->name(remark.frame, SourceGrain::Line) == row.path)
            all.children.push_back(line(titleOf(remark.level), remark.title));
    if (!all.children.empty())
        tree.roots.push_back(std::move(all));
}

// The control program or function that a step is in.
std::string rootName(const IdVector<ProgramId, Program>& programs, ProgramId id) {
    ProgramId at = id;
    // A damaged file may have parents in a circle.
    for (std::size_t i = 0; i < programs.size() && programs[at].parent.valid() &&
                            programs[at].parent.index() < programs.size();
         ++i)
        at = programs[at].parent;
    return programs[at].name.empty() ? programLabel(programs[at]) : programs[at].name;
}

struct StepParts {
    std::shared_ptr<const IdVector<ProgramId, Program>> programs;
    std::shared_ptr<const IdVector<ComputeSetId, ComputeSet>> computeSets;
    std::shared_ptr<const IdVector<ExchangeId, Exchange>> exchanges;
    bool executed = false;

    [[nodiscard]] const TileSeries* cyclesOf(const Program& program) const {
        if (program.computeSet.valid() && program.computeSet.index() < computeSets->size())
            return &(*computeSets)[program.computeSet].cycles;
        if (program.exchange.valid() && program.exchange.index() < exchanges->size())
            return &(*exchanges)[program.exchange].cycles;
        return nullptr;
    }
    [[nodiscard]] const TileSeries* bytesOf(const Program& program) const {
        return program.exchange.valid() && program.exchange.index() < exchanges->size()
                   ? &(*exchanges)[program.exchange].bytesReceived
                   : nullptr;
    }
};

StepParts readParts(const ProfileView& profile, const std::stop_token& stop) {
    return {profile.programs(stop), profile.computeSets(stop), profile.exchanges(stop),
            profile.info().hasExecution};
}

Table stepTable(const StepParts& parts, const CostRow& group) {
    Table table;
    table.columns = {
        {"step", "Step"},
        {"kind", "Kind"},
        {"within", "Within", Unit::None, "Control program or function"},
        {"tiles", "Tiles", Unit::Count, "Tiles that work or move data"},
        {"cycles", "Cycles", Unit::Cycles, "Slowest tile, one execution, estimated"},
        {"tileBalance", "Tile balance", Unit::Share,
         "Mean of the tiles that work over the slowest"},
        {"bytes", "Received", Unit::Bytes, "By tiles in one execution of an exchange"}};
    if (parts.executed) {
        table.columns.push_back(
            {"executions", "Executions", Unit::Count, "In the run, at these places"});
        table.columns.push_back(
            {"measuredCycles", "Measured cycles", Unit::Cycles, "All executions"});
    }
    for (const RowStep& step : group.steps) {
        const ProgramId id = step.program;
        const Program& program = (*parts.programs)[id];
        Row row{{program.name.empty() ? programLabel(program) : program.name,
                 std::string(toString(program.kind)), rootName(*parts.programs, id)},
                id.value()};
        const TileSeries* cycles = parts.cyclesOf(program);
        if (cycles == nullptr || cycles->empty()) {
            row.cells.insert(row.cells.end(), {Cell(), Cell(), Cell()});
        } else {
            const std::int64_t tiles = cycles->tilesUsed();
            const std::int64_t slowest = cycles->max().value;
            row.cells.emplace_back(tiles);
            row.cells.emplace_back(slowest);
            row.cells.emplace_back(static_cast<double>(cycles->sum()) /
                                   (static_cast<double>(slowest) * static_cast<double>(tiles)));
        }
        const TileSeries* bytes = parts.bytesOf(program);
        row.cells.push_back(bytes == nullptr ? Cell() : Cell(bytes->sum()));
        if (parts.executed) {
            row.cells.emplace_back(step.executions);
            row.cells.emplace_back(step.cycles);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// The row's bytes, or those of the program that its operation shares with other places.
OperationBytes bytesOf(const ProfileView& profile, const CostRow& row,
                       const std::stop_token& stop) {
    if (row.places <= 1 || !row.operation.valid() || row.memory != OperationBytes{})
        return row.memory;
    return memoryByOperation(profile, stop)->of(row.operation, row.ipu);
}

std::vector<NamedBars::Bar> codeBars(const OperationBytes& bytes, const Theme& theme) {
    return {
        {Text::tr("Vertex code"), bytes.vertexCode, theme.category(MemoryCategory::VertexCode), -1},
        {Text::tr("Exchange code"), bytes.exchangeCode,
         theme.category(MemoryCategory::InternalExchangeCode), -1},
        {Text::tr("Control code"), bytes.controlCode, theme.category(MemoryCategory::ControlCode),
         -1},
        {Text::tr("Vertex state"), bytes.vertexState,
         theme.category(MemoryCategory::VertexInstanceState), -1}};
}

// Measured where there is a trace, the longest first.
std::vector<NamedBars::Bar> cycleBars(const StepParts& parts, const CostRow& group,
                                      const Theme& theme) {
    std::vector<NamedBars::Bar> bars;
    for (const RowStep& step : group.steps) {
        const ProgramId id = step.program;
        const Program& program = (*parts.programs)[id];
        const TileSeries* cycles = parts.cyclesOf(program);
        const std::int64_t value = parts.executed      ? step.cycles
                                   : cycles == nullptr ? 0
                                                       : cycles->max().value;
        bars.push_back({shownName(program.name.empty() ? programLabel(program) : program.name),
                        value, theme.kind(program.kind), id.value()});
    }
    std::stable_sort(bars.begin(), bars.end(),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
    if (bars.size() > shownSteps)
        bars.resize(shownSteps);
    return bars;
}

} // namespace

GroupDetails groupDetails(const ProfilePair& profiles, const OperationsReport& report,
                          std::size_t index, const Theme& theme, const std::stop_token& stop) {
    const CostRow& group = report.source.rows.at(index);
    GroupDetails details;
    const bool comparing = profiles.comparing();
    details.summary = {Text::tr("Property"), valueTitles(comparing), {}, true};
    std::vector<ValueNode> facts;
    if (group.operation.valid()) {
        const Operation& operation = (*profiles.source->operations(stop))[group.operation];
        if (!operation.name.empty())
            facts.push_back(valueLine(Text::tr("Name"), operation.name));
        addJson(facts, Text::tr("Plan"), operation.plan);
        addJson(facts, Text::tr("Options"), operation.options);
    } else {
        facts.push_back(valueLine(Text::tr("Name"), group.path));
    }
    if (group.places > 1)
        facts.push_back(valueLine(Text::tr("Code and memory"),
                                  Text::tr("shared by %1 places").arg(group.places).toStdString()));
    addFigures(details.summary, report, group, comparing);
    addRemarks(details.summary, *profiles.source, report, group, stop);
    // Name and output, figures and remarks, then plan and options with their lines.
    const auto open = std::stable_partition(
        facts.begin(), facts.end(), [](const ValueNode& node) { return node.children.empty(); });
    std::vector<ValueNode>& roots = details.summary.roots;
    roots.insert(roots.end(), open, facts.end());
    roots.insert(roots.begin(), facts.begin(), open);
    const StepParts parts = readParts(*profiles.source, stop);
    details.steps = stepTable(parts, group);
    details.code = codeBars(bytesOf(*profiles.source, group, stop), theme);
    details.cycles = cycleBars(parts, group, theme);
    return details;
}

} // namespace tilescope::views
