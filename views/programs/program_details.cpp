#include "views/programs/program_details.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/analysis/programs.h"
#include "views/plot/axes/axis_labels.h"

namespace tilescope::views {
namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ProgramDetails)
};

ValueNode line(const QString& name, Cell value, CellKind kind = CellKind::Text) {
    return {name, {std::move(value)}, {}, kind};
}

ValueNode cyclesLine(std::int64_t cycles, const Target& machine) {
    return line(Text::tr("Cycles, slowest tile (estimated)"),
                cyclesText(cycles, machine.clockHz).toStdString());
}

ValueNode computeSetNode(const OpenProfile& profile, ComputeSetId id, const std::stop_token& stop) {
    const ComputeSet& set = (*profile.computeSets(stop))[id];
    const auto types = profile.vertexTypes(stop);
    ValueNode node = line(Text::tr("Compute set"), set.name);
    node.children.push_back(cyclesLine(set.cycles.max().value, profile.machine()));
    node.children.push_back(
        line(Text::tr("Active tiles"), std::int64_t{set.cycles.tilesUsed()}, CellKind::Count));
    for (const VertexInstances& group : set.vertices) {
        ValueNode vertex = line((QString::fromStdString((*types)[group.type].name)),
                                Text::tr("vertices: %1")
                                    .arg(QString::fromStdString(withThousands(group.count.sum())))
                                    .toStdString());
        vertex.children.push_back(line(Text::tr("State"), group.stateBytes.sum(), CellKind::Bytes));
        vertex.children.push_back(
            line(Text::tr("Tiles"), std::int64_t{group.count.tilesUsed()}, CellKind::Count));
        vertex.children.push_back(
            line(Text::tr("Edges a vertex"), std::int64_t{group.edgesPerVertex}, CellKind::Count));
        node.children.push_back(std::move(vertex));
    }
    return node;
}

ValueNode exchangeNode(const OpenProfile& profile, ExchangeId id, const std::stop_token& stop) {
    const Exchange& exchange = (*profile.exchanges(stop))[id];
    ValueNode node = line(Text::tr("Exchange"), exchange.name);
    node.children = {line(Text::tr("Received"), exchange.bytesReceived.sum(), CellKind::Bytes),
                     line(Text::tr("Sent"), exchange.bytesSent.sum(), CellKind::Bytes),
                     line(Text::tr("Contiguous run"), exchange.runBytes, CellKind::Bytes),
                     line(Text::tr("Exchange code"), exchange.codeBytes.sum(), CellKind::Bytes),
                     cyclesLine(exchange.cycles.max().value, profile.machine())};
    return node;
}

ValueNode variablesNode(const QString& title, const std::vector<VariableId>& ids,
                        const IdVector<VariableId, Variable>& variables) {
    ValueNode node = line(title, static_cast<std::int64_t>(ids.size()), CellKind::Count);
    for (const VariableId id : ids)
        node.children.push_back(line(QString::fromStdString(variables[id].name),
                                     variables[id].bytes.sum(), CellKind::Bytes));
    return node;
}

} // namespace

ValueTree programDetails(const OpenProfile& profile, ProgramId id, const std::stop_token& stop) {
    const auto programs = profile.programs(stop);
    const Program& program = (*programs)[id];
    ValueTree tree{Text::tr("Property"), {Text::tr("Value")}, {}, true};
    auto& roots = tree.roots;
    roots.push_back(line(Text::tr("Kind"), std::string(toString(program.kind))));
    if (!program.name.empty())
        roots.push_back(line(Text::tr("Name"), program.name));
    if (program.operation.valid()) {
        const Operation& operation = (*profile.operations(stop))[program.operation];
        roots.push_back(line(Text::tr("Operation"), operation.name + " (" + operation.type + ")"));
    }
    if (program.kind == ProgramKind::Repeat)
        roots.push_back(line(Text::tr("Repetitions"), program.count, CellKind::Count));
    if (program.target.valid())
        roots.push_back(line(Text::tr("Runs function"), programLabel((*programs)[program.target])));
    if (program.computeSet.valid())
        roots.push_back(computeSetNode(profile, program.computeSet, stop));
    if (program.exchange.valid())
        roots.push_back(exchangeNode(profile, program.exchange, stop));
    if (!program.controlCode.empty())
        roots.push_back(line(Text::tr("Control code"), program.controlCode.sum(), CellKind::Bytes));
    if (program.variablesRead.empty() && program.variablesWritten.empty())
        return tree;
    const auto variables = profile.variables(stop);
    if (!program.variablesRead.empty())
        roots.push_back(
            variablesNode(Text::tr("Variables read"), program.variablesRead, *variables));
    if (!program.variablesWritten.empty())
        roots.push_back(
            variablesNode(Text::tr("Variables written"), program.variablesWritten, *variables));
    return tree;
}

} // namespace tilescope::views
