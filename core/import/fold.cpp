#include "core/import/fold.h"

#include <algorithm>
#include <limits>

#include "core/import/program_order.h"
#include "core/import/trace_bodies.h"

namespace tilescope {
namespace {

/// Programs of people nest less deep, and bodies of a trace may not nest deeper.
constexpr int deepestWalk = 200;

/// Whether a program repeats what is in it.
bool isLoop(const Program& program) {
    return program.kind == ProgramKind::Repeat ||
           (program.kind == ProgramKind::UnknownControl &&
            program.originalKind.find("Repeat") != std::string::npos);
}

} // namespace

class TraceFold::Impl {
public:
    Impl(const IdVector<ProgramId, Program>& programs,
         const std::vector<ProgramId>& controlPrograms, Trace& trace)
        : programs_(programs)
        , trace_(trace)
        , order_(programs)
        , bodies_(trace)
        , rootsKnown_(!controlPrograms.empty())
        , isFunction_(programs.size(), false)
        , inferred_(programs.size())
        , repeats_(programs.size(), 0) {
        for (const ProgramId root : controlPrograms)
            roots_.push_back(root);
        for (const Program& program : programs)
            if (program.target.valid())
                isFunction_[program.target.index()] = true;
        if (rootsKnown_)
            return;
        for (std::size_t i = 0; i < programs.size(); ++i)
            if (!programs[ProgramId(i)].parent.valid())
                roots_.emplace_back(i);
    }

    void addRun(const std::string& name, const NextStep& next, bool oneTree) {
        next_ = &next;
        lastRoot_ = {};
        oneTree_ = oneTree;
        advance();
        OpenBody run;
        run.body.program = rootFor(step_.program);
        while (step_.program.valid()) {
            const ProgramId root = rootFor(step_.program);
            const bool found = root.valid() && walk(root, run, 0);
            if (found)
                continue;
            ++flat_;
            take(run);
        }
        for (TraceStep& sync : syncs_)
            run.add(std::move(sync));
        syncs_.clear();
        if (run.empty())
            return;
        std::int64_t end = 0;
        std::swap(end, end_);
        const auto [body, begin] = bodies_.closeRun(std::move(run));
        trace_.runs.push_back({name, body, begin, std::max<std::int64_t>(0, end - begin)});
    }

    std::int64_t flat_ = 0;
    const IdVector<ProgramId, Program>& programs_;
    Trace& trace_;
    ProgramOrder order_;
    TraceBodies bodies_;
    bool rootsKnown_;
    bool oneTree_ = false;         ///< of the run
    std::vector<bool> isFunction_; ///< of roots: is called
    std::vector<ProgramId> inferred_;
    std::vector<std::int64_t> repeats_;

private:
    /// Reads until a step of a program, or the end; the others wait for it.
    void advance() {
        step_ = {};
        while (const TraceStep* step = (*next_)()) {
            for (const StepOnIpu& on : step->ipus)
                end_ = std::max(end_, on.start + on.cycles);
            if (step->program.valid()) {
                step_ = *step;
                return;
            }
            syncs_.push_back(*step);
        }
    }

    /// Adds the next step with the syncs before it.
    void take(OpenBody& to) {
        for (TraceStep& sync : syncs_)
            to.add(std::move(sync));
        syncs_.clear();
        to.add(std::move(step_));
        advance();
    }

    [[nodiscard]] bool mayRun(ProgramId program) const {
        return step_.program.valid() && order_.mayRun(program, step_.program);
    }

    /// The control program that may run a step: the one that ran before in this run, if it can.
    ProgramId rootFor(ProgramId step) {
        if (!step.valid())
            return lastRoot_;
        const ProgramId own = order_.rootOf(step);
        if (own == unplaced_)
            return {};
        if (lastRoot_.valid() && order_.mayRun(lastRoot_, step))
            return lastRoot_;
        if (isControl(own))
            return lastRoot_ = own;
        for (const ProgramId root : roots_)
            if (root != own && order_.mayRun(root, step))
                return lastRoot_ = root;
        if (!rootsKnown_)
            return lastRoot_ = own;
        unplaced_ = own;
        return {};
    }

