#include "simulator/pipeline/inter_ipu_copies.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/units.h"
#include "simulator/outline/sequence.h"
#include "simulator/pipeline/stages.h"

namespace tilescope::sim {
namespace {

class CrossingInserter {
public:
    CrossingInserter(Graph& graph, const PipelineSchedule* schedule)
        : graph_(graph)
        , schedule_(schedule)
        , home_(graph.tensors.size(), -1)
        , pass_(graph.tensors.size(), Pass::Forward) {}

    void run() {
        for (const Op& op : graph_.ops)
            for (const TensorId in : op.inputs)
                if (graph_.tensors[in].role != TensorRole::Activation && home_[in.index()] < 0)
                    home_[in.index()] = op.stage;
        for (Op& op : graph_.ops) {
            executionPhase_ = op.executionPhase;
            for (std::size_t i = 0; i < op.inputs.size(); ++i) {
                const TensorId id = op.inputs[i];
                op.inputs[i] = local(id, op.stage, op.pass);
                if (i == 0 && op.inputs[0] != id && overwritesOperand(op) &&
                    graph_.tensors[id].role == TensorRole::Weight)
                    refuseToOverwrite(op, id);
            }
            for (const TensorId out : op.outputs) {
                home_[out.index()] = op.stage;
                pass_[out.index()] = op.pass;
            }
            ops_.add(std::move(op));
        }
        graph_.ops = std::move(ops_);
    }

private:
    /// Its copy would be overwritten, and the new value lost.
    [[noreturn]] void refuseToOverwrite(const Op& op, TensorId id) const {
        throw UserError(fmt::format(
            "{}: '{}' overwrites the variable '{}' in another stage or phase, or on another IPU, "
            "than the one that reads it, which is not simulated; change it where it is read",
            graph_.name, op.name, graph_.tensors[id].name));
    }
    [[nodiscard]] bool areOnOneIpu(std::int32_t a, std::int32_t b) const {
        return graph_.ipuOf(a) == graph_.ipuOf(b);
    }

    /// The tensor as an operation of `phase` in `stage` reads it.
    TensorId local(TensorId id, std::int32_t stage, Pass pass) {
        const std::int32_t home = home_[id.index()];
        if (home == stage || (areOnOneIpu(home, stage) && needsNoWait(id, pass)))
            return id;
        if (const auto known = copies_.find({id, stage}); known != copies_.end())
            return known->second;
        TensorId made;
        if (graph_.tensors[id].role == TensorRole::Constant)
            made = added(graph_.tensors[id], stage, pass_[id.index()]);
        else if (areOnOneIpu(home, stage))
            made = waited(id, stage);
        else
            made = copied(id, stage, pass);
        copies_[{id, stage}] = made;
        return made;
    }

    /// Weights and constants exist all the time; the weight update comes after all
    /// micro-batches.
    [[nodiscard]] bool needsNoWait(TensorId id, Pass pass) const {
        const TensorRole role = graph_.tensors[id].role;
        return schedule_ == nullptr || schedule_->kind == Schedule::Sequential ||
               pass == Pass::Update || role == TensorRole::Weight || role == TensorRole::Constant;
    }

    TensorId copied(TensorId id, std::int32_t stage, Pass reader) {
        const std::int32_t before = stage > home_[id.index()] ? stage - 1 : stage + 1;
        const TensorId from = sent(local(id, before, reader), before);
        const Pass pass = pass_[id.index()];
        const std::string name = fmt::format("{}_c{}", graph_.tensors[id].name, stage);
        const TensorId made = tensorLike(from, name, stage, pass);
        addOp(name + "/ipuCopy", "IpuCopy", id, IpuCopyAttributes{before, stage}, {from}, made,
              pass, before);
        return made;
    }

    /// FIFOs advance before the copies of a slot: what has come through one leaves as the slot's
    /// program has found it.
    TensorId sent(TensorId from, std::int32_t stage) {
        if (!throughFifo_.contains(from))
            return from;
        const Pass pass = pass_[from.index()];
        const std::string name = graph_.tensors[from].name + "/sent";
        const TensorId made = tensorLike(from, name, stage, pass);
        addOp(name, "Identity", from, ElementwiseAttributes{ElementwiseFunction::Copy}, {from},
              made, pass, stage);
        return made;
    }

    /// A tensor of another stage on the same IPU, as many micro-batches later as the reader is.
    TensorId waited(TensorId id, std::int32_t stage) {
        const std::int32_t home = home_[id.index()];
        const Pass pass = pass_[id.index()];
        const bool isForward = pass == Pass::Forward;
        const Pass reader = isForward && stage > home ? Pass::Forward : Pass::Backward;
        const std::int64_t rows = schedule_->rowsBetween(programOf(home, isForward),
                                                         programOf(stage, reader == Pass::Forward));
        const std::string name = fmt::format("{}_s{}", graph_.tensors[id].name, stage);
        if (schedule_->usesFifo()) {
            const TensorId made = tensorLike(id, name + "/fifo", stage, reader);
            addOp(name + "/fifo", "Fifo", id, FifoAttributes{rows}, {id}, made, reader,
                  std::min(home, stage));
            throughFifo_.insert(made);
            return made;
        }
        const TensorId stash = tensorLike(id, name + "/stash", home, pass);
        addOp(name + "/stash", "Stash", id, StashAttributes{rows}, {id}, stash, pass, home);
        const TensorId made = tensorLike(id, name + "/restore", stage, reader);
        addOp(name + "/restore", "Restore", id, RestoreAttributes{rows}, {stash}, made, reader,
              stage);
        return made;
    }

