#include "simulator/pipeline/buffers.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>
#include <set>

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

/// A tensor and a stage whose backward pass reads it: each waits for its own micro-batch.
using Use = std::pair<TensorId, std::int32_t>;

/// Micro-batches that wait in the buffers of a stage.
using Depth = std::function<std::int64_t(std::int32_t stage)>;

/// Operations to add before and after those that a graph has.
class Additions {
public:
    explicit Additions(const Graph& graph)
        : before_(graph.ops.size())
        , after_(graph.ops.size()) {}

    std::vector<Op>& before(OpId op) { return before_[op.index()]; }
    /// Of no operation: before all.
    std::vector<Op>& after(OpId op) { return op.valid() ? after_[op.index()] : leading_; }

    void addTo(Graph& graph) {
        IdVector<OpId, Op> ops;
        for (Op& op : leading_)
            ops.add(std::move(op));
        for (std::size_t i = 0; i < before_.size(); ++i) {
            for (Op& op : before_[i])
                ops.add(std::move(op));
            ops.add(std::move(graph.ops[OpId(i)]));
            for (Op& op : after_[i])
                ops.add(std::move(op));
        }
        graph.ops = std::move(ops);
    }

private:
    std::vector<std::vector<Op>> before_, after_;
    std::vector<Op> leading_;
};

TensorId activationLike(Graph& graph, TensorId id, std::string name) {
    Tensor made = graph.tensors[id];
    made.name = std::move(name);
    made.role = TensorRole::Activation;
    return graph.tensors.add(std::move(made));
}

/// True for what takes a tensor to another stage, at the end of a slot.
bool isForOtherStage(const Op& op) {
    return std::holds_alternative<IpuCopyAttributes>(op.attributes) ||
           std::holds_alternative<FifoAttributes>(op.attributes);
}

/// True for operations that read what waits for the backward pass.
bool readsWaiting(const Op& op) {
    return op.pass == Pass::Backward && !isForOtherStage(op);
}

/// Gives the backward pass views of its own, so that it reads the tensors that they refer to. Views
/// that run again have their place in it already.
class ViewRepeater {
public:
    ViewRepeater(Graph& graph, const Depth& depth, bool fifo)
        : graph_(graph)
        , depth_(depth)
        , fifo_(fifo)
        , producers_(graph.producers())
        , additions_(graph) {}

    void run() {
        for (std::size_t i = 0; i < graph_.ops.size(); ++i) {
            if (!readsWaiting(graph_.ops[OpId(i)]))
                continue;
            for (TensorId& in : graph_.ops[OpId(i)].inputs)
                in = repeated(in, OpId(i));
        }
        additions_.addTo(graph_);
    }

private:
    TensorId repeated(TensorId id, OpId reader) {
        if (id.index() >= producers_.size() || !producers_[id.index()].valid())
            return id;
        const Op& maker = graph_.ops[producers_[id.index()]];
        if (!isPureView(maker) || maker.pass != Pass::Forward || maker.recomputeGroup >= 0)
            return id;
        const std::int32_t stage = graph_.ops[reader].stage;
        if (depth_(stage) == 0 && !fifo_)
            return id;
        if (const auto known = repeated_.find({id, stage}); known != repeated_.end())
            return known->second;
        Op view = maker;
        view.inputs = {repeated(view.inputs[0], reader)};
        view.name += "/restored";
        view.pass = Pass::Backward;
        view.stage = stage;
        const TensorId result = activationLike(graph_, id, graph_.tensors[id].name + "/restored");
        view.outputs = {result};
        additions_.before(reader).push_back(std::move(view));
        return repeated_[{id, stage}] = result;
    }

    Graph& graph_;
    const Depth& depth_;
    const bool fifo_;
    const std::vector<OpId> producers_;
    Additions additions_;
    std::map<Use, TensorId> repeated_;
};

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
        , additions_(graph) {}

    void run() {
        findReaders();
        restoreRecomputed();
        for (std::size_t i = 0; i < graph_.ops.size(); ++i) {
            if (!readsWaiting(graph_.ops[OpId(i)]))
                continue;
            for (TensorId& in : graph_.ops[OpId(i)].inputs)
                in = waited(in, graph_.ops[OpId(i)].stage);
        }
        additions_.addTo(graph_);
    }

