#include <algorithm>
#include <map>

#include "invariant_parts.h"

namespace tilescope::test {
namespace {

/// The steps in the order in which they run; twice round each loop shows what it carries over.
class Execution {
public:
    explicit Execution(const Profile& profile)
        : profile_(profile) {
        const std::set<ProgramId> once = functionsPlacedOnce(profile);
        std::int32_t next = 0;
        for (const ProgramId root : profile.controlPrograms)
            next += sizeOf(root, once);
        for (const ProgramId function : profile.functions) {
            if (!once.contains(function))
                continue;
            firstStep_[function] = next;
            next += sizeOf(function, once);
        }
        std::int32_t step = 0;
        for (const ProgramId root : profile.controlPrograms)
            step = run(root, step);
    }
    [[nodiscard]] const std::vector<std::int32_t>& steps() const { return steps_; }

private:
    /// Steps that a program has in the order of liveness, with those of its calls.
    std::int32_t sizeOf(ProgramId id, const std::set<ProgramId>& once) {
        const Program& program = profile_.programs[id];
        if (!isControl(program.kind))
            return 1;
        std::int32_t size = 0;
        if (program.kind == ProgramKind::Call && !once.contains(program.target))
            size += sizeOf(program.target, once);
        for (const ProgramId child : program.children)
            size += sizeOf(child, once);
        return size;
    }

    /// Runs what has its steps from `step` on; returns the step after it.
    std::int32_t run(ProgramId id, std::int32_t step) {
        const Program& program = profile_.programs[id];
        if (!isControl(program.kind)) {
            steps_.push_back(step);
            return step + 1;
        }
        if (program.kind == ProgramKind::Call) {
            if (const auto once = firstStep_.find(program.target); once != firstStep_.end())
                run(program.target, once->second);
            else
                step = run(program.target, step);
        }
        const std::int64_t times =
            program.kind == ProgramKind::Repeat ? std::min<std::int64_t>(program.count, 2) : 1;
        std::int32_t after = step;
        for (std::int64_t i = 0; i < times; ++i) {
            after = step;
            for (const ProgramId child : program.children)
                after = run(child, after);
        }
        return after;
    }

    const Profile& profile_;
    std::map<ProgramId, std::int32_t> firstStep_; ///< of functions that are placed once
    std::vector<std::int32_t> steps_;
};

} // namespace

void checkLives(const Profile& profile, Complaints& complaints) {
    const std::vector<std::int32_t> steps = Execution(profile).steps();
    std::vector<std::int64_t> lastAccess(profile.variables.size(), -1);
    const auto expectLive = [&](VariableId id, std::int32_t step) {
        const Variable& v = profile.variables[id];
        if (v.alwaysLive)
            return;
        const bool live =
            v.liveness.valid() && profile.livenessClasses[v.liveness].contains(StepId(step));
        complaints.expect(live, "a variable is live while its value is needed",
                          "{} at step {} ({})", v.name, step,
                          profile.programs[profile.steps[StepId(step)]].name);
    };
    for (std::size_t at = 0; at < steps.size(); ++at) {
        const Program& program = profile.programs[profile.steps[StepId(steps[at])]];
        for (const VariableId id : program.variablesRead) {
            const std::int64_t made = lastAccess[id.index()];
            complaints.expect(made >= 0 || profile.variables[id].alwaysLive,
                              "a variable is written before it is read", "{} in {}",
                              profile.variables[id].name, program.name);
            for (std::size_t t = made < 0 ? at : static_cast<std::size_t>(made); t <= at; ++t)
                expectLive(id, steps[t]);
        }
        // A read keeps a value alive up to here; only a write makes one.
        for (const VariableId id : program.variablesRead) {
            expectLive(id, steps[at]);
            if (lastAccess[id.index()] >= 0)
                lastAccess[id.index()] = static_cast<std::int64_t>(at);
        }
        for (const VariableId id : program.variablesWritten) {
            expectLive(id, steps[at]);
            lastAccess[id.index()] = static_cast<std::int64_t>(at);
        }
    }
    for (std::size_t i = 0; i < profile.livenessClasses.size(); ++i) {
        const auto& intervals = profile.livenessClasses[LivenessClassId(i)].intervals;
        for (std::size_t k = 0; k < intervals.size(); ++k)
            complaints.expect(intervals[k].first < intervals[k].end &&
                                  intervals[k].end.index() <= profile.steps.size() &&
                                  (k == 0 || intervals[k - 1].end < intervals[k].first),
                              "liveness intervals are sorted and apart", "class {}", i);
    }
}

} // namespace tilescope::test
