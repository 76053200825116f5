#include "core/analysis/trace/executions.h"

#include <algorithm>
#include <limits>

namespace tilescope {
namespace {

std::int64_t plusProduct(std::int64_t sum, std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(sum, product, &sum)
               ? std::numeric_limits<std::int64_t>::max()
               : sum;
}

/// Bodies in an order in which callers stand before what they call. As deep as bodies nest, which
/// the lanes have bounded.
class CallOrder {
public:
    explicit CallOrder(const Trace& trace)
        : trace_(trace)
        , seen_(trace.bodies.size(), false) {
        for (const TraceRun& run : trace.runs)
            visit(run.body);
        std::reverse(order_.begin(), order_.end());
    }
    [[nodiscard]] const std::vector<TraceBodyId>& bodies() const { return order_; }

private:
    void visit(TraceBodyId id) {
        if (seen_[id.index()])
            return;
        seen_[id.index()] = true;
        for (const TraceCall& call : trace_.bodies[id].calls)
            visit(call.callee);
        order_.push_back(id);
    }

    const Trace& trace_;
    std::vector<bool> seen_;
    std::vector<TraceBodyId> order_;
};

} // namespace

std::vector<ProgramExecutions> programExecutions(const TraceLanes& lanes, std::size_t programs) {
    const Trace& trace = lanes.trace();
    std::vector<ProgramExecutions> result(programs);
    std::vector<std::int64_t> times(trace.bodies.size(), 0);
    for (const TraceRun& run : trace.runs)
        ++times[run.body.index()];
    const auto add = [&](ProgramId program, std::int64_t count, std::int64_t cycles) {
        if (!program.valid() || program.index() >= programs)
            return;
        ProgramExecutions& of = result[program.index()];
        of.count = plusProduct(of.count, count, 1);
        of.cycles = plusProduct(of.cycles, count, cycles);
    };
    const CallOrder order(trace);
    for (const TraceBodyId id : order.bodies()) {
        const std::int64_t executed = times[id.index()];
        for (const TraceStep& step : trace.bodies[id].steps) {
            std::int64_t cycles = 0;
            for (const StepOnIpu& on : step.ipus)
                cycles = std::max(cycles, on.cycles);
            add(step.program, executed, cycles);
        }
        for (const TraceCall& call : trace.bodies[id].calls) {
            add(call.program, executed, 0);
            std::int64_t& callee = times[call.callee.index()];
            callee = plusProduct(callee, executed, call.count);
        }
    }
    return result;
}

} // namespace tilescope
