#include "core/analysis/execution/stage_times.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

#include "core/base/damaged_profile.h"

namespace tilescope {

bool isBelow(std::string_view name, std::string_view scope) {
    return name.starts_with(scope) && (name.size() == scope.size() || name[scope.size()] == '/');
}

namespace {

// Days at any clock; a stage has few enough steps that their sum does not overflow.
constexpr std::int64_t longestStep = std::int64_t{1} << 46;

std::int64_t checked(std::int64_t cycles, std::int64_t count = 1) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(cycles, count, &product) || product < 0 || product > longestStep)
        throw DamagedProfile("a stage has a step at an impossible time");
    return product;
}

std::int64_t cyclesOn(const std::vector<StepOnIpu>& steps, IpuId ipu) {
    const auto found =
        std::find_if(steps.begin(), steps.end(), [&](const StepOnIpu& s) { return s.ipu == ipu; });
    return found == steps.end() ? 0 : checked(found->cycles);
}

std::int64_t cyclesOn(const TraceCall& call, IpuId ipu) {
    const auto found = std::find_if(call.ipus.begin(), call.ipus.end(),
                                    [&](const CallOnIpu& c) { return c.ipu == ipu; });
    return found == call.ipus.end() ? 0 : checked(found->period, call.count);
}

class Adder {
public:
    explicit Adder(const PipelineParts& parts)
        : parts_(parts) {
        for (std::size_t i = 0; i < parts.pipeline.operations.size(); ++i) {
            const std::string_view name = parts.pipeline.operations[i].name;
            byName_.emplace(name, i);
            eachScope(parentOf(name), [&](std::string_view scope) {
                byScope_.emplace(scope, i);
                return false;
            });
        }
        for (const TraceBody& body : parts.trace.bodies)
            bodies_.emplace(body.program, &body);
        times_.stages.resize(parts.pipeline.stages.size());
        times_.fifos.resize(parts.pipeline.stages.size());
        times_.operations.resize(parts.pipeline.operations.size());
    }

    StageTimes run() {
        for (std::size_t i = 0; i < parts_.pipeline.stages.size(); ++i) {
            const StageRecord& stage = parts_.pipeline.stages[i];
            forwardOperations_.clear();
            forwardFunctions_.clear();
            add(i, stage.forward, false);
            if (stage.backward.valid() && stage.backward != stage.forward)
                add(i, stage.backward, true);
            addFifo(i);
        }
        return std::move(times_);
    }

private:
    void addFifo(std::size_t stage) {
        const StageRecord& record = parts_.pipeline.stages[stage];
        const auto body = bodies_.find(record.fifo);
        if (!record.fifo.valid() || body == bodies_.end())
            return;
        for (const TraceStep& step : body->second->steps)
            times_.fifos[stage] += cyclesOn(step.ipus, record.ipu);
    }

    void add(std::size_t stage, ProgramId function, bool backward) {
        const auto found = bodies_.find(function);
        if (found == bodies_.end())
            return;
        const StageRecord& record = parts_.pipeline.stages[stage];
        std::size_t operation = firstOf(stage);
        std::int64_t waiting = 0; // syncs count for the step that follows
        for (const TraceItem& item : found->second->items) {
            const TraceBody& body = *found->second;
            ProgramId program;
            const TraceCall* call = nullptr;
            if (item.step >= 0) {
                const TraceStep& step = body.steps.at(static_cast<std::size_t>(item.step));
                program = step.program;
                waiting += cyclesOn(step.ipus, record.ipu);
            } else {
                call = &body.calls.at(static_cast<std::size_t>(item.call));
                program = call->program;
                waiting += cyclesOn(*call, record.ipu);
            }
            if (!program.valid())
                continue;
            operation = originOf(operationName(program), stage, operation);
            const bool back =
                backward || (record.backwardFrom.valid() && program >= record.backwardFrom);
            count(times_.stages[stage], waiting, back);
            const bool again = !remember(program, back) && back;
            times_.stages[stage].again += again ? waiting : 0;
            if (call != nullptr)
                countCall(*call, stage, operation, waiting, back);
            else if (operation < times_.operations.size())
                count(times_.operations[operation], waiting, back);
            waiting = 0;
        }
        count(times_.stages[stage], waiting, backward);
    }

