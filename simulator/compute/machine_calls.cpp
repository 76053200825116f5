// Operations that run others or move values: calls, loops, stashes, FIFOs and remote buffers.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/error.h"
#include "simulator/compute/machine.h"

namespace tilescope::sim {
namespace {

/// A row of the first dimension.
TensorData rowOf(const TensorData& rows, const Shape& shape, std::int64_t row) {
    TensorData one(rows.type(), shape);
    const std::int64_t size = one.elements();
    if (rows.isReal())
        std::copy_n(rows.reals().data() + row * size, size, one.reals().data());
    else
        std::copy_n(rows.ints().data() + row * size, size, one.ints().data());
    return one;
}

void setRow(TensorData& rows, const TensorData& one, std::int64_t row) {
    const std::int64_t size = one.elements();
    if (rows.isReal())
        std::copy_n(one.reals().data(), size, rows.reals().data() + row * size);
    else
        std::copy_n(one.ints().data(), size, rows.ints().data() + row * size);
}

} // namespace

/// A function as an operation runs it, with its constants.
Machine::Frame Machine::called(Frame& frame, const Op& op, std::int32_t function) {
    const auto index = static_cast<std::size_t>(function);
    const Graph& body = graph_.functions[index];
    Frame inner{&body, {}, streamsOf(frame, op)};
    inner.function = FunctionIndex(index);
    inner.calls = frame.calls;
    inner.calls.push_back(&op);
    inner.values.assign(frame.values.size(), Values(body.tensors.size()));
    for (std::size_t i = 0; i < body.tensors.size(); ++i)
        if (const Tensor& tensor = body.tensors[TensorId(i)]; tensor.role == TensorRole::Constant)
            for (Values& values : inner.values)
                values[TensorId(i)] = initialValue(tensor);
    return inner;
}

void Machine::runCall(Frame& frame, const Op& op, std::int64_t microBatch) {
    Frame inner = called(frame, op, std::get<CallAttributes>(op.attributes).function);
    for (std::size_t r = 0; r < frame.values.size(); ++r)
        for (std::size_t i = 0; i < op.inputs.size(); ++i)
            inner.values[r][inner.graph->inputs[i]] = frame.values[r][op.inputs[i]];
    runOps(inner, plan_.functions[inner.function.index()], microBatch);
    for (std::size_t r = 0; r < frame.values.size(); ++r)
        for (std::size_t i = 0; i < op.outputs.size(); ++i)
            frame.values[r][op.outputs[i]] = inner.values[r][inner.graph->outputs[i]];
}

void Machine::runLoop(Frame& frame, const Op& op, const LoopAttributes& loop,
                      std::int64_t microBatch) {
    Frame inner = called(frame, op, loop.function);
    const Graph& body = *inner.graph;
    const auto states = static_cast<std::size_t>(loop.states);
    const std::size_t given = states - static_cast<std::size_t>(loop.zeroStates);
    const auto sequences = static_cast<std::size_t>(loop.sequences);
    for (std::size_t r = 0; r < frame.values.size(); ++r) {
        for (std::size_t i = 0; i < states; ++i) {
            const Tensor& state = body.tensors[body.inputs[i]];
            inner.values[r][body.inputs[i]] = i < given
                                                  ? frame.values[r][op.inputs[i]].copy()
                                                  : TensorData::filled(state.type, state.shape, 0);
        }
        for (std::size_t i = states + sequences; i < body.inputs.size(); ++i)
            inner.values[r][body.inputs[i]] =
                frame.values[r][op.inputs[i - static_cast<std::size_t>(loop.zeroStates)]];
        for (std::size_t i = states; i < op.outputs.size(); ++i) {
            const Tensor& rows = frame.graph->tensors[op.outputs[i]];
            frame.values[r][op.outputs[i]] = TensorData(rows.type, rows.shape);
        }
    }
    for (std::int64_t step = 0; step < loop.steps; ++step) {
        const std::int64_t row = loop.backwards ? loop.steps - 1 - step : step;
        for (std::size_t r = 0; r < frame.values.size(); ++r)
            for (std::size_t i = 0; i < sequences; ++i) {
                const TensorId in = body.inputs[states + i];
                inner.values[r][in] =
                    rowOf(frame.values[r][op.inputs[given + i]], body.tensors[in].shape, row);
            }
        inner.nextStream = 0;
        runOps(inner, plan_.functions[inner.function.index()], microBatch);
        for (std::size_t r = 0; r < frame.values.size(); ++r) {
            std::vector<TensorData> next;
            for (std::size_t i = 0; i < states; ++i)
                next.push_back(inner.values[r][body.outputs[i]]);
            for (std::size_t i = states; i < op.outputs.size(); ++i)
                setRow(frame.values[r][op.outputs[i]], inner.values[r][body.outputs[i]], row);
            for (std::size_t i = 0; i < states; ++i)
                inner.values[r][body.inputs[i]] = std::move(next[i]);
        }
    }
    for (std::size_t r = 0; r < frame.values.size(); ++r)
        for (std::size_t i = 0; i < states; ++i)
            frame.values[r][op.outputs[i]] = inner.values[r][body.inputs[i]];
}

void Machine::runMovement(Frame& frame, const Op& op, std::int64_t replica) {
    const auto r = static_cast<std::size_t>(replica);
    Values& values = frame.values[r];
    const TensorId out = op.outputs[0];
    const auto in = [&](std::size_t i) -> TensorData& { return values[op.inputs.at(i)]; };
    if (std::holds_alternative<IpuCopyAttributes>(op.attributes)) {
        values[out] = in(0).copy();
    } else if (std::holds_alternative<StashAttributes>(op.attributes)) {
        waiting_[r][out].push_back(in(0));
    } else if (std::holds_alternative<RestoreAttributes>(op.attributes)) {
        auto& rows = waiting_[r][op.inputs[0]];
        if (!rows.empty()) {
            values[out] = std::move(rows.front());
            rows.pop_front();
        } else {
            values[out] = in(0); // a FIFO has moved it on already
        }
        if (op.inputs.size() > 1)
            in(1) = values[out];
    } else if (const auto* fifo = std::get_if<FifoAttributes>(&op.attributes)) {
        auto& rows = fifos_[r][out];
        rows.push_back(in(0));
        if (static_cast<std::int64_t>(rows.size()) > fifo->rows) {
            values[out] = std::move(rows.front());
            rows.pop_front();
        }
    } else if (const auto* load = std::get_if<RemoteLoadAttributes>(&op.attributes)) {
        const TensorData& row = remote_[r].at({load->buffer, load->row});
        if (op.inputs.empty()) {
            values[out] = row.copy();
            return;
        }
        setRow(in(0), row, 0); // in place, seen by all that share the tensor
        values[out] = in(0);
    } else if (const auto* store = std::get_if<RemoteStoreAttributes>(&op.attributes)) {
        remote_[r].at({store->buffer, store->row}) = in(0).copy();
        values[out] = in(0);
    } else if (const auto* shard = std::get_if<ShardAttributes>(&op.attributes)) {
        values[out] = shardOf(in(0), frame.graph->tensors[out], replica % shard->shards);
    } else {
        throw InternalError(fmt::format("{} does not move data", op.name));
    }
}

} // namespace tilescope::sim
