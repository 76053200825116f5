#include "simulator/memory/code.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/base/ceil_div.h"
#include "core/options/engine_options.h"
#include "simulator/cost/footprint.h"
#include "simulator/memory/host_code.h"

namespace tilescope::sim {
namespace {

/// Tiles of `used` that count cycles at that level.
TileSeries countingTiles(const TileSeries& used, ComputeCounters level, const Target& target) {
    if (level == ComputeCounters::Tile)
        return used.ones();
    if (level == ComputeCounters::Device)
        return TileSeries(TileId(0), 1, 1);
    TileSum first;
    for (std::int32_t tile = 0; tile < target.totalTiles(); tile += target.tilesPerIpu)
        if (used.sum(tile, tile + target.tilesPerIpu) > 0)
            first.add(TileSeries(TileId(tile), 1, 1));
    return first.series();
}

void addCounters(TileSum& results, const ComputeSet& set, ComputeCounters level,
                 const Target& target) {
    if (level == ComputeCounters::Off)
        return;
    if (level != ComputeCounters::Vertex) {
        results.add(countingTiles(set.cycles, level, target), instrumentationBytes);
        return;
    }
    for (const VertexInstances& use : set.vertices)
        results.add(use.count, instrumentationBytes);
}

/// Removes the counting calls from compute sets whose cycles are not counted.
void dropCounterCode(Profile& profile) {
    for (Program& program : profile.programs)
        if (program.kind == ProgramKind::OnTileExecute)
            program.controlCode =
                program.controlCode.ones().scaled(controlBytesExecute - controlBytesCounters);
}

bool isExternal(const Program& program) {
    return program.kind == ProgramKind::GlobalExchange ||
           program.kind == ProgramKind::StreamCopyMid;
}

/// Adds what codelets have in common to the first of them on each tile.
void addSharedCode(Profile& profile) {
    std::map<std::string, TileSeries> present;
    for (VertexType& type : profile.vertexTypes) {
        const TileSeries uses = type.codeBytes;
        for (const SharedCode& shared : sharedCode(type.name)) {
            TileSeries& there = present[shared.name];
            type.codeBytes += TileSeries::zip(uses, there, [&](std::int64_t use, std::int64_t has) {
                return use > 0 && has == 0 ? shared.bytes : 0;
            });
            there += uses;
        }
    }
}

std::int64_t stackBytes(const EngineOptions& options, const Target& target) {
    // An impossible stack size is taken for one that does not fit, or for none.
    const auto stack = [&](std::string_view key, std::int64_t byDefault) {
        return std::clamp<std::int64_t>(engineNumber(options, key, byDefault), 0,
                                        target.bytesPerTile);
    };
    return target.workers * stack("target.workerStackSizeInBytes", workerStackBytes) +
           stack("target.supervisorStackSizeInBytes", supervisorStackBytes);
}

/// No code is compiled: what programs, exchanges and codelets would take is nowhere.
void takeCodeOut(Profile& profile) {
    for (VertexType& type : profile.vertexTypes)
        type.codeBytes = {};
    for (Exchange& exchange : profile.exchanges)
        exchange.codeBytes = {};
    for (Program& program : profile.programs)
        program.controlCode = {};
}

} // namespace

Instrumentation instrumentationOf(const EngineOptions& options) {
    Instrumentation made;
    const bool all = engineSwitch(options, "debug.instrument", true);
    const std::string_view level = engineChoice(options, "debug.computeInstrumentationLevel");
    const auto& levels = findEngineOption("debug.computeInstrumentationLevel")->values;
    made.compute = all && engineSwitch(options, "debug.instrumentCompute", true)
                       ? static_cast<ComputeCounters>(
                             std::find(levels.begin(), levels.end(), level) - levels.begin())
                       : ComputeCounters::Off;
    made.externalExchange = all && engineSwitch(options, "debug.instrumentExternalExchange", false);
    return made;
}

void addCodeVariables(ProgramBuilder& builder, const MachineOptions& machine,
                      const EngineOptions& options) {
    const Instrumentation instrumentation = instrumentationOf(options);
    addSharedCode(builder.lowered().profile);
    const Profile& profile = builder.lowered().profile;
    const std::int32_t tiles = builder.machine().totalTiles();
    const TileSeries everywhere(TileId(0), tiles, 1);
    TileSum vertexCode, descriptors, control, exchangeCode, globalCode, globalHeaders, results;

    for (const VertexType& type : profile.vertexTypes)
        vertexCode.add(type.codeBytes);
    for (const ComputeSet& set : profile.computeSets) {
        for (const VertexInstances& use : set.vertices) {
            if (isCopyVertex(profile.vertexTypes[use.type].name))
                descriptors.add(use.count.ones().scaled(copyDescriptorBytes));
        }
        addCounters(results, set, instrumentation.compute, builder.machine());
    }
    if (instrumentation.externalExchange)
        results.add(everywhere,
                    instrumentationBytes * std::count_if(profile.programs.begin(),
                                                         profile.programs.end(), isExternal));
    if (instrumentation.compute == ComputeCounters::Off)
        dropCounterCode(builder.lowered().profile);
    control.add(everywhere, controlBytesBase);
    std::vector<bool> isGlobal(profile.exchanges.size());
    for (const Program& program : profile.programs) {
        control.add(program.controlCode);
        if (program.kind == ProgramKind::GlobalExchange)
            isGlobal[program.exchange.index()] = true;
    }
    for (std::size_t i = 0; i < isGlobal.size(); ++i) {
        const Exchange& exchange = profile.exchanges[ExchangeId(i)];
        (isGlobal[i] ? globalCode : exchangeCode).add(exchange.codeBytes);
        // An exchange that shares code with another shares its headers.
        if (isGlobal[i] && !exchange.codeBytes.empty())
            globalHeaders.add(exchange.bytesSent.mapped([](std::int64_t bytes) {
                return ceilDiv(bytes, globalPacketBytes) * globalPacketHeaderBytes;
            }));
    }
    HostCode host(profile, builder.machine());
    host.addPrograms();
    host.addResults(results.series()); // that the host reads

    builder.setOperation({});
    const auto add = [&](MemoryCategory category, const TileSeries& bytes) {
        if (!bytes.empty())
            builder.alwaysLive(std::string(toString(category)), category, bytes);
    };
    add(MemoryCategory::VertexInstanceState, builder.lowered().instanceState.series());
    add(MemoryCategory::VertexFieldData, builder.lowered().fieldData.series());
    add(MemoryCategory::CopyDescriptor, descriptors.series());
    const bool hasControlId =
        std::any_of(profile.variables.begin(), profile.variables.end(),
                    [](const Variable& v) { return v.category == MemoryCategory::ControlId; });
    if (!hasControlId)
        add(MemoryCategory::ControlId, TileSeries(TileId(0), 1, 8));
    add(MemoryCategory::HostExchangePacketHeader, host.headers());
    add(MemoryCategory::GlobalExchangePacketHeader, globalHeaders.series());
    add(MemoryCategory::InstrumentationResults, results.series());
    if (machine.ipuModel && !machine.ipuModelCompilesCode)
        return takeCodeOut(builder.lowered().profile);
    add(MemoryCategory::VertexCode, vertexCode.series());
    add(MemoryCategory::ControlCode, control.series());
    add(MemoryCategory::InternalExchangeCode, exchangeCode.series());
    add(MemoryCategory::GlobalExchangeCode, globalCode.series());
    add(MemoryCategory::HostExchangeCode, host.code());
    add(MemoryCategory::Stack, everywhere.scaled(stackBytes(options, builder.machine())));
}

} // namespace tilescope::sim