    /// Distributes the cycles of a called function over the operations that share it. Its programs
    /// are named after the first of these; the scope of the call replaces that one's scope.
    void countCall(const TraceCall& call, std::size_t stage, std::size_t operation,
                   std::int64_t cycles, bool backward) {
        const std::string_view scope = parentOf(operationName(call.program));
        const std::map<std::size_t, std::int64_t> shares = sharesOf(call, scope, stage, operation);
        double all = 0;
        for (const auto& share : shares)
            all += static_cast<double>(share.second);
        std::int64_t left = cycles;
        for (const auto& [at, share] : shares) {
            const auto part = all > 0
                                  ? static_cast<std::int64_t>(static_cast<double>(cycles) *
                                                              (static_cast<double>(share) / all))
                                  : 0;
            if (at < times_.operations.size())
                count(times_.operations[at], part, backward);
            left -= part;
        }
        if (operation < times_.operations.size())
            count(times_.operations[operation], left, backward);
    }

    [[nodiscard]] std::map<std::size_t, std::int64_t> sharesOf(const TraceCall& call,
                                                               std::string_view scope,
                                                               std::size_t stage,
                                                               std::size_t operation) const {
        const TraceBody& body = parts_.trace.bodies[call.callee];
        const IpuId ipu = parts_.pipeline.stages[stage].ipu;
        const std::string_view own = scopeOf(body);
        std::map<std::size_t, std::int64_t> shares;
        std::int64_t waiting = 0;
        for (const TraceItem& item : body.items) {
            const bool isStep = item.step >= 0;
            ProgramId program;
            if (isStep) {
                const TraceStep& step = body.steps.at(static_cast<std::size_t>(item.step));
                program = step.program;
                waiting += cyclesOn(step.ipus, ipu);
            } else {
                const TraceCall& inner = body.calls.at(static_cast<std::size_t>(item.call));
                program = inner.program;
                waiting += cyclesOn(inner, ipu);
            }
            if (!program.valid())
                continue;
            std::string name(operationName(program));
            if (!own.empty() && isBelow(name, own))
                name.replace(0, own.size(), scope);
            operation = originOf(name, stage, operation);
            shares[operation] += waiting;
            waiting = 0;
        }
        return shares;
    }

    /// The longest scope that all operations of a body are in.
    [[nodiscard]] std::string_view scopeOf(const TraceBody& body) const {
        std::string_view scope;
        bool first = true;
        for (const TraceStep& step : body.steps) {
            const std::string_view name = operationName(step.program);
            if (name.empty())
                continue;
            if (first)
                scope = parentOf(name);
            first = false;
            while (!scope.empty() && !isBelow(name, scope))
                scope = parentOf(scope);
        }
        return scope;
    }

    /// Records what the forward pass runs; false if it has run this before: an operation of its
    /// own, or a function that several operations share.
    bool remember(ProgramId id, bool backward) {
        if (id.index() >= parts_.programs.size())
            return true;
        const Program& program = parts_.programs[id];
        if (program.target.valid())
            return backward ? !forwardFunctions_.contains(program.target)
                            : forwardFunctions_.insert(program.target).second;
        if (!program.operation.valid())
            return true;
        return backward ? !forwardOperations_.contains(program.operation)
                        : forwardOperations_.insert(program.operation).second;
    }

    static void count(PassCycles& cycles, std::int64_t more, bool backward) {
        (backward ? cycles.backward : cycles.forward) += more;
    }

    [[nodiscard]] std::size_t firstOf(std::size_t stage) const {
        const auto& ops = parts_.pipeline.operations;
        return static_cast<std::size_t>(std::find_if(ops.begin(), ops.end(),
                                                     [&](const StagedOperation& op) {
                                                         return op.stage ==
                                                                static_cast<std::int32_t>(stage);
                                                     }) -
                                        ops.begin());
    }

    [[nodiscard]] std::string_view operationName(ProgramId program) const {
        if (!program.valid() || program.index() >= parts_.programs.size())
            return {};
        const OperationId operation = parts_.programs[program].operation;
        return operation.valid() && operation.index() < parts_.operations.size()
                   ? std::string_view(parts_.operations[operation].name)
                   : std::string_view();
    }

    /// The model's operation that something came from: the longest scope of its name that is one,
    /// otherwise the one before it if that is in the same scope, otherwise the stage's first there.
    [[nodiscard]] std::size_t originOf(std::string_view name, std::size_t stage,
                                       std::size_t otherwise) const {
        std::size_t origin = otherwise;
        const bool isKnown = eachScope(name, [&](std::string_view at) {
            const auto found = byName_.find(at);
            if (found != byName_.end())
                origin = found->second;
            return found != byName_.end();
        });
        if (isKnown)
            return origin;
        const auto& ops = parts_.pipeline.operations;
        eachScope(name, [&](std::string_view at) {
            if (otherwise < ops.size() && isBelow(ops[otherwise].name, at))
                return true;
            const auto found = byScope_.find(at);
            const bool isHere = found != byScope_.end() &&
                                ops[found->second].stage == static_cast<std::int32_t>(stage);
            if (isHere)
                origin = found->second;
            return isHere;
        });
        return origin;
    }

