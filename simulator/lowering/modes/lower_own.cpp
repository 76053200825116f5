// A program of the user's own, given as a list of operations, without the loops of a framework.
#include "simulator/lowering/modes/modes.h"
#include "simulator/lowering/operations/lower_op.h"

namespace tilescope::sim {
namespace {

/// A user's program as Engine::run enters it: the host selects one of the engine's programs, and
/// all tiles receive the selection (the tree of a published profile). The engine's other programs
/// are not public.
void beginEngineProgram(ProgramBuilder& builder, const std::string& name) {
    constexpr std::int64_t wordBytes = 4;
    builder.beginControlProgram(name);
    const TileSeries word(TileId(0), 1, wordBytes);
    const VariableId id =
        builder.alwaysLive(std::string(toString(MemoryCategory::ControlId)),
                           MemoryCategory::ControlId, word.scaled(2), "unsigned int");
    builder.streamCopy("controlIdToHost", false, word, {id});
    builder.streamCopy("controlIdFromHost", true, word, {id});
    const std::int32_t tiles = builder.machine().totalTiles();
    const auto [copy, target] = builder.names().controlCopyName("switchControlBroadcast");
    const VariableId everywhere = builder.variable(
        target, MemoryCategory::Message, TileSeries(TileId(0), tiles, wordBytes), "unsigned int");
    Traffic traffic;
    traffic.total = tiles - 1;
    traffic.received = TileSeries(TileId(1), tiles - 1, 1);
    traffic.sent = TileSeries(TileId(0), 1, tiles - 1);
    traffic.messages = traffic.received;
    traffic.receivers = traffic.total;
    Movement movement;
    movement.add(builder.machine(), traffic, wordBytes, wordBytes);
    builder.exchange(copy + "/ExchangePre", std::move(movement), {{id}, {everywhere}});
    builder.beginSwitch("switchControl");
    builder.beginSequence(name);
}

void endEngineProgram(ProgramBuilder& builder) {
    for (int opened = 0; opened < 3; ++opened)
        builder.end();
}

} // namespace

void lowerOwnProgram(LoweringContext& context) {
    ProgramBuilder& b = context.builder();
    beginEngineProgram(b, context.graph().name);
    for (std::size_t i = 0; i < context.graph().ops.size(); ++i)
        lowerOp(context, OpId(i));
    endEngineProgram(b);
}

} // namespace tilescope::sim
