#include "core/analysis/counters/counter_columns.h"

#include <algorithm>

#include "core/base/saturating.h"

namespace tilescope {

CounterColumns::CounterColumns(const ProfileView& profile, std::vector<IpuId> ipus,
                               CycleColumns columns, std::stop_token stop)
    : profile_(profile)
    , ipus_(std::move(ipus))
    , columns_(columns)
    , stop_(std::move(stop)) {
    std::erase_if(
        ipus_, [&](IpuId ipu) { return !ipu.valid() || ipu.value() >= profile_.machine().ipus; });
}

const std::vector<LiveExtremes>& CounterColumns::live() const {
    if (live_)
        return *live_;
    const auto memory = profile_.derived<LiveMemory>([&] { return LiveMemory(profile_, stop_); });
    std::vector<LiveExtremes> all(count());
    for (const IpuId ipu : ipus_) {
        const std::vector<LiveExtremes> of = memory->columns(ipu, columns_, stop_);
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].least = saturatingSum(all[i].least, of[i].least);
            all[i].most = saturatingSum(all[i].most, of[i].most);
        }
    }
    return live_.emplace(std::move(all));
}

std::int64_t CounterColumns::tiles() const {
    return std::int64_t{profile_.machine().tilesPerIpu} * static_cast<std::int64_t>(ipus_.size());
}

std::int64_t CounterColumns::memory() const {
    return tiles() * profile_.machine().bytesPerTile;
}

const std::vector<TraceSums>& CounterColumns::sums() const {
    if (sums_)
        return *sums_;
    const auto trace = profile_.trace(stop_);
    std::vector<TraceSums> all(count());
    // The sum of many is as quick as one: what is spread in each is not seen in all of them.
    const auto several = std::max<std::int64_t>(1, static_cast<std::int64_t>(ipus_.size()));
    for (const IpuId ipu : ipus_) {
        const std::vector<TraceSums> of =
            columnSums(*trace, ipu, columns_, usualColumnsOfBlock * several, stop_);
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] += of[i];
    }
    return sums_.emplace(std::move(all));
}

double CounterColumns::perCycle(std::int64_t TraceSums::*value, std::size_t column) const {
    return static_cast<double>(sums()[column].*value) /
           static_cast<double>(std::max<std::int64_t>(1, columns_.at(column).cycles()));
}

double CounterColumns::onChipBytesPerCycle(std::size_t column) const {
    return perCycle(&TraceSums::exchangeBytesIn, column);
}

double CounterColumns::betweenIpusBytesPerCycle(std::size_t column) const {
    return perCycle(&TraceSums::globalBytesIn, column);
}

double CounterColumns::fromHostBytesPerCycle(std::size_t column) const {
    return perCycle(&TraceSums::hostBytesIn, column);
}

double CounterColumns::toHostBytesPerCycle(std::size_t column) const {
    return perCycle(&TraceSums::hostBytesOut, column);
}

double CounterColumns::activeTiles(std::size_t column) const {
    return perCycle(&TraceSums::activeCycles, column);
}

} // namespace tilescope