    /// Whether the host runs a program. Where that is not known: it may call others, or nothing
    /// else runs.
    [[nodiscard]] bool isControl(ProgramId root) const {
        if (rootsKnown_)
            return std::find(roots_.begin(), roots_.end(), root) != roots_.end();
        return !isFunction_[root.index()] && (oneTree_ || order_.mayCall(root));
    }

    /// Executes a program as far as the steps agree; whether any did.
    bool walk(ProgramId id, OpenBody& to, int depth) {
        if (depth > deepestWalk || !mayRun(id))
            return false;
        const Program& program = programs_[id];
        if (program.kind == ProgramKind::Call)
            return walkCall(id, to, depth);
        if (isLoop(program))
            return walkLoop(id, to, depth);
        if (tilescope::isControl(program.kind))
            return walkChildren(id, to, depth);
        take(to);
        return true;
    }

    bool walkChildren(ProgramId id, OpenBody& to, int depth) {
        bool any = false;
        for (const ProgramId child : programs_[id].children)
            any = walk(child, to, depth + 1) || any;
        return any;
    }

    bool walkCall(ProgramId id, OpenBody& to, int depth) {
        const bool isKnown = order_.target(id).valid();
        const ProgramId function = isKnown ? order_.target(id) : order_.rootOf(step_.program);
        if (order_.wouldRecur(id, function))
            return false;
        if (!isKnown)
            order_.setTarget(id, function);
        OpenBody inner;
        inner.body.program = function;
        if (!walk(function, inner, depth + 1)) {
            if (!isKnown)
                order_.setTarget(id, {});
            return false;
        }
        inferred_[id.index()] = function;
        isFunction_[function.index()] = true;
        TraceBodies::call(to, id, bodies_.close(std::move(inner)), false);
        return true;
    }

    bool walkLoop(ProgramId id, OpenBody& to, int depth) {
        const Program& program = programs_[id];
        const std::int64_t most = program.kind == ProgramKind::Repeat && program.count > 0
                                      ? program.count
                                      : std::numeric_limits<std::int64_t>::max();
        std::int64_t times = 0;
        for (; times < most && mayRun(id); ++times) {
            OpenBody inner;
            inner.body.program = program.children.front();
            if (!walkChildren(id, inner, depth))
                break;
            TraceBodies::call(to, id, bodies_.close(std::move(inner)), true);
        }
        repeats_[id.index()] = std::max(repeats_[id.index()], times);
        return times > 0;
    }

    const NextStep* next_ = nullptr;
    TraceStep step_;               ///< the next one; no program at the end
    std::vector<TraceStep> syncs_; ///< before it
    std::int64_t end_ = 0;         ///< of the last step on any IPU
    std::vector<ProgramId> roots_;
    ProgramId lastRoot_;
    ProgramId unplaced_; ///< the last tree that no control program runs
};

TraceFold::TraceFold(const IdVector<ProgramId, Program>& programs,
                     const std::vector<ProgramId>& controlPrograms, Trace& trace)
    : impl_(std::make_unique<Impl>(programs, controlPrograms, trace)) {}
TraceFold::~TraceFold() = default;

void TraceFold::addRun(const std::string& name, const NextStep& next, bool oneTree) {
    impl_->addRun(name, next, oneTree);
}
bool TraceFold::isOneTree(const NextStep& next) const {
    ProgramId only;
    while (const TraceStep* step = next()) {
        if (!step->program.valid())
            continue;
        const ProgramId root = impl_->order_.rootOf(step->program);
        if (only.valid() && root != only)
            return false;
        only = root;
    }
    return true;
}
std::int64_t TraceFold::flatSteps() const {
    return impl_->flat_;
}
const std::vector<ProgramId>& TraceFold::inferredTargets() const {
    return impl_->inferred_;
}
const std::vector<std::int64_t>& TraceFold::observedRepeats() const {
    return impl_->repeats_;
}

} // namespace tilescope
