#include "core/trace/trace_statistics.h"

#include <algorithm>

#include "core/base/saturating.h"

namespace tilescope {
namespace {

std::int64_t shareOf(std::int64_t value, std::int64_t part, std::int64_t whole) {
    // Long double holds every 64-bit integer, so a whole share gives the value back exactly.
    return static_cast<std::int64_t>(static_cast<long double>(value) *
                                     static_cast<long double>(part) /
                                     static_cast<long double>(whole));
}

/// Applies change(mine, theirs) to each field of two sums.
template <class Change> void eachField(TraceSums& mine, const TraceSums& theirs, Change&& change) {
    for (std::size_t i = 0; i < mine.cyclesByKind.size(); ++i)
        change(mine.cyclesByKind[i], theirs.cyclesByKind[i]);
    change(mine.steps, theirs.steps);
    change(mine.activeCycles, theirs.activeCycles);
    change(mine.computeActiveCycles, theirs.computeActiveCycles);
    change(mine.exchangeBytesIn, theirs.exchangeBytesIn);
    change(mine.exchangeBytesOut, theirs.exchangeBytesOut);
    change(mine.hostBytesIn, theirs.hostBytesIn);
    change(mine.hostBytesOut, theirs.hostBytesOut);
    change(mine.globalBytesIn, theirs.globalBytesIn);
    change(mine.globalBytesOut, theirs.globalBytesOut);
    change(mine.waitingCycles, theirs.waitingCycles);
}

} // namespace

std::int64_t TraceSums::exchange() const {
    return cycles(ProgramKind::DoExchange) + cycles(ProgramKind::GlobalExchange);
}

std::int64_t TraceSums::host() const {
    return cycles(ProgramKind::StreamCopyBegin) + cycles(ProgramKind::StreamCopyMid) +
           cycles(ProgramKind::StreamCopyEnd);
}

std::int64_t TraceSums::total() const {
    std::int64_t total = 0;
    for (const std::int64_t cycles : cyclesByKind)
        total = saturatingSum(total, cycles);
    return total;
}

ProgramKind TraceSums::dominantKind() const {
    const auto most = std::max_element(cyclesByKind.begin(), cyclesByKind.end());
    return *most == 0 ? ProgramKind::Sync : static_cast<ProgramKind>(most - cyclesByKind.begin());
}

TraceSums& TraceSums::operator+=(const TraceSums& other) {
    eachField(*this, other, [](std::int64_t& a, std::int64_t b) { a = saturatingSum(a, b); });
    return *this;
}

TraceSums operator-(const TraceSums& a, const TraceSums& b) {
    TraceSums difference = a;
    eachField(difference, b,
              [](std::int64_t& x, std::int64_t y) { x = saturatingDifference(x, y); });
    return difference;
}

TraceSums TraceSums::times(std::int64_t count) const {
    TraceSums result = *this;
    eachField(result, *this,
              [count](std::int64_t& a, std::int64_t) { a = saturatingProduct(a, count); });
    return result;
}

TraceSums TraceSums::share(std::int64_t part, std::int64_t whole) const {
    TraceSums result = *this;
    part = part < 0 ? 0 : part;
    if (whole <= 0 || part >= whole)
        return result;
    eachField(result, *this, [&](std::int64_t& a, std::int64_t) {
        if (a != 0) // as most are
            a = shareOf(a, part, whole);
    });
    result.steps = steps;
    return result;
}

std::int64_t TraceStatistics::idle() const {
    return std::max<std::int64_t>(0, cycles - (sums.total() - overlapped));
}

} // namespace tilescope
