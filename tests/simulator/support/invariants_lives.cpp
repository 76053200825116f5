#include <algorithm>

#include "invariant_parts.h"

namespace tilescope::sim {
namespace {

/// The steps in the order in which they run; twice round each loop shows what it carries over.
class Execution {
public:
    explicit Execution(const Profile& profile)
        : profile_(profile) {
        stepOf_.assign(profile.programs.size(), -1);
        for (std::size_t step = 0; step < profile.steps.size(); ++step)
            stepOf_[profile.steps[StepId(step)].index()] = static_cast<std::int32_t>(step);
        for (const ProgramId root : profile.controlPrograms)
            run(root);
    }
    [[nodiscard]] const std::vector<std::int32_t>& steps() const { return steps_; }

private:
    void run(ProgramId id) {
        const Program& program = profile_.programs[id];
        if (!isControl(program.kind)) {
            steps_.push_back(stepOf_[id.index()]);
            return;
        }
        if (program.kind == ProgramKind::Call)
            run(program.target);
        const std::int64_t times =
            program.kind == ProgramKind::Repeat ? std::min<std::int64_t>(program.count, 2) : 1;
        for (std::int64_t i = 0; i < times; ++i)
            for (const ProgramId child : program.children)
                run(child);
    }

    const Profile& profile_;
    std::vector<std::int32_t> stepOf_;
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

} // namespace tilescope::sim
