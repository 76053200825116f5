#include "simulator/lowering/operations/conv_orders.h"

namespace tilescope::sim {
namespace {

using AtomList = std::vector<int>;

void addLevels(std::vector<OrderLevel>& order, const AtomList& atoms) {
    for (const int atom : atoms)
        order.push_back({atom, 0});
}

/// Conv groups side by side in the innermost dimension: those that one vertex operation takes, or
/// that were combined to one.
void addGroupsTogether(std::vector<OrderLevel>& order, const ConvAtoms& atoms,
                       const ConvPlan& plan) {
    const std::int64_t together = plan.grains.groups * plan.transform.combinedGroups;
    if (together > 1 && !atoms.groups.empty())
        order.push_back({atoms.groups.back(), together});
}

} // namespace

std::vector<OrderLevel> inputOrder(const ConvAtoms& atoms, const ConvPlan& plan) {
    std::vector<OrderLevel> order;
    addLevels(order, atoms.groups);
    addLevels(order, atoms.inChans);
    addLevels(order, atoms.batch);
    for (const AtomList& field : atoms.field)
        addLevels(order, field);
    addGroupsTogether(order, atoms, plan);
    if (!atoms.inChans.empty())
        order.push_back({atoms.inChans.back(), plan.grains.inChans});
    return order;
}

std::vector<OrderLevel> weightsOrder(const ConvAtoms& atoms, const ConvPlan& plan) {
    std::vector<OrderLevel> order;
    addLevels(order, atoms.groups);
    addLevels(order, atoms.outChans);
    addLevels(order, atoms.inChans);
    for (const AtomList& kernel : atoms.kernel)
        addLevels(order, kernel);
    addGroupsTogether(order, atoms, plan);
    if (!atoms.outChans.empty())
        order.push_back({atoms.outChans.back(), plan.grains.outChans});
    if (!atoms.inChans.empty())
        order.push_back({atoms.inChans.back(), plan.grains.inChans});
    return order;
}

std::vector<OrderLevel> outputOrder(const ConvAtoms& atoms, const ConvPlan& plan) {
    std::vector<OrderLevel> order;
    addLevels(order, atoms.groups);
    addLevels(order, atoms.outChans);
    addLevels(order, atoms.batch);
    for (const AtomList& field : atoms.field)
        addLevels(order, field);
    addGroupsTogether(order, atoms, plan);
    if (!atoms.outChans.empty())
        order.push_back({atoms.outChans.back(), plan.grains.outChans});
    return order;
}

} // namespace tilescope::sim
