// A schedule as the machine computes it: when values of each section can be freed.
#pragma once

#include <vector>

#include "simulator/schedule/execution_schedule.h"

namespace tilescope::sim {

/// An operation of a section, and the tensors that are not read after it.
struct PlannedOp {
    OpId op;
    std::vector<TensorId> last;
};
/// Operations in the order in which they run, recomputed ones at each place where they do.
using Section = std::vector<PlannedOp>;

struct StepPlan {
    ExecutionSchedule schedule;
    IdVector<SectionId, Section> sections;
    std::vector<Section> functions;
};

StepPlan planStep(const Graph& prepared, ExecutionSchedule schedule);

} // namespace tilescope::sim
