#include "simulator/memory/liveness.h"

#include <algorithm>
#include <limits>
#include <map>

namespace tilescope::sim {
namespace {

/// Steps of a loop and how deep it is nested.
struct Loop {
    std::int32_t first = 0, end = 0;
};

struct CallSite {
    std::int32_t step = 0; ///< place of the call among the caller's steps
    ProgramId target;
};

/// The program tree laid out as steps.
struct StepOrder {
    std::vector<Loop> loops; ///< inner loops before those around them
    std::vector<CallSite> calls;
    std::map<ProgramId, Loop> functions;
};

struct Span {
    std::int32_t first = std::numeric_limits<std::int32_t>::max();
    std::int32_t last = -1;
    bool empty() const { return last < 0; }
    void add(std::int32_t step) {
        first = std::min(first, step);
        last = std::max(last, step);
    }
};

class Analysis {
public:
    explicit Analysis(Profile& profile)
        : profile_(profile) {}

    void run() {
        for (const ProgramId root : profile_.controlPrograms)
            walk(root);
        for (const ProgramId root : profile_.functions) {
            const auto first = static_cast<std::int32_t>(profile_.steps.size());
            walk(root);
            order_.functions[root] = {first, static_cast<std::int32_t>(profile_.steps.size())};
        }
        collectSpans();
        for (const Loop& loop : order_.loops)
            extendOver(loop);
        classify();
    }

private:
    void walk(ProgramId id) {
        const Program& program = profile_.programs[id];
        const auto first = static_cast<std::int32_t>(profile_.steps.size());
        if (!isControl(program.kind)) {
            profile_.steps.add(id);
            return;
        }
        if (program.kind == ProgramKind::Call)
            order_.calls.push_back({first, program.target});
        for (const ProgramId child : program.children)
            walk(child);
        if (program.kind == ProgramKind::Repeat && program.count > 1)
            order_.loops.push_back({first, static_cast<std::int32_t>(profile_.steps.size())});
    }

    void collectSpans() {
        spans_.resize(profile_.variables.size());
        for (std::size_t step = 0; step < profile_.steps.size(); ++step) {
            const Program& program = profile_.programs[profile_.steps[StepId(step)]];
            const auto at = static_cast<std::int32_t>(step);
            for (const VariableId v : program.variablesRead)
                spans_[v.index()].add(at);
            for (const VariableId v : program.variablesWritten) {
                spans_[v.index()].add(at);
                accesses_[v].push_back({at, true});
            }
            for (const VariableId v : program.variablesRead)
                accesses_[v].push_back({at, false});
        }
    }

    void extendOver(const Loop& loop) {
        for (std::size_t v = 0; v < spans_.size(); ++v) {
            Span& span = spans_[v];
            if (span.empty() || span.last < loop.first || span.first >= loop.end)
                continue;
            const bool outside = span.first < loop.first || span.last >= loop.end;
            if (outside || readsBeforeWriting(VariableId(v), loop)) {
                span.add(loop.first);
                span.add(loop.end - 1);
            }
        }
    }

    /// Inside a loop, a read that no write of the same iteration precedes sees the last
    /// iteration's.
    bool readsBeforeWriting(VariableId v, const Loop& loop) {
        std::int32_t firstRead = std::numeric_limits<std::int32_t>::max();
        std::int32_t firstWrite = std::numeric_limits<std::int32_t>::max();
        for (const auto& [step, isWrite] : accesses_[v]) {
            if (step < loop.first || step >= loop.end)
                continue;
            auto& first = isWrite ? firstWrite : firstRead;
            first = std::min(first, step);
        }
        return firstRead <= firstWrite && firstRead != std::numeric_limits<std::int32_t>::max() &&
               firstWrite != std::numeric_limits<std::int32_t>::max();
    }

    void classify() {
        std::map<std::vector<std::pair<std::int32_t, std::int32_t>>, LivenessClassId> known;
        for (std::size_t i = 0; i < spans_.size(); ++i) {
            Variable& variable = profile_.variables[VariableId(i)];
            if (variable.alwaysLive || spans_[i].empty())
                continue;
            std::vector<std::pair<std::int32_t, std::int32_t>> intervals{
                {spans_[i].first, spans_[i].last + 1}};
            for (const CallSite& call : order_.calls)
                if (const Loop& body = order_.functions[call.target];
                    spans_[i].first < call.step && call.step <= spans_[i].last)
                    intervals.emplace_back(body.first, body.end);
            merge(intervals);
            auto found = known.find(intervals);
            if (found == known.end()) {
                LivenessClass made;
                for (const auto& [first, end] : intervals)
                    made.intervals.push_back({StepId(first), StepId(end)});
                found =
                    known.emplace(intervals, profile_.livenessClasses.add(std::move(made))).first;
            }
            variable.liveness = found->second;
        }
    }

    static void merge(std::vector<std::pair<std::int32_t, std::int32_t>>& intervals) {
        std::sort(intervals.begin(), intervals.end());
        std::size_t kept = 0;
        for (std::size_t i = 1; i < intervals.size(); ++i) {
            if (intervals[i].first <= intervals[kept].second)
                intervals[kept].second = std::max(intervals[kept].second, intervals[i].second);
            else
                intervals[++kept] = intervals[i];
        }
        intervals.resize(kept + 1);
    }

    Profile& profile_;
    StepOrder order_;
    std::vector<Span> spans_;
    std::map<VariableId, std::vector<std::pair<std::int32_t, bool>>> accesses_;
};

} // namespace

void analyseLiveness(Profile& profile) {
    Analysis(profile).run();
}

} // namespace tilescope::sim
