// The parts of a program's details that belong to its kind.

#include "core/analysis/programs/programs.h"
#include "views/programs/debug_context.h"
#include "views/programs/program_details.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

ValueNode cyclesLine(const QString& name, std::int64_t cycles, const Target& machine) {
    return valueLine(name, Duration{cycles, machine.clockHz});
}

/// How evenly a step's work is spread over tiles.
void addTileCycles(ValueNode& node, const TileSeries& cycles, const Target& machine) {
    const std::int64_t slowest = cycles.max().value;
    node.children.push_back(
        cyclesLine(Text::tr("Cycles, slowest tile (estimated)"), slowest, machine));
    if (slowest == 0)
        return;
    const std::int64_t tiles = cycles.tilesUsed();
    node.children.push_back(
        valueLine(Text::tr("Slowest tile"), std::int64_t{cycles.max().tile.value()}, Unit::Count));
    node.children.push_back(
        cyclesLine(Text::tr("Cycles, mean of active tiles"), cycles.sum() / tiles, machine));
    node.children.push_back(valueLine(Text::tr("Active tiles"), tiles, Unit::Count));
    node.children.push_back(
        valueLine(Text::tr("Balance of active tiles"),
                  static_cast<double>(cycles.sum()) /
                      (static_cast<double>(slowest) * static_cast<double>(tiles)),
                  Unit::Share));
}

ValueNode vertexNode(const VertexInstances& group, const VertexType& type) {
    ValueNode node =
        valueLine(QString::fromStdString(type.name),
                  Text::tr("vertices: %1").arg(countText(group.count.sum())).toStdString());
    const std::int64_t most = group.count.max().value;
    node.children = {
        valueLine(Text::tr("Tiles"), std::int64_t{group.count.tilesUsed()}, Unit::Count),
        valueLine(Text::tr("Most on a tile"), most, Unit::Count),
        valueLine(Text::tr("Edges a vertex"), std::int64_t{group.edgesPerVertex}, Unit::Count),
        valueLine(Text::tr("State"), group.stateBytes.sum(), Unit::Bytes),
        valueLine(Text::tr("Code of the type, all tiles"), type.codeBytes.sum(), Unit::Bytes)};
    return node;
}

ValueNode computeSetNode(const ProfileView& profile, ComputeSetId id, const std::stop_token& stop) {
    const ComputeSet& set = (*profile.computeSets(stop))[id];
    const auto types = profile.vertexTypes(stop);
    ValueNode node = valueLine(Text::tr("Compute set"), set.name);
    addTileCycles(node, set.cycles, profile.machine());
    for (const VertexInstances& group : set.vertices)
        node.children.push_back(vertexNode(group, (*types)[group.type]));
    return node;
}

ValueNode exchangeNode(const ProfileView& profile, ExchangeId id, const std::stop_token& stop) {
    const Exchange& exchange = (*profile.exchanges(stop))[id];
    ValueNode node = valueLine(Text::tr("Exchange"), exchange.name);
    const auto moved = [&](const QString& bytes, const QString& tiles, const TileSeries& series) {
        node.children.push_back(valueLine(bytes, series.sum(), Unit::Bytes));
        node.children.push_back(valueLine(tiles, std::int64_t{series.tilesUsed()}, Unit::Count));
    };
    moved(Text::tr("Received"), Text::tr("Tiles receiving"), exchange.bytesReceived);
    moved(Text::tr("Sent"), Text::tr("Tiles sending"), exchange.bytesSent);
    node.children.push_back(valueLine(Text::tr("Most received by a tile"),
                                      exchange.bytesReceived.max().value, Unit::Bytes));
    node.children.push_back(
        valueLine(Text::tr("Most sent by a tile"), exchange.bytesSent.max().value, Unit::Bytes));
    node.children.push_back(valueLine(Text::tr("Contiguous run"), exchange.runBytes, Unit::Bytes));
    node.children.push_back(
        valueLine(Text::tr("Exchange code"), exchange.codeBytes.sum(), Unit::Bytes));
    addTileCycles(node, exchange.cycles, profile.machine());
    return node;
}

ValueNode streamNode(const ProfileView& profile, StreamId id, const std::stop_token& stop) {
    const Stream& stream = (*profile.streams(stop))[id];
    ValueNode node = valueLine(Text::tr("Stream"), stream.name);
    node.children = {
        valueLine(Text::tr("Direction"), (stream.toDevice ? Text::tr("from the host to the IPU")
                                                          : Text::tr("from the IPU to the host"))
                                             .toStdString()),
        valueLine(Text::tr("Data"), stream.bytes.sum(), Unit::Bytes),
        valueLine(Text::tr("Tiles"), std::int64_t{stream.bytes.tilesUsed()}, Unit::Count),
        valueLine(Text::tr("Most on a tile"), stream.bytes.max().value, Unit::Bytes)};
    return node;
}

ValueNode operationNode(const Operation& operation) {
    ValueNode node = valueLine(Text::tr("Operation"), operation.name + " (" + operation.type + ")");
    if (!operation.outputShape.empty())
        node.children.push_back(valueLine(Text::tr("Output"), operation.outputShape));
    if (operation.flops > 0)
        node.children.push_back(
            valueLine(Text::tr("Work of one execution"), operation.flops, Unit::Flops));
    addJson(node.children, Text::tr("Options"), operation.options);
    addJson(node.children, Text::tr("Plan"), operation.plan);
    return node;
}

ValueNode variablesNode(const QString& title, const std::vector<VariableId>& ids,
                        const IdVector<VariableId, Variable>& variables) {
    ValueNode node = valueLine(title, static_cast<std::int64_t>(ids.size()), Unit::Count);
    for (const VariableId id : ids)
        node.children.push_back(valueLine(QString::fromStdString(variables[id].name),
                                          variables[id].bytes.sum(), Unit::Bytes));
    return node;
}

} // namespace

std::vector<ValueNode> programParts(const ProfileView& profile, ProgramId id,
                                    const std::stop_token& stop) {
    const auto programs = profile.programs(stop);
    const Program& program = (*programs)[id];
    std::vector<ValueNode> parts;
    if (program.computeSet.valid())
        parts.push_back(computeSetNode(profile, program.computeSet, stop));
    if (program.exchange.valid())
        parts.push_back(exchangeNode(profile, program.exchange, stop));
    if (program.stream.valid())
        parts.push_back(streamNode(profile, program.stream, stop));
    if (program.operation.valid())
        parts.push_back(operationNode((*profile.operations(stop))[program.operation]));
    if (std::optional<ValueNode> context = debugContext(profile, program.operation, stop))
        parts.push_back(std::move(*context));
    if (!program.controlCode.empty())
        parts.push_back(
            valueLine(Text::tr("Control code"), program.controlCode.sum(), Unit::Bytes));
    if (program.variablesRead.empty() && program.variablesWritten.empty())
        return parts;
    const auto variables = profile.variables(stop);
    if (!program.variablesRead.empty())
        parts.push_back(
            variablesNode(Text::tr("Variables read"), program.variablesRead, *variables));
    if (!program.variablesWritten.empty())
        parts.push_back(
            variablesNode(Text::tr("Variables written"), program.variablesWritten, *variables));
    return parts;
}

} // namespace tilescope::views
