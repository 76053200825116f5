#include "simulator/kept_work.h"

#include "simulator/prepare/prepare.h"

namespace tilescope::sim {

bool changesPlansOnly(std::string_view optionKey) {
    return optionKey == "availableMemoryProportion" || optionKey == "relaxMemoryTarget";
}

RunOptions withoutPlanOptions(const RunOptions& options) {
    RunOptions rest = options;
    if (plansDecideStages(options))
        return rest;
    const PlanningOptions defaults;
    rest.planning.availableMemoryProportion = defaults.availableMemoryProportion;
    rest.planning.availableMemoryProportionByIpu = defaults.availableMemoryProportionByIpu;
    rest.planning.relaxMemoryTarget = defaults.relaxMemoryTarget;
    return rest;
}

} // namespace tilescope::sim
