#include "core/analysis/compare/same_items.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace tilescope {

std::vector<VariableId> sameVariables(const IdVector<VariableId, Variable>& source,
                                      const IdVector<VariableId, Variable>& target,
                                      const std::vector<VariableId>& variables) {
    std::set<std::string_view> names;
    for (const VariableId id : variables)
        if (id.valid() && id.index() < source.size())
            names.insert(source[id].name);
    std::vector<VariableId> found;
    for (std::size_t i = 0; i < target.size() && !names.empty(); ++i)
        if (names.contains(target[VariableId(i)].name))
            found.emplace_back(i);
    return found;
}

StepId matchingStep(const std::vector<std::string>& source, const std::vector<std::string>& target,
                    StepId step) {
    if (!step.valid() || step.index() >= source.size())
        return {};
    const std::string& name = source[step.index()];
    auto turn = std::count(source.begin(), source.begin() + step.value(), name);
    for (std::size_t i = 0; i < target.size(); ++i)
        if (target[i] == name && turn-- == 0)
            return StepId(i);
    return step.index() < target.size() ? step : StepId();
}

} // namespace tilescope
