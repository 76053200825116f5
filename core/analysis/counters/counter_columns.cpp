#include "core/analysis/counters/counter_columns.h"

#include <algorithm>
#include <mutex>

namespace tilescope {

CounterColumns::CounterColumns(const ProfileView& profile, std::vector<IpuId> ipus,
                               CycleColumns columns, std::stop_token stop, ForEach each)
    : profile_(profile)
    , ipus_(std::move(ipus))
    , columns_(columns)
    , stop_(std::move(stop))
    , each_(std::move(each)) {
    std::erase_if(
        ipus_, [&](IpuId ipu) { return !ipu.valid() || ipu.value() >= profile_.machine().ipus; });
}

template <class Column, class Read, class Add>
std::vector<Column> CounterColumns::summed(const Read& read, const Add& add) const {
    std::vector<Column> all(count());
    std::mutex mutex;
    const auto readOne = [&](std::size_t at) {
        const std::vector<Column> of = read(ipus_[at]);
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < all.size(); ++i)
            add(all[i], of[i]);
    };
    if (each_) {
        each_(ipus_.size(), readOne);
        return all;
    }
    for (std::size_t at = 0; at < ipus_.size(); ++at)
        readOne(at);
    return all;
}

const LiveColumns& CounterColumns::liveColumns() const {
    if (live_)
        return *live_;
    if (ipus_.empty())
        return live_.emplace(LiveColumns{std::vector<LiveExtremes>(count())});
    const auto memory = profile_.derived<LiveMemory>([&] { return LiveMemory(profile_, stop_); });
    return live_.emplace(memory->columns(ipus_, columns_, stop_, each_));
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
    // Reading several IPUs with wider blocks costs no more than reading one; the detail lost in
    // each is not visible in their sum.
    const auto several = std::max<std::int64_t>(1, static_cast<std::int64_t>(ipus_.size()));
    return sums_.emplace(summed<TraceSums>(
        [&](IpuId ipu) {
            return columnSums(*trace, ipu, columns_, usualColumnsOfBlock * several, stop_);
        },
        [](TraceSums& sum, const TraceSums& of) { sum += of; }));
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
