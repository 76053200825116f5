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
        , executed_(lanes.outline().bodies.size()) {}

    std::vector<ExecutedStepTotal> run(TraceBodyId root) {
        executed_[root.index()][CallSites::outside()] = 1;
        // Callers come before what they call, so that a body's counts are complete when it is
        // reached.
        const std::vector<TraceBodyId>& order = lanes_.calleesFirst();
        for (auto body = order.rbegin(); body != order.rend(); ++body)
            if (!executed_[body->index()].empty())
                add(*body);
        return summed();
    }

private:
    struct Sum {
        std::int64_t count = 0;
        std::int64_t cycles = 0;
    };
    struct BodySum {
        ProgramId program;
        IpuId ipu;
        Sum once;
    };

    static void accumulate(Sum& sum, std::int64_t times, const Sum& once) {
        sum.count = saturatingSum(sum.count, saturatingProduct(times, once.count));
        sum.cycles = saturatingSum(sum.cycles, saturatingProduct(times, once.cycles));
    }

    /// Of one execution, without what it calls.
    [[nodiscard]] std::vector<BodySum> ofBody(TraceBodyId id) const {
        std::vector<BodySum> sums;
        std::vector<Sum> named(static_cast<std::size_t>(lanes_.ipus()));
        for (const IpuTotal& total : lanes_.ipuTotals(id)) {
            sums.push_back({total.program, total.ipu, {total.count, total.cycles}});
            accumulate(named[total.ipu.index()], 1, {total.count, total.cycles});
        }
        // Syncs have no program: they are what is left of the lane's own steps.
        for (std::size_t ipu = 0; ipu < named.size(); ++ipu) {
            const TraceSums own = ownSums(id, IpuId(ipu));
            const Sum syncs{own.steps - named[ipu].count, own.total() - named[ipu].cycles};
            if (syncs.count > 0 && syncs.cycles >= 0)
                sums.push_back({ProgramId(), IpuId(ipu), syncs});
        }
        return sums;
    }

    /// Of a body on an IPU, without what it calls.
    [[nodiscard]] TraceSums ownSums(TraceBodyId id, IpuId ipu) const {
        TraceSums own = lanes_.lane(id, ipu).total;
        for (const TraceCall& call : lanes_.outline().bodies[id].calls)
            for (const CallOnIpu& on : call.ipus)
                if (on.ipu == ipu)
                    own = own - lanes_.lane(call.callee, ipu).total.times(call.count);
        return own;
    }

    void add(TraceBodyId id) {
        const SiteCounts& executed = executed_[id.index()];
        for (const BodySum& sum : ofBody(id))
            for (const auto& [site, times] : executed) {
                const CallSiteId at = sum.program.valid() ? site : CallSites::outside();
                Sum all;
                accumulate(all, times, sum.once);
                sums_.push_back({at, sum.program, sum.ipu, all.count, all.cycles});
            }
        for (const TraceCall& call : lanes_.outline().bodies[id].calls)
            for (const auto& [site, times] : executed) {
                std::int64_t& inside =
                    executed_[call.callee.index()][sites_.enter(site, call.program)];
                inside = saturatingSum(inside, saturatingProduct(times, call.count));
            }
    }

    /// In order, those of the same chain, program and IPU as one.
    std::vector<ExecutedStepTotal> summed() {
        const auto key = [](const ExecutedStepTotal& t) {
            return std::tuple(t.site, t.program, t.ipu);
        };
        const auto isBefore = [&](const ExecutedStepTotal& a, const ExecutedStepTotal& b) {
            return key(a) < key(b);
        };
        // Those of a single body mostly are in order, but for its syncs.
        const auto end = std::is_sorted_until(sums_.begin(), sums_.end(), isBefore);
        std::sort(end, sums_.end(), isBefore);
        std::inplace_merge(sums_.begin(), end, sums_.end(), isBefore);
        std::vector<ExecutedStepTotal> totals;
        for (const ExecutedStepTotal& sum : sums_) {
            if (totals.empty() || key(totals.back()) != key(sum)) {
                totals.push_back(sum);
                continue;
            }
            totals.back().count = saturatingSum(totals.back().count, sum.count);
            totals.back().cycles = saturatingSum(totals.back().cycles, sum.cycles);
        }
        return totals;
    }

    const TraceLanes& lanes_;
    CallSites& sites_;
    std::vector<SiteCounts> executed_;    ///< by body
    std::vector<ExecutedStepTotal> sums_; ///< of each body in turn
};

} // namespace

std::vector<ExecutedStepTotal> executedSteps(const TraceLanes& lanes, TraceBodyId body,
                                             CallSites& sites) {
    return Walk(lanes, sites).run(body);
}

} // namespace tilescope
