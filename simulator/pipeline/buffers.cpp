#include "simulator/pipeline/buffers.h"

#include <algorithm>
#include <functional>
#include <map>

#include "simulator/schedule/reruns.h"

namespace tilescope::sim {
namespace {

bool isPureView(const Op& op) {
    return std::holds_alternative<ReshapeAttributes>(op.attributes) ||
           std::holds_alternative<TransposeAttributes>(op.attributes);
}

/// Weights and constants exist in both passes, and remote tensors are loaded for each.
bool stays(TensorRole role) {
    return role == TensorRole::Weight || role == TensorRole::Constant || role == TensorRole::Remote;
}

/// Micro-batches that wait in the buffers of a stage.
using Depth = std::function<std::int64_t(std::int32_t stage)>;

class BufferInserter {
public:
    /// `fifo`: buffers advance in a step of their own, also where nothing has to wait;
    /// `fifoIsLast`: after the backward program of a slot.
    BufferInserter(Graph& graph, Depth depth, bool fifo, bool fifoIsLast)
        : graph_(graph)
        , depth_(std::move(depth))
        , fifo_(fifo)
        , fifoIsLast_(fifoIsLast)
        , producers_(graph.producers())
        , reruns_(graph)
        , before_(graph.ops.size())
        , after_(graph.ops.size()) {}

    void run() {
        const std::size_t count = graph_.ops.size();
        restoreRecomputed();
        for (std::size_t i = 0; i < count; ++i) {
            if (graph_.ops[OpId(i)].pass != Pass::Backward ||
                std::holds_alternative<IpuCopyAttributes>(graph_.ops[OpId(i)].attributes))
                continue;
            for (std::size_t input = 0; input < graph_.ops[OpId(i)].inputs.size(); ++input) {
                const TensorId id = graph_.ops[OpId(i)].inputs[input];
                graph_.ops[OpId(i)].inputs[input] = waited(id, i);
            }
        }
        IdVector<OpId, Op> ops;
        for (Op& op : leading_)
            ops.add(std::move(op));
        for (std::size_t i = 0; i < count; ++i) {
            for (Op& op : before_[i])
                ops.add(std::move(op));
            ops.add(std::move(graph_.ops[OpId(i)]));
            for (Op& op : after_[i])
                ops.add(std::move(op));
        }
        graph_.ops = std::move(ops);
    }

private:
    /// Recomputed operations read the same tensors as the first time: these are restored to their
    /// own place, before the first backward operation that needs the group of operations.
    void restoreRecomputed() {
        for (std::size_t i = 0; i < graph_.ops.size(); ++i)
            if (const Op& op = graph_.ops[OpId(i)];
                op.pass == Pass::Forward &&
                std::holds_alternative<IpuCopyAttributes>(op.attributes))
                senders_[op.inputs[0]].push_back(OpId(i));
        for (const Op& op : graph_.ops)
            if (const OpId reader = reruns_.readerOf(op); reader.valid())
                for (const TensorId in : op.inputs)
                    restoreInPlace(in, op.stage, reader.index());
    }

    [[nodiscard]] bool isRecomputed(TensorId id) const { return reruns_.groupOf(id) >= 0; }

    void restoreInPlace(TensorId id, std::int32_t stage, std::size_t reader) {
        const TensorRole role = graph_.tensors[id].role;
        const std::int64_t rows = depth_(stage);
        if (stays(role) || isRecomputed(id) || waiting_.contains(id) || (rows == 0 && !fifo_))
            return;
        const OpId maker = producers_[id.index()];
        auto& after = maker.valid() ? after_[maker.index()] : leading_;
        const std::string name = graph_.tensors[id].name;
        const TensorId held = tensorLike(id, name + (fifo_ ? "/fifo" : "/stash"));
        const TensorId out = tensorLike(id, name + "/restore");
        if (fifo_) {
            const TensorId in = fifoIsLast_ ? copied(id, "/fifoInput", after, stage) : id;
            after.push_back(
                step(name + "/fifo", "Fifo", FifoAttributes{rows}, in, held, Pass::Forward, stage));
        } else
            after.push_back(step(name + "/stash", "Stash", StashAttributes{rows}, id, held,
                                 Pass::Forward, stage));
        Op restore = step(name + "/restore", "Restore", RestoreAttributes{fifo_ ? 1 : rows}, held,
                          out, Pass::Backward, stage);
        restore.inputs.push_back(id);
        before_[reader].push_back(std::move(restore));
        waiting_[id] = out;
        sendCopy(id, after, stage);
    }

