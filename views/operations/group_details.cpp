// What the tabs below the table of operations show.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <utility>

#include "core/analysis/programs/programs.h"
#include "views/operations/operations_content.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr std::size_t shownSteps = 24; ///< bars that can be told apart without scrolling far

ValueNode jsonNode(const QString& name, const QJsonValue& value) {
    ValueNode node{name, {}, {}, CellKind::Text};
    if (value.isObject()) {
        node.values.emplace_back(std::string());
        const QJsonObject object = value.toObject();
        for (auto it = object.begin(); it != object.end(); ++it)
            node.children.push_back(jsonNode(it.key(), it.value()));
        return node;
    }
    const QString text =
        value.isArray()
            ? QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact))
            : value.toVariant().toString();
    node.values.emplace_back(text.toStdString());
    return node;
}

void addJson(ValueTree& tree, const QString& title, const std::string& json) {
    const QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
    if (!object.isEmpty())
        tree.roots.push_back(jsonNode(title, object));
}

const OperationGroup* namesake(const std::vector<OperationGroup>& groups, const std::string& name) {
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const OperationGroup& g) { return g.name == name; });
    return found == groups.end() ? nullptr : &*found;
}

// Every column of the table, also those that are hidden in it.
void addFigures(ValueTree& tree, const OperationsReport& report, const OperationGroup& source,
                bool comparing) {
    const OperationGroup* target = namesake(report.target, source.name);
    const auto totalOf = [](const std::vector<OperationGroup>& groups,
                            const OperationColumn& column) {
        double total = 0;
        if (column.shareOf != nullptr)
            for (const OperationGroup& group : groups)
                total += static_cast<double>(column.shareOf(group));
        return total;
    };
    for (const OperationColumn& column : operationColumns()) {
        if (column.executed && !report.executed)
            continue;
        ValueNode node{column.title, {}, {}, column.kind};
        node.values.push_back(column.value(source, totalOf(report.source, column)));
        if (comparing)
            node.values.push_back(
                target == nullptr ? Cell() : column.value(*target, totalOf(report.target, column)));
        tree.roots.push_back(std::move(node));
    }
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
    std::vector<ProgramExecutions> executions;

    [[nodiscard]] const TileSeries* cyclesOf(const Program& program) const {
        if (program.computeSet.valid() && program.computeSet.index() < computeSets->size())
            return &(*computeSets)[program.computeSet].cycles;
        if (program.exchange.valid() && program.exchange.index() < exchanges->size())
            return &(*exchanges)[program.exchange].cycles;
        return nullptr;
    }
};

StepParts readParts(const OpenProfile& profile, const std::stop_token& stop) {
    StepParts parts{profile.programs(stop), profile.computeSets(stop), profile.exchanges(stop), {}};
    if (profile.info().hasExecution)
        parts.executions = profile.trace(stop)->executions(parts.programs->size());
    return parts;
}

DataTable stepTable(const StepParts& parts, const OperationGroup& group) {
    DataTable table;
    table.columns = {
        {Text::tr("Step"), CellKind::Text, {}},
        {Text::tr("Kind"), CellKind::Text, {}},
        {Text::tr("Within"), CellKind::Text, Text::tr("Control program or function")},
        {Text::tr("Tiles"), CellKind::Count, Text::tr("Tiles that work or move data")},
        {Text::tr("Cycles"), CellKind::Cycles, Text::tr("Slowest tile, one execution, estimated")},
        {Text::tr("Tile balance"), CellKind::Share,
         Text::tr("Mean of the tiles that work over the slowest")}};
    const bool executed = !parts.executions.empty();
    if (executed) {
        table.columns.push_back({Text::tr("Executions"), CellKind::Count, Text::tr("In all runs")});
        table.columns.push_back(
            {Text::tr("Measured cycles"), CellKind::Cycles, Text::tr("All executions")});
    }
    for (const ProgramId id : group.steps) {
        const Program& program = (*parts.programs)[id];
        DataRow row{{program.name.empty() ? programLabel(program) : program.name,
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
        if (executed) {
            row.cells.emplace_back(parts.executions[id.index()].count);
            row.cells.emplace_back(parts.executions[id.index()].cycles);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::vector<NamedBars::Bar> codeBars(const OperationGroup& group, const Theme& theme) {
    return {
        {Text::tr("Vertex code"), group.vertexCode, theme.category(MemoryCategory::VertexCode), -1},
        {Text::tr("Exchange code"), group.exchangeCode,
         theme.category(MemoryCategory::InternalExchangeCode), -1},
        {Text::tr("Control code"), group.controlCode, theme.category(MemoryCategory::ControlCode),
         -1},
        {Text::tr("Vertex state"), group.vertexState,
         theme.category(MemoryCategory::VertexInstanceState), -1}};
}

// Measured where there is a trace, the longest first.
std::vector<NamedBars::Bar> cycleBars(const StepParts& parts, const OperationGroup& group,
                                      const Theme& theme) {
    std::vector<NamedBars::Bar> bars;
    for (const ProgramId id : group.steps) {
        const Program& program = (*parts.programs)[id];
        const TileSeries* cycles = parts.cyclesOf(program);
        const std::int64_t value = !parts.executions.empty() ? parts.executions[id.index()].cycles
                                   : cycles == nullptr       ? 0
                                                             : cycles->max().value;
        bars.push_back(
            {QString::fromStdString(program.name.empty() ? programLabel(program) : program.name),
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
    const OperationGroup& group = report.source.at(index);
    GroupDetails details;
    details.summary = {Text::tr("Property"), {}, {}, true};
    if (group.operation.valid())
        details.summary = operationDetails(*profiles.source, group.operation, stop);
    else
        details.summary.roots.push_back({Text::tr("Name"), {group.name}, {}, CellKind::Text});
    std::vector<ValueNode> facts = std::exchange(details.summary.roots, {});
    details.summary.valueTitles = profiles.comparing()
                                      ? QStringList{Text::tr("Source"), Text::tr("Target")}
                                      : QStringList{Text::tr("Value")};
    addFigures(details.summary, report, group, profiles.comparing());
    // Name and output, figures, then plan and options with their lines.
    const auto open = std::stable_partition(
        facts.begin(), facts.end(), [](const ValueNode& node) { return node.children.empty(); });
    std::vector<ValueNode>& roots = details.summary.roots;
    roots.insert(roots.end(), open, facts.end());
    roots.insert(roots.begin(), facts.begin(), open);
    const StepParts parts = readParts(*profiles.source, stop);
    details.steps = stepTable(parts, group);
    details.code = codeBars(group, theme);
    details.cycles = cycleBars(parts, group, theme);
    return details;
}

ValueTree operationDetails(const OpenProfile& profile, OperationId id,
                           const std::stop_token& stop) {
    const Operation& operation = (*profile.operations(stop))[id];
    ValueTree tree{Text::tr("Property"), {Text::tr("Value")}, {}, true};
    const auto add = [&](const QString& name, const std::string& value) {
        if (!value.empty())
            tree.roots.push_back({name, {value}, {}, CellKind::Text});
    };
    add(Text::tr("Name"), operation.name);
    add(Text::tr("Output"), operation.outputShape);
    addJson(tree, Text::tr("Plan"), operation.plan);
    addJson(tree, Text::tr("Options"), operation.options);
    return tree;
}

} // namespace tilescope::views
