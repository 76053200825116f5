#include "core/analysis/accounting/executed_steps.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/saturating.h"

namespace tilescope {
namespace {

using SiteCounts = std::map<CallSiteId, std::int64_t>;

class Walk {
public:
    Walk(const TraceLanes& lanes, CallSites& sites)
        : lanes_(lanes)
        , sites_(sites)
        , executed_(lanes.trace().bodies.size())
        , seen_(lanes.trace().bodies.size(), false) {}

    std::vector<ExecutedStepTotal> run(TraceBodyId root) {
        order(root);
        executed_[root.index()][CallSites::outside()] = 1;
        // Callers come before what they call, so that a body's counts are complete when it is
        // reached.
        for (auto body = order_.rbegin(); body != order_.rend(); ++body)
            add(*body);
        std::vector<ExecutedStepTotal> totals;
        for (const auto& [key, sum] : sums_)
            totals.push_back(
                {std::get<0>(key), std::get<1>(key), std::get<2>(key), sum.count, sum.cycles});
        return totals;
    }

private:
    struct Sum {
        std::int64_t count = 0;
        std::int64_t cycles = 0;
    };
    using Key = std::tuple<CallSiteId, ProgramId, IpuId>;
    using BodySums = std::map<std::pair<ProgramId, IpuId>, Sum>;

    // As deep as bodies nest, which the lanes have bounded.
    void order(TraceBodyId id) {
        if (seen_[id.index()])
            return;
        seen_[id.index()] = true;
        for (const TraceCall& call : lanes_.trace().bodies[id].calls)
            order(call.callee);
        order_.push_back(id);
    }

    static void accumulate(Sum& sum, std::int64_t times, const Sum& once) {
        sum.count = saturatingSum(sum.count, saturatingProduct(times, once.count));
        sum.cycles = saturatingSum(sum.cycles, saturatingProduct(times, once.cycles));
    }

    /// Of one execution, without what it calls.
    [[nodiscard]] BodySums ofBody(TraceBodyId id) const {
        BodySums sums;
        for (const TraceStep& step : lanes_.trace().bodies[id].steps)
            for (const StepOnIpu& on : step.ipus)
                accumulate(sums[{step.program, on.ipu}], 1, {1, on.cycles});
        if (const TracePages* pages = lanes_.pages()) {
            for (const IpuTotal& total : pages->ipuTotals(id))
                accumulate(sums[{total.program, total.ipu}], 1, {total.count, total.cycles});
            addPagedSyncs(id, sums);
        }
        return sums;
    }

    /// Pages have no totals of steps without a program: the remainder of the lane's own totals.
    void addPagedSyncs(TraceBodyId id, BodySums& sums) const {
        for (std::int32_t ipu = 0; ipu < lanes_.ipus(); ++ipu) {
            TraceSums left = lanes_.lane(id, IpuId(ipu)).total;
            for (const TraceCall& call : lanes_.trace().bodies[id].calls)
                for (const CallOnIpu& on : call.ipus)
                    if (on.ipu == IpuId(ipu))
                        left = left - lanes_.lane(call.callee, on.ipu).total.times(call.count);
            if (left.sync() > 0)
                accumulate(sums[{ProgramId(), IpuId(ipu)}], 1, {0, left.sync()});
        }
    }

    void add(TraceBodyId id) {
        const SiteCounts& executed = executed_[id.index()];
        for (const auto& [key, once] : ofBody(id)) {
            const auto& [program, ipu] = key;
            if (!program.valid()) {
                for (const auto& [site, times] : executed)
                    accumulate(sums_[{CallSites::outside(), program, ipu}], times, once);
                continue;
            }
            for (const auto& [site, times] : executed)
                accumulate(sums_[{site, program, ipu}], times, once);
        }
        for (const TraceCall& call : lanes_.trace().bodies[id].calls)
            for (const auto& [site, times] : executed) {
                std::int64_t& inside =
                    executed_[call.callee.index()][sites_.enter(site, call.program)];
                inside = saturatingSum(inside, saturatingProduct(times, call.count));
            }
    }

    const TraceLanes& lanes_;
    CallSites& sites_;
    std::vector<SiteCounts> executed_; ///< by body
    std::vector<bool> seen_;
    std::vector<TraceBodyId> order_; ///< callees before callers
    std::map<Key, Sum> sums_;
};

} // namespace

std::vector<ExecutedStepTotal> executedSteps(const TraceLanes& lanes, TraceBodyId body,
                                             CallSites& sites) {
    return Walk(lanes, sites).run(body);
}

} // namespace tilescope
