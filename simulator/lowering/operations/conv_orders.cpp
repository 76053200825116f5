#include "simulator/lowering/operations/conv_orders.h"

#include <numeric>

namespace tilescope::sim {
namespace {

using AtomList = std::vector<int>;

void addLevels(std::vector<OrderLevel>& order, const AtomList& atoms) {
    for (const int atom : atoms)
        order.push_back({atom, 0});
}

/// Atoms whose last one is held in groups of so many elements.
struct Grouped {
    const AtomList& atoms;
    std::int64_t grain;
};

/// Conv groups, channels and the like, then the spatial dimensions; innermost the conv groups that
/// one vertex operation takes or that were combined to one, and the groups of channels.
std::vector<OrderLevel> orderOf(const ConvAtoms& atoms, const ConvPlan& plan,
                                std::initializer_list<AtomList> outer,
                                const std::vector<AtomList>& spatial,
                                std::initializer_list<Grouped> innermost) {
    std::vector<OrderLevel> order;
    addLevels(order, atoms.groups);
    for (const AtomList& dim : outer)
        addLevels(order, dim);
    for (const AtomList& dim : spatial)
        addLevels(order, dim);
    const std::int64_t together = plan.grains.groups * plan.transform.combinedGroups;
    if (together > 1 && !atoms.groups.empty())
        order.push_back({atoms.groups.back(), together});
    for (const Grouped& one : innermost)
        if (!one.atoms.empty())
            order.push_back({one.atoms.back(), one.grain});
    return order;
}

/// The greatest group that fills itself with the channels of such atoms.
std::int64_t filledGroup(std::int64_t grain, const AtomList& atoms,
                         const std::vector<std::int64_t>& sizes) {
    std::int64_t channels = 1;
    for (const int atom : atoms)
        channels *= sizes[static_cast<std::size_t>(atom)];
    return std::gcd(grain, channels);
}

} // namespace

std::vector<OrderLevel> inputOrder(const ConvAtoms& atoms, const ConvPlan& plan) {
    return orderOf(atoms, plan, {atoms.inChans, atoms.batch}, atoms.field,
                   {{atoms.inChans, plan.grains.inChans}});
}

std::vector<OrderLevel> weightsOrder(const ConvAtoms& atoms, const ConvPlan& plan) {
    return orderOf(atoms, plan, {atoms.outChans, atoms.inChans}, atoms.kernel,
                   {{atoms.outChans, plan.grains.outChans}, {atoms.inChans, plan.grains.inChans}});
}

std::vector<OrderLevel> storedInputOrder(const ConvAtoms& atoms, const ConvPlan& plan,
                                         const std::vector<std::int64_t>& sizes) {
    ConvPlan filled = plan;
    filled.grains.inChans = filledGroup(plan.grains.inChans, atoms.inChans, sizes);
    return inputOrder(atoms, filled);
}

std::vector<OrderLevel> storedWeightsOrder(const ConvAtoms& atoms, const ConvPlan& plan,
                                           const std::vector<std::int64_t>& sizes) {
    ConvPlan filled = plan;
    filled.grains.inChans = filledGroup(plan.grains.inChans, atoms.inChans, sizes);
    filled.grains.outChans = filledGroup(plan.grains.outChans, atoms.outChans, sizes);
    return weightsOrder(atoms, filled);
}

std::vector<OrderLevel> outputOrder(const ConvAtoms& atoms, const ConvPlan& plan) {
    return orderOf(atoms, plan, {atoms.outChans, atoms.batch}, atoms.field,
                   {{atoms.outChans, plan.grains.outChans}});
}

} // namespace tilescope::sim
