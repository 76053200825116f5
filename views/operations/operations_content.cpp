#include "views/operations/operations_content.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/analysis/operations.h"
#include "views/tables/profile_tables.h"

namespace tilescope::views {
namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(OperationsReport)
};

std::vector<OperationRow> rowsOf(const OpenProfile& profile, const std::stop_token& stop) {
    const auto operations = profile.operations(stop);
    const auto variables = profile.variables(stop);
    const auto computeSets = profile.computeSets(stop);
    const auto exchanges = profile.exchanges(stop);
    const auto programs = profile.programs(stop);
    const auto copies = profile.copies(stop);
    return operationTable({*operations, *variables, *computeSets, *exchanges, *programs, *copies});
}

std::vector<NamedValue> cyclesOf(const std::vector<OperationRow>& rows) {
    std::vector<NamedValue> values;
    for (const OperationRow& row : rows)
        values.push_back({row.name, row.cycles(), row.operation.value()});
    return values;
}

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

} // namespace

DataTable operationsTable(const ProfilePair& profiles, const std::stop_token& stop) {
    const std::vector<OperationRow> rows = rowsOf(*profiles.source, stop);
    if (profiles.comparing())
        return comparedTable(Text::tr("Operation (cycles)"), CellKind::Cycles, cyclesOf(rows),
                             cyclesOf(rowsOf(*profiles.target, stop)));
    DataTable table;
    table.columns = {
        {Text::tr("Operation"), CellKind::Text, {}},
        {Text::tr("Type"), CellKind::Text, {}},
        {Text::tr("Output"), CellKind::Text, Text::tr("Shape of the first output")},
        {Text::tr("Steps"), CellKind::Count, Text::tr("Leaves of the program tree")},
        {Text::tr("Compute cycles"), CellKind::Cycles,
         Text::tr("Slowest tile, one execution of each step, estimated")},
        {Text::tr("Copy cycles"), CellKind::Cycles,
         Text::tr("Of the compute cycles, those of strided copies, which put operands in order")},
        {Text::tr("Exchange cycles"), CellKind::Cycles,
         Text::tr("Slowest tile, one execution of each step, estimated")},
        {Text::tr("FLOPs"), CellKind::Flops,
         Text::tr("Of one execution; a multiply-accumulate counts two")},
        {Text::tr("FLOP/cycle"), CellKind::Real, {}},
        {Text::tr("Variables"), CellKind::Bytes, Text::tr("Variables and constants, all tiles")},
        {Text::tr("Code"), CellKind::Bytes, Text::tr("Exchange and control code, all tiles")},
        {Text::tr("Vertex state"), CellKind::Bytes, {}}};
    std::int64_t cycles = 0;
    for (const OperationRow& row : rows) {
        cycles += row.cycles();
        table.rows.push_back(
            {{row.name, row.type, row.outputShape, std::int64_t{row.steps}, row.computeCycles,
              row.copyCycles, row.exchangeCycles, row.flops, row.flopsPerCycle, row.variableBytes,
              row.codeBytes(), row.vertexStateBytes},
             row.operation.value()});
    }
    table.summary = Text::tr("Total %1").arg(QString::fromStdString(formatCycles(cycles)));
    return table;
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
    add(Text::tr("Type"), operation.type);
    add(Text::tr("Output"), operation.outputShape);
    add(Text::tr("FLOPs"), formatFlops(operation.flops));
    addJson(tree, Text::tr("Plan"), operation.plan);
    addJson(tree, Text::tr("Options"), operation.options);
    return tree;
}

} // namespace tilescope::views