    /// Visits a name and the scopes around it, innermost first, until one matches. Names of damaged
    /// files may have a million levels, each a prefix to look up: the rest is ignored.
    template <class Visit> static bool eachScope(std::string_view at, const Visit& visit) {
        constexpr int deepest = 256;
        for (int depth = 0; depth < deepest && !at.empty(); ++depth, at = parentOf(at))
            if (visit(at))
                return true;
        return false;
    }

    static std::string_view parentOf(std::string_view name) {
        const std::size_t slash = name.rfind('/');
        return name.substr(0, slash == std::string_view::npos ? 0 : slash);
    }

    const PipelineParts& parts_;
    std::unordered_map<std::string_view, std::size_t> byName_;
    std::unordered_map<std::string_view, std::size_t> byScope_; ///< the first operation below
    std::map<ProgramId, const TraceBody*> bodies_;
    std::set<OperationId> forwardOperations_; ///< of the stage at hand
    std::set<ProgramId> forwardFunctions_;
    StageTimes times_;
};

} // namespace

std::map<ProgramId, SlotFunction> slotFunctions(const Pipeline& pipeline) {
    std::map<ProgramId, SlotFunction> functions;
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const StageRecord& stage = pipeline.stages[i];
        const auto number = static_cast<std::int32_t>(i);
        if (stage.fifo.valid())
            functions[stage.fifo] = {number, false, false};
        functions[stage.forward] = {number, true, stage.backward == stage.forward};
        if (stage.backward.valid() && stage.backward != stage.forward)
            functions[stage.backward] = {number, false, true};
    }
    return functions;
}

StageTimes stageTimes(const PipelineParts& parts) {
    return Adder(parts).run();
}

std::vector<std::int64_t> workInSlot(const PipelineSlot& slot,
                                     const std::map<ProgramId, SlotFunction>& functions,
                                     const std::vector<PassCycles>& stages,
                                     const std::vector<std::int64_t>& fifos) {
    std::vector<std::int64_t> work(stages.size(), 0);
    for (const ProgramId program : slot.programs) {
        const auto found = functions.find(program);
        if (found == functions.end())
            continue;
        const SlotFunction& f = found->second;
        const auto stage = static_cast<std::size_t>(f.stage);
        if (f.forward)
            work[stage] += stages[stage].forward;
        if (f.backward)
            work[stage] += stages[stage].backward;
        if (!f.forward && !f.backward)
            work[stage] += fifos[stage];
    }
    return work;
}

std::vector<std::int64_t> workByIpu(const Pipeline& pipeline,
                                    const std::vector<std::int64_t>& ofStages) {
    std::map<IpuId, std::int64_t> sums;
    for (std::size_t i = 0; i < ofStages.size(); ++i)
        sums[pipeline.stages[i].ipu] += ofStages[i];
    std::vector<std::int64_t> work;
    work.reserve(sums.size());
    for (const auto& [ipu, sum] : sums)
        work.push_back(sum);
    return work;
}

SlotSums slotSums(const Pipeline& pipeline, const std::vector<PassCycles>& stages,
                  const std::vector<std::int64_t>& fifos) {
    const auto functions = slotFunctions(pipeline);
    SlotSums sums;
    for (const PipelineSlot& slot : pipeline.slotList) {
        const std::vector<std::int64_t> work =
            workByIpu(pipeline, workInSlot(slot, functions, stages, fifos));
        const std::int64_t longest = *std::max_element(work.begin(), work.end());
        const auto repeats = static_cast<double>(slot.repeats);
        sums.total += repeats * static_cast<double>(longest);
        sums.bubbles.resize(work.size());
        sums.imbalances.resize(work.size());
        for (std::size_t ipu = 0; ipu < work.size(); ++ipu) {
            sums.busy += repeats * static_cast<double>(work[ipu]);
            (work[ipu] == 0 ? sums.bubbles : sums.imbalances)[ipu] +=
                repeats * static_cast<double>(longest - work[ipu]);
        }
    }
    sums.bubble = std::accumulate(sums.bubbles.begin(), sums.bubbles.end(), 0.0);
    sums.imbalance = std::accumulate(sums.imbalances.begin(), sums.imbalances.end(), 0.0);
    return sums;
}

} // namespace tilescope
