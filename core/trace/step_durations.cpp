#include "core/trace/step_durations.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/saturating.h"
#include "core/trace/search.h"

namespace tilescope {
namespace {

/// The first execution of each body, as the index of its first step; -1 if it is never executed.
class FirstSteps {
public:
    explicit FirstSteps(const TraceLanes& lanes)
        : lanes_(lanes)
        , first_(lanes.outline().bodies.size(), -1) {
        std::int64_t before = 0;
        for (const TraceRun& run : lanes.outline().runs) {
            visit(run.body, before);
            before = saturatingSum(before, lanes.stepCount(run.body));
        }
    }
    [[nodiscard]] std::int64_t of(TraceBodyId body) const { return first_[body.index()]; }

private:
    // As deep as bodies are nested, which the lanes have checked.
    void visit(TraceBodyId body, std::int64_t before) {
        if (first_[body.index()] >= 0)
            return;
        first_[body.index()] = before;
        const std::vector<TraceCall>& calls = lanes_.outline().bodies[body].calls;
        const StepOrder& order = lanes_.order(body);
        for (std::size_t call = 0; call < std::min(calls.size(), order.calls()); ++call)
            if (calls[call].count > 0)
                visit(calls[call].callee,
                      saturatingSum(before, order.before(order.itemOfCall(call))));
    }

    const TraceLanes& lanes_;
    std::vector<std::int64_t> first_;
};

class DurationReader {
public:
    DurationReader(const TraceLanes& lanes, ProgramId program, const std::stop_token& stop)
        : lanes_(lanes)
        , program_(program)
        , stop_(stop) {}

    void add(TraceBodyId body, std::int64_t executed) {
        for (const ProgramTotal& total : lanes_.totals(body)) {
            if (total.program != program_ || total.count <= 0)
                continue;
            if (total.count == 1)
                return add(body, unknownItem, total.cycles, executed);
            return readSteps(body, executed);
        }
    }

    StepDurations finish(const TraceIndex& trace) {
        for (const auto& [key, bin] : bins_)
            result_.bins.push_back(bin);
        std::optional<FirstSteps> firsts;
        for (const Longest& each : longest_) {
            if (!firsts)
                firsts.emplace(lanes_);
            const std::int64_t first = firsts->of(each.body);
            const std::int64_t step =
                each.item == unknownItem
                    ? trace.findProgram(program_, first - 1)
                    : saturatingSum(first, lanes_.order(each.body).before(each.item));
            result_.longest.push_back({each.cycles, step, each.count});
        }
        // Bodies do not come in the order of execution.
        std::ranges::sort(result_.longest, [](const auto& a, const auto& b) {
            return std::pair(-a.cycles, a.step) < std::pair(-b.cycles, b.step);
        });
        return std::move(result_);
    }

private:
    static constexpr std::size_t unknownItem = static_cast<std::size_t>(-1);
    struct Longest {
        std::int64_t cycles = 0;
        TraceBodyId body;
        std::size_t item = unknownItem;
        std::int64_t count = 0;
    };

    void readSteps(TraceBodyId body, std::int64_t executed) {
        constexpr std::size_t together = 4096; // items, so that little is in memory at a time
        const std::size_t items = lanes_.order(body).items();
        for (std::size_t from = 0; from < items; from += together) {
            if (stop_.stop_requested())
                throw Cancelled();
            const StepRange steps = lanes_.steps(body, from, std::min(items, from + together));
            for (const StepRange::Step& step : steps.steps) {
                if (step.program != program_)
                    continue;
                std::int64_t cycles = 0;
                for (std::uint32_t ipu = step.firstIpu; ipu < step.endIpu; ++ipu)
                    cycles = std::max(cycles, steps.ipus[ipu].cycles);
                add(body, static_cast<std::size_t>(step.item), cycles, executed);
            }
        }
    }

    /// Equal for cycles that differ by less than a thousandth.
    static std::int64_t keyOf(std::int64_t cycles) {
        constexpr int kept = 10; // bits
        const int bits =
            std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(0, cycles)));
        const int dropped = std::max(0, bits - kept);
        return (cycles >> dropped) << dropped;
    }

    void add(TraceBodyId body, std::size_t item, std::int64_t cycles, std::int64_t executed) {
        if (executed <= 0)
            return;
        const auto [at, isNew] =
            bins_.try_emplace(keyOf(cycles), StepDurations::Bin{cycles, cycles, 0});
        StepDurations::Bin& bin = at->second;
        bin.least = std::min(bin.least, cycles);
        bin.most = std::max(bin.most, cycles);
        bin.count = saturatingSum(bin.count, executed);
        result_.count = saturatingSum(result_.count, executed);
        result_.cycles = saturatingSum(result_.cycles, saturatingProduct(cycles, executed));
        if (longest_.size() == StepDurations::mostLongest && cycles <= longest_.back().cycles)
            return;
        const auto place = std::ranges::find_if(
            longest_, [cycles](const Longest& other) { return other.cycles < cycles; });
        longest_.insert(place, Longest{cycles, body, item, executed});
        if (longest_.size() > StepDurations::mostLongest)
            longest_.pop_back();
    }

    const TraceLanes& lanes_;
    ProgramId program_;
    const std::stop_token& stop_;
    std::map<std::int64_t, StepDurations::Bin> bins_;
    std::vector<Longest> longest_; ///< the longest first
    StepDurations result_;
};

} // namespace

std::int64_t StepDurations::quantile(double share) const {
    const double wanted = share * static_cast<double>(count);
    double below = 0;
    for (const Bin& bin : bins) {
        below += static_cast<double>(bin.count);
        if (below >= wanted)
            return bin.most;
    }
    return most();
}

StepDurations stepDurations(const TraceIndex& trace, ProgramId program,
                            const std::stop_token& stop) {
    DurationReader reader(trace.lanes(), program, stop);
    forEachBody(trace.lanes(),
                [&](TraceBodyId body, std::int64_t executed) { reader.add(body, executed); });
    return reader.finish(trace);
}

} // namespace tilescope
