#include "views/session/profile_groups.h"

namespace tilescope::views {

std::vector<OperationGroup> groupsOf(const OpenProfile& profile, OperationLayer layer,
                                     int depth, const std::stop_token& stop) {
    const auto operations = profile.operations(stop);
    const auto variables = profile.variables(stop);
    const auto computeSets = profile.computeSets(stop);
    const auto exchanges = profile.exchanges(stop);
    const auto programs = profile.programs(stop);
    const auto copies = profile.copies(stop);
    const auto vertexTypes = profile.vertexTypes(stop);
    std::vector<ProgramExecutions> executions;
    if (profile.info().hasExecution)
        executions = profile.trace(stop)->executions(programs->size());
    const OperationSources sources{*operations, *variables, *computeSets,     *exchanges,
                                   *programs,   *copies,    vertexTypes.get()};
    return operationGroups({sources, profile.machine(), executions}, layer, depth);
}

} // namespace tilescope::views
