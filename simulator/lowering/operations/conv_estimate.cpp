#include "simulator/lowering/operations/conv_estimate.h"

namespace tilescope::sim {

ConvEstimate::Counted::Counted(ConvEstimate& estimate, bool exchanges)
    : estimate_(estimate)
    , exchanges_(exchanges)
    , firstSet_(estimate.b_.lowered().profile.computeSets.size())
    , firstExchange_(estimate.b_.lowered().profile.exchanges.size()) {}

ConvEstimate::Counted::~Counted() {
    const Profile& profile = estimate_.b_.lowered().profile;
    std::int64_t cycles = 0;
    for (std::size_t i = firstSet_; i < profile.computeSets.size(); ++i)
        cycles += profile.computeSets[ComputeSetId(i)].cycles.max().value;
    for (std::size_t i = firstExchange_; exchanges_ && i < profile.exchanges.size(); ++i)
        cycles += profile.exchanges[ExchangeId(i)].cycles.max().value;
    estimate_.cycles_ += cycles * estimate_.times_;
}

double ConvEstimate::movedShare(const OperandMove& move, std::int64_t elementBytes) {
    if (move.canRegroup())
        return 1;
    if (move.strided() || move.traffic.total == 0)
        return 0;
    const std::int64_t needed = move.bytes.sum() / elementBytes;
    return static_cast<double>(move.traffic.total) / static_cast<double>(needed);
}

void ConvEstimate::record(const ConvPlan& plan, const MovedShares& moved) const {
    ConvCost cost = executedCost(b_.machine(), plan, moved);
    cost.rearrange = cycles_;
    b_.lowered().profile.operations[b_.operation()].plan = plan.toJson(cost);
}

} // namespace tilescope::sim
