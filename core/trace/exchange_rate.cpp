#include "core/trace/exchange_rate.h"

#include <algorithm>

#include "core/trace/lanes.h"

namespace tilescope {
namespace {

double exchangeRate(std::int64_t bytes, std::int64_t cycles) {
    return cycles > 0 ? static_cast<double>(bytes) / static_cast<double>(cycles) : 0;
}

double largestOfSteps(const TraceLanes& lanes) {
    double largest = 0;
    for (const TraceBodyId body : lanes.calleesFirst()) {
        const StepRange range = lanes.steps(body, 0, lanes.order(body).items());
        for (const StepRange::Step& step : range.steps)
            for (std::uint32_t i = step.firstIpu; i < step.endIpu && exchangesData(step.kind); ++i)
                largest =
                    std::max(largest, exchangeRate(range.ipus[i].bytesIn, range.ipus[i].cycles));
    }
    return largest;
}

} // namespace

bool exchangesData(ProgramKind kind) {
    return kind == ProgramKind::DoExchange || kind == ProgramKind::GlobalExchange;
}

double largestExchangeRate(const TraceIndex& index, std::int32_t ipus) {
    if (!index.lanes().inPages())
        return largestOfSteps(index.lanes());
    constexpr std::int64_t parts = 500;
    double largest = 0;
    const CycleRange all{0, index.totalCycles()};
    for (std::int32_t ipu = 0; ipu < ipus; ++ipu)
        for (const TraceSpan& span : index.spans(IpuId(ipu), all, all.cycles() / parts)) {
            const TraceSums sums = index.statistics(IpuId(ipu), {span.begin, span.end}).sums;
            largest = std::max(
                largest, exchangeRate(sums.exchangeBytesIn + sums.globalBytesIn, sums.exchange()));
        }
    return largest;
}

} // namespace tilescope