    /// What another stage or the host needs leaves at the end of the slot, when an older
    /// micro-batch may be in the tensor's place: a copy leaves (popart transforms/pipeline.cpp,
    /// isConsumedByCopy).
    void sendCopy(TensorId id, std::vector<Op>& after, std::int32_t stage) {
        const auto senders = senders_.find(id);
        const auto output = std::ranges::find(graph_.outputs, id);
        if (senders == senders_.end() && output == graph_.outputs.end())
            return;
        const TensorId sent = copied(id, "/sent", after, stage);
        if (senders != senders_.end())
            for (const OpId sender : senders->second)
                graph_.ops[sender].inputs[0] = sent;
        if (output == graph_.outputs.end())
            return;
        std::ranges::replace(graph_.outputs, id, sent);
        graph_.tensors[sent].name = graph_.tensors[id].name; // the host asks for it by this name
    }

    /// The backward program restores an older micro-batch into the tensor's place before the FIFO
    /// takes it, so the FIFO takes a copy.
    TensorId copied(TensorId id, const char* ending, std::vector<Op>& after, std::int32_t stage) {
        const std::string name = graph_.tensors[id].name + ending;
        const TensorId made = tensorLike(id, name);
        after.push_back(step(name, "Identity", ElementwiseAttributes{ElementwiseFunction::Copy}, id,
                             made, Pass::Forward, stage));
        return made;
    }

    /// The tensor that a backward operation (the `reader`-th) reads instead of a forward one.
    TensorId waited(TensorId id, std::size_t reader) {
        if (id.index() >= producers_.size())
            return id;
        const TensorRole role = graph_.tensors[id].role;
        const OpId maker = producers_[id.index()];
        if (stays(role))
            return id;
        if (maker.valid() && graph_.ops[maker].pass != Pass::Forward)
            return id;
        const std::int32_t stage = graph_.ops[OpId(reader)].stage;
        const std::int64_t rows = depth_(stage);
        if (rows == 0 && !fifo_)
            return id;
        if (isRecomputed(id))
            return id;
        if (const auto known = waiting_.find(id); known != waiting_.end())
            return known->second;
        TensorId result;
        if (maker.valid() && isPureView(graph_.ops[maker])) {
            Op view = graph_.ops[maker];
            view.inputs = {waited(view.inputs[0], reader)};
            view.name += "/restored";
            view.pass = Pass::Backward;
            result = tensorLike(id, graph_.tensors[id].name + "/restored");
            view.outputs = {result};
            before_[reader].push_back(std::move(view));
        } else {
            result = buffered(id, maker, rows, stage, reader);
        }
        waiting_[id] = result;
        return result;
    }

    TensorId buffered(TensorId id, OpId maker, std::int64_t rows, std::int32_t stage,
                      std::size_t reader) {
        auto& after = maker.valid() ? after_[maker.index()] : leading_;
        const std::string& name = graph_.tensors[id].name;
        if (fifo_) {
            const TensorId out = tensorLike(id, name + "/fifo");
            after.push_back(
                step(name + "/fifo", "Fifo", FifoAttributes{rows}, id, out, Pass::Forward, stage));
            return out;
        }
        const TensorId stash = tensorLike(id, name + "/stash");
        const TensorId out = tensorLike(id, name + "/restore");
        after.push_back(
            step(name + "/stash", "Stash", StashAttributes{rows}, id, stash, Pass::Forward, stage));
        before_[reader].push_back(step(name + "/restore", "Restore", RestoreAttributes{rows}, stash,
                                       out, Pass::Backward, stage));
        return out;
    }

    TensorId tensorLike(TensorId id, std::string name) {
        Tensor made = graph_.tensors[id];
        made.name = std::move(name);
        made.role = TensorRole::Activation;
        return graph_.tensors.add(std::move(made));
    }

    static Op step(std::string name, std::string type, Attributes attributes, TensorId in,
                   TensorId out, Pass pass, std::int32_t stage) {
        Op op;
        op.name = std::move(name);
        op.type = std::move(type);
        op.attributes = std::move(attributes);
        op.inputs = {in};
        op.outputs = {out};
        op.pass = pass;
        op.stage = stage;
        return op;
    }

    Graph& graph_;
    const Depth depth_;
    const bool fifo_, fifoIsLast_;
    std::vector<OpId> producers_;
    const Reruns reruns_;
    std::vector<std::vector<Op>> before_, after_; ///< of each operation there was
    std::vector<Op> leading_;                     ///< of the graph's inputs
    std::map<TensorId, TensorId> waiting_;
    std::map<TensorId, std::vector<OpId>> senders_; ///< copies of a tensor to another stage
};

} // namespace

void insertActivationBuffers(Graph& graph, const PipelineSchedule& schedule) {
    BufferInserter(
        graph, [&](std::int32_t stage) { return schedule.bufferDepth(stage); }, schedule.usesFifo(),
        schedule.kind == Schedule::Grouped)
        .run();
}

void insertActivationStores(Graph& graph) {
    BufferInserter(
        graph, [](std::int32_t) { return 1; }, false, false)
        .run();
}

} // namespace tilescope::sim