private:
    /// True if the backward pass of a stage reads another micro-batch of a tensor than its forward
    /// pass has made last.
    [[nodiscard]] bool waits(TensorId id, std::int32_t stage) const {
        if (id.index() >= producers_.size() || stays(graph_.tensors[id].role))
            return false;
        const OpId maker = producers_[id.index()];
        if (maker.valid() && graph_.ops[maker].pass != Pass::Forward)
            return false;
        return (depth_(stage) > 0 || fifo_) && reruns_.groupOf(id) < 0;
    }

    /// Where the backward pass first needs each tensor that waits, for itself or for what runs
    /// again before it.
    void findReaders() {
        const auto note = [&](const Op& op, OpId reader) {
            for (const TensorId in : op.inputs)
                if (waits(in, op.stage)) {
                    OpId& first = readers_.emplace(Use{in, op.stage}, reader).first->second;
                    first = std::min(first, reader);
                }
        };
        for (std::size_t i = 0; i < graph_.ops.size(); ++i) {
            const Op& op = graph_.ops[OpId(i)];
            if (isForOtherStage(op))
                senders_[op.inputs[0]].push_back(OpId(i));
            else if (readsWaiting(op))
                note(op, OpId(i));
            else if (const OpId reader = reruns_.readerOf(op); reader.valid())
                note(op, reader);
        }
    }

    /// Recomputed operations read the same tensors as the first time: these are restored to their
    /// own place.
    void restoreRecomputed() {
        for (std::size_t i = 0; i < graph_.ops.size(); ++i) {
            const Op& op = graph_.ops[OpId(i)];
            if (!reruns_.readerOf(op).valid())
                continue;
            for (const TensorId in : op.inputs)
                if (waits(in, op.stage) && !waiting_.contains({in, op.stage}))
                    restoreInPlace(in, op.stage);
        }
    }

    void restoreInPlace(TensorId id, std::int32_t stage) {
        const std::int64_t rows = depth_(stage);
        auto& after = additions_.after(producers_[id.index()]);
        const std::string name = nameOfUse(id, stage);
        const TensorId held = activationLike(graph_, id, name + (fifo_ ? "/fifo" : "/stash"));
        const TensorId out = activationLike(graph_, id, name + "/restore");
        if (fifo_) {
            const TensorId in = fifoIsLast_ || isThroughFifo(id)
                                    ? copied(id, name + "/fifoInput", after, stage)
                                    : id;
            after.push_back(
                step(name + "/fifo", "Fifo", FifoAttributes{rows}, in, held, Pass::Forward, stage));
        } else
            after.push_back(step(name + "/stash", "Stash", StashAttributes{rows}, id, held,
                                 Pass::Forward, stage));
        Op restore = step(name + "/restore", "Restore", RestoreAttributes{fifo_ ? 1 : rows}, held,
                          out, Pass::Backward, stage);
        restore.inputs.push_back(id);
        additions_.before(readers_.at({id, stage})).push_back(std::move(restore));
        waiting_[{id, stage}] = out;
        sendCopy(id, after, stage);
    }

    /// Stages on an IPU read its inputs in place: each has a buffer, and the second a name, of its
    /// own.
    [[nodiscard]] std::string nameOfUse(TensorId id, std::int32_t stage) const {
        const auto other = waiting_.lower_bound({id, std::numeric_limits<std::int32_t>::min()});
        const bool isFirst = other == waiting_.end() || other->first.first != id;
        const std::string& name = graph_.tensors[id].name;
        return isFirst ? name : fmt::format("{}/stage{}", name, stage);
    }

    /// True for what comes from another stage on the IPU: its FIFO advances at the end of a slot,
    /// too, so that the next one takes a copy.
    [[nodiscard]] bool isThroughFifo(TensorId id) const {
        const OpId maker = producers_[id.index()];
        return maker.valid() &&
               std::holds_alternative<FifoAttributes>(graph_.ops[maker].attributes);
    }

    /// What another stage or the host needs leaves at the end of the slot, when an older
    /// micro-batch may be in the tensor's place: a copy leaves (popart transforms/pipeline.cpp,
    /// isConsumedByCopy).
    void sendCopy(TensorId id, std::vector<Op>& after, std::int32_t stage) {
        const auto senders = senders_.find(id);
        const auto output = std::ranges::find(graph_.outputs, id);
        if (senders == senders_.end() && output == graph_.outputs.end())
            return;
        if (!sent_.insert(id).second) // for another stage on the IPU
            return;
        const TensorId sent =
            copied(id, graph_.tensors[id].name + "/sent", after, homeOf(id, stage));
        if (senders != senders_.end())
            for (const OpId sender : senders->second)
                graph_.ops[sender].inputs[0] = sent;
        if (output == graph_.outputs.end())
            return;
        std::ranges::replace(graph_.outputs, id, sent);
        graph_.tensors[sent].name = graph_.tensors[id].name; // the host asks for it by this name
    }

    /// The stage that makes a tensor, or the first to read it where it arrives from elsewhere.
    [[nodiscard]] std::int32_t homeOf(TensorId id, std::int32_t otherwise) const {
        const OpId maker = producers_[id.index()];
        if (maker.valid() && !isForOtherStage(graph_.ops[maker]))
            return graph_.ops[maker].stage;
        for (const Op& op : graph_.ops)
            if (!std::holds_alternative<FifoAttributes>(op.attributes) &&
                std::ranges::find(op.inputs, id) != op.inputs.end())
                return op.stage;
        return otherwise;
    }

    /// The backward program restores an older micro-batch into the tensor's place before the FIFO
    /// takes it, so the FIFO takes a copy.
    TensorId copied(TensorId id, const std::string& name, std::vector<Op>& after,
                    std::int32_t stage) {
        const TensorId made = activationLike(graph_, id, name);
        after.push_back(step(name, "Identity", ElementwiseAttributes{ElementwiseFunction::Copy}, id,
                             made, Pass::Forward, stage));
        return made;
    }

    /// The tensor that a backward operation of a stage reads instead of a forward one.
    TensorId waited(TensorId id, std::int32_t stage) {
        if (!waits(id, stage))
            return id;
        const auto known = waiting_.find({id, stage});
        return known != waiting_.end() ? known->second
                                       : waiting_[{id, stage}] = buffered(id, stage);
    }

    TensorId buffered(TensorId id, std::int32_t stage) {
        const std::int64_t rows = depth_(stage);
        auto& after = additions_.after(producers_[id.index()]);
        const std::string name = nameOfUse(id, stage);
        if (fifo_) {
            const TensorId in =
                isThroughFifo(id) ? copied(id, name + "/fifoInput", after, stage) : id;
            const TensorId out = activationLike(graph_, id, name + "/fifo");
            after.push_back(
                step(name + "/fifo", "Fifo", FifoAttributes{rows}, in, out, Pass::Forward, stage));
            return out;
        }
        const TensorId stash = activationLike(graph_, id, name + "/stash");
        const TensorId out = activationLike(graph_, id, name + "/restore");
        after.push_back(
            step(name + "/stash", "Stash", StashAttributes{rows}, id, stash, Pass::Forward, stage));
        additions_.before(readers_.at({id, stage}))
            .push_back(step(name + "/restore", "Restore", RestoreAttributes{rows}, stash, out,
                            Pass::Backward, stage));
        return out;
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
    const std::vector<OpId> producers_;
    const Reruns reruns_;
    Additions additions_;
    std::map<Use, OpId> readers_; ///< the first of each tensor that waits
    std::map<Use, TensorId> waiting_;
    std::set<TensorId> sent_;                       ///< of which a copy leaves
    std::map<TensorId, std::vector<OpId>> senders_; ///< of a tensor to another stage
};

void insertBuffers(Graph& graph, const Depth& depth, bool fifo, bool fifoIsLast) {
    ViewRepeater(graph, depth, fifo).run();
    BufferInserter(graph, depth, fifo, fifoIsLast).run();
}

} // namespace

void insertActivationBuffers(Graph& graph, const PipelineSchedule& schedule) {
    insertBuffers(
        graph, [&](std::int32_t stage) { return schedule.bufferDepth(stage); }, schedule.usesFifo(),
        schedule.kind == Schedule::Grouped);
}

void insertActivationStores(Graph& graph) {
    insertBuffers(
        graph, [](std::int32_t) { return 1; }, false, false);
}

} // namespace tilescope::sim