    [[nodiscard]] std::int32_t programOf(std::int32_t stage, bool forward) const {
        return forward ? schedule_->forwardProgram(stage) : schedule_->backwardProgram(stage);
    }

    TensorId tensorLike(TensorId id, std::string name, std::int32_t stage, Pass pass) {
        Tensor copy = graph_.tensors[id];
        copy.role = TensorRole::Activation;
        copy.name = std::move(name);
        return added(std::move(copy), stage, pass);
    }

    TensorId added(Tensor tensor, std::int32_t stage, Pass pass) {
        const TensorId id = graph_.tensors.add(std::move(tensor));
        home_.push_back(stage);
        pass_.push_back(pass);
        return id;
    }

    void addOp(std::string name, std::string type, TensorId of, Attributes attributes,
               std::vector<TensorId> inputs, TensorId output, Pass pass, std::int32_t stage) {
        Op op;
        op.name = std::move(name);
        op.type = std::move(type);
        op.onnxNode = graph_.tensors[of].name;
        op.attributes = std::move(attributes);
        op.inputs = std::move(inputs);
        op.outputs = {output};
        op.pass = pass;
        op.stage = stage;
        op.executionPhase = executionPhase_;
        ops_.add(std::move(op));
    }

    Graph& graph_;
    const PipelineSchedule* schedule_;
    IdVector<OpId, Op> ops_;
    std::int32_t executionPhase_ = -1; ///< of the operation that reads
    std::vector<std::int32_t> home_;
    std::vector<Pass> pass_;
    std::map<std::pair<TensorId, std::int32_t>, TensorId> copies_;
    std::set<TensorId> throughFifo_;
};

/// The shortest scope of an operation that does not contain an operation of an earlier stage, where
/// --split can begin a stage.
std::string scopeOf(const Graph& graph, const Op& op) {
    for (std::size_t end = op.name.find('/'); end != std::string::npos;
         end = op.name.find('/', end + 1)) {
        const std::string scope = op.name.substr(0, end);
        if (std::none_of(graph.ops.begin(), graph.ops.end(), [&](const Op& other) {
                return other.stage < op.stage && isInScope(other.name, scope);
            }))
            return scope;
    }
    return op.name;
}

/// How to avoid that the last stage's operation `reader` needs a copy of a weight of stage `home`.
std::string remedyFor(const Graph& graph, Schedule schedule, std::int32_t home, const Op& reader) {
    std::vector<std::int32_t> mapping;
    for (const IpuId ipu : graph.stageIpus)
        mapping.push_back(ipu.value());
    if (reader.stage + 1 != graph.stages() || schedule == Schedule::Interleaved)
        return "put its readers into one stage, or into stages on one IPU (--device-mapping)";
    mapping.push_back(graph.ipuOf(home).value());
    std::vector<std::string> split;
    for (std::int32_t stage = 1; stage < graph.stages(); ++stage) {
        const auto first = std::find_if(graph.ops.begin(), graph.ops.end(),
                                        [&](const Op& op) { return op.stage == stage; });
        split.push_back(first == graph.ops.end() ? "..." : scopeOf(graph, *first));
    }
    split.push_back(scopeOf(graph, reader));
    return fmt::format("let a further stage begin at '{}' on IPU {}: --split {} --device-mapping "
                       "{}",
                       split.back(), mapping.back(), fmt::join(split, ","),
                       fmt::join(mapping, ","));
}

} // namespace

void noteSharedWeights(Graph& graph, const Target& target, Schedule schedule, bool isTraining) {
    std::map<TensorId, std::int32_t> homes;
    std::map<TensorId, const Op*> far; // the first reader on another IPU
    for (const Op& op : graph.ops)
        for (const TensorId in : op.inputs) {
            if (graph.tensors[in].role != TensorRole::Weight)
                continue;
            const std::int32_t home = homes.emplace(in, op.stage).first->second;
            if (graph.ipuOf(home) != graph.ipuOf(op.stage))
                far.emplace(in, &op);
        }
    for (const auto& [weight, reader] : far) {
        const Tensor& tensor = graph.tensors[weight];
        const std::int32_t home = homes.at(weight);
        const double cycles =
            static_cast<double>(tensor.bytes()) / target.ipuLinkBytesPerSecond * target.clockHz;
        graph.messages.push_back(
            {Severity::Warning,
             fmt::format("weight '{}' ({}) of stage {} is copied from IPU {} to IPU {} for every "
                         "micro-batch{}, about {} from each stage to the next, because '{}' "
                         "reads it there; {}",
                         tensor.name, formatBytes(tensor.bytes()), home, graph.ipuOf(home).value(),
                         graph.ipuOf(reader->stage).value(),
                         isTraining ? " and its gradient back" : "",
                         formatCycles(static_cast<std::int64_t>(cycles)), reader->name,
                         remedyFor(graph, schedule, home, *reader))});
    }
}

void insertInterIpuCopies(Graph& graph, const PipelineSchedule* schedule) {
    CrossingInserter(graph, schedule).run();
}

} // namespace tilescope::sim
