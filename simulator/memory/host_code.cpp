#include "simulator/memory/host_code.h"

#include "simulator/cost/footprint.h"

namespace tilescope::sim {
namespace {

bool isStreamStep(const Program& program) {
    return program.kind == ProgramKind::StreamCopyBegin ||
           program.kind == ProgramKind::StreamCopyMid || program.kind == ProgramKind::StreamCopyEnd;
}

} // namespace

HostCode::HostCode(const Profile& profile, const Target& target)
    : profile_(profile)
    , target_(target) {}

void HostCode::addPrograms() {
    code_.add(TileSeries(TileId(0), target_.totalTiles(), hostCodeBytesBase));
    for (const Program& program : profile_.programs)
        if (!program.children.empty())
            addSequence(program);
}

void HostCode::addSequence(const Program& parent) {
    Phase phase;
    const auto finish = [&] {
        if (!phase.empty())
            addPhase(phase);
        phase.clear();
    };
    for (const ProgramId child : parent.children) {
        const Program& step = profile_.programs[child];
        if (!isStreamStep(step)) {
            finish();
            continue;
        }
        const Stream& stream = profile_.streams[step.stream];
        if (!phase.empty()) {
            const Stream& before = profile_.streams[phase.back().first];
            if (before.toDevice != stream.toDevice ||
                before.remoteBuffer.valid() != stream.remoteBuffer.valid())
                finish();
        }
        if (step.kind == ProgramKind::StreamCopyMid)
            phase.emplace_back(step.stream,
                               stream.toDevice ? step.variablesWritten : step.variablesRead);
    }
    finish();
}

void HostCode::addPhase(const Phase& phase) {
    if (!phases_.insert(phase).second)
        return;
    TileSeries taking;
    for (const Copy& copy : phase) {
        taking += profile_.streams[copy.first].bytes;
        addCopy(copy);
    }
    addWrapper(taking);
}

void HostCode::addCopy(const Copy& copy) {
    const Stream& stream = profile_.streams[copy.first];
    const bool shared = stream.remoteBuffer.valid();
    if (!copies_.insert(shared ? Copy{copy.first, {}} : copy).second)
        return;
    if (copy.second.size() < 2) {
        addBytes(stream.toDevice, stream.bytes);
        return;
    }
    for (const VariableId variable : copy.second)
        addBytes(stream.toDevice, profile_.variables[variable].bytes);
}

void HostCode::addBytes(bool toDevice, const TileSeries& bytes) {
    code_.add(
        bytes.mapped([&](std::int64_t onTile) { return hostCopyCodeBytes(toDevice, onTile); }));
    headers_.add(bytes.mapped([&](std::int64_t onTile) {
        return hostPackets(toDevice, onTile) * hostPacketHeaderBytes;
    }));
}

void HostCode::addWrapper(const TileSeries& taking) {
    for (std::int32_t ipu = 0; ipu < target_.ipus; ++ipu) {
        const std::int32_t first = ipu * target_.tilesPerIpu;
        const TileSeries here = taking.slice(first, first + target_.tilesPerIpu);
        if (here.empty())
            continue;
        code_.add(TileSeries(TileId(first), target_.tilesPerIpu, hostIdleCodeBytes));
        code_.add(here.ones(), hostPhaseCodeBytes - hostIdleCodeBytes);
    }
}

void HostCode::addResults(const TileSeries& bytes) {
    if (bytes.empty())
        return;
    addBytes(false, bytes);
    addWrapper(bytes);
}

} // namespace tilescope::sim
