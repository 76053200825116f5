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
    const RunOptions defaults;
    rest.availableMemoryProportion = defaults.availableMemoryProportion;
    rest.availableMemoryProportionByIpu = defaults.availableMemoryProportionByIpu;
    rest.relaxMemoryTarget = defaults.relaxMemoryTarget;
    return rest;
}

} // namespace tilescope::sim
