// Copies between tiles and streaming memory.
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "simulator/lowering/operations/families.h"

namespace tilescope::sim {
namespace {

void addTo(LoweringContext& context, const std::string& kind, const Op& op,
           const RemoteCopy& copy) {
    context.remoteMemory().addCopy(context.builder(), kind, op, copy);
}

class RemoteEmitter {
public:
    explicit RemoteEmitter(LoweringContext& context)
        : context_(context)
        , b_(context.builder()) {}

    void emit(const RemoteGroup& group) {
        b_.setOperation(group.operation);
        auto open = b_.moveTo(group.sequence);
        std::vector<StreamId> streams;
        for (const RemoteCopy& copy : group.copies)
            streams.push_back(streamOf(copy));
        b_.streamStep(ProgramKind::StreamCopyBegin, streams.front(), nameOf(group, 0), {});
        for (std::size_t i = 0; i < streams.size(); ++i) {
            const VariableId variable = variableOf(group.copies[i]);
            const ProgramId copied =
                b_.streamStep(ProgramKind::StreamCopyMid, streams[i], nameOf(group, i), {variable});
            if (group.toDevice)
                b_.lowered().kills.emplace(copied, variable);
        }
        b_.streamStep(ProgramKind::StreamCopyEnd, streams.back(), nameOf(group, streams.size() - 1),
                      {});
        b_.resume(std::move(open));
        b_.setOperation({});
    }

private:
    [[nodiscard]] std::string nameOf(const RemoteGroup& group, std::size_t copy) const {
        const RemoteCopy& one = group.copies[copy];
        return fmt::format("{}[{}]/{}", buffer(one).name, one.row.row,
                           context_.tensor(one.tensor).name);
    }

    [[nodiscard]] const RemoteBuffer& buffer(const RemoteCopy& copy) const {
        return context_.remoteMemory().buffers().at(static_cast<std::size_t>(copy.row.buffer));
    }

    [[nodiscard]] VariableId variableOf(const RemoteCopy& copy) const {
        return copy.variable.valid() ? copy.variable : context_.arrivalOf(copy.tensor)->variable;
    }

    /// Rows that lie alike on the tiles are copied by one stream.
    StreamId streamOf(const RemoteCopy& copy) {
        if (!copy.variable.valid())
            context_.ensurePlace(copy.tensor);
        const VariableId variable = variableOf(copy);
        const TileSeries& bytes = b_.lowered().profile.variables[variable].bytes;
        for (const auto& [id, buffer, toDevice] : streams_)
            if (buffer == copy.row.buffer && toDevice == copy.toDevice &&
                b_.lowered().profile.streams[id].bytes == bytes)
                return id;
        const StreamId id = b_.stream(buffer(copy).name, copy.toDevice, bytes);
        b_.lowered().profile.streams[id].remoteBuffer = RemoteBufferId(copy.row.buffer);
        streams_.emplace_back(id, copy.row.buffer, copy.toDevice);
        return id;
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    std::vector<std::tuple<StreamId, std::int32_t, bool>> streams_;
};

} // namespace

void lowerRemoteLoad(LoweringContext& context, const Op& op) {
    const auto& load = std::get<RemoteLoadAttributes>(op.attributes);
    const bool again = !op.inputs.empty();
    if (again)
        context.makeArrival(op.outputs[0], op.inputs[0]);
    addTo(context, "RemoteLoad", op,
          {again ? op.inputs[0] : op.outputs[0], {}, {load.buffer, load.row}, true});
}

void lowerRemoteStore(LoweringContext& context, const Op& op) {
    const auto& store = std::get<RemoteStoreAttributes>(op.attributes);
    context.makeArrival(op.outputs[0], op.inputs[0]);
    addTo(context, "RemoteStore", op, {op.inputs[0], {}, {store.buffer, store.row}, false});
}

void lowerRemoteStash(LoweringContext& context, const Op& op) {
    const TensorId in = op.inputs[0];
    context.ensurePlace(in);
    const RemoteRow row = context.remoteMemory().addRows(
        context.tensor(in), std::get<StashAttributes>(op.attributes).rows);
    context.makeOffChip(op.outputs[0], in);
    context.remoteMemory().setRowOf(op.outputs[0], row);
    addTo(context, "RemoteStore", op, {in, context.variableOf(in), row, false});
}

void lowerRemoteRestore(LoweringContext& context, const Op& op) {
    const TensorId stash = op.inputs[0];
    VariableId restored;
    if (op.inputs.size() > 1) {
        restored = context.variableOf(op.inputs[1]);
        context.makeView(op.outputs[0], op.inputs[1], context.viewOf(op.inputs[1]));
    } else {
        restored = context.makeResult(op.outputs[0], op.name, context.storageOf(stash).storage,
                                      context.viewOf(stash));
    }
    const RemoteRow row = context.remoteMemory().rowOf(stash);
    addTo(context, "RemoteLoad", op, {op.outputs[0], restored, row, true});
}

void lowerRemoteFifo(LoweringContext& context, const Op& op) {
    const TensorId in = op.inputs[0];
    context.ensurePlace(in);
    const RemoteRow row = context.remoteMemory().addRows(
        context.tensor(in), std::get<FifoAttributes>(op.attributes).rows);
    const VariableId source = context.variableOf(in);
    const VariableId out = context.makeResult(op.outputs[0], op.name + "/out",
                                              context.storageOf(in).storage, context.viewOf(in));
    context.startEmpty(source);
    addTo(context, "RemoteLoad", op, {op.outputs[0], out, row, true});
    addTo(context, "RemoteStore", op, {in, source, row, false});
}

void emitRemoteCopies(LoweringContext& context) {
    auto& profile = context.builder().lowered().profile;
    for (const RemoteBuffer& buffer : context.remoteMemory().buffers())
        profile.remoteBuffers.add(buffer);
    RemoteEmitter emitter(context);
    for (const RemoteGroup& group : context.remoteMemory().groups())
        emitter.emit(group);
}

} // namespace tilescope::sim
