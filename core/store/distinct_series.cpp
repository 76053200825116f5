#include "core/store/distinct_series.h"

namespace tilescope {

std::size_t DistinctSeries::Hash::operator()(const TileSeries* series) const {
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15; // 2^64 by the golden ratio, odd
    std::uint64_t hash = series->runs().size();
    const auto mix = [&hash](std::uint64_t word) {
        hash = (hash ^ word) * factor;
        hash ^= hash >> 32;
    };
    for (const TileRun& run : series->runs()) {
        mix(static_cast<std::uint64_t>(run.first) << 32 | static_cast<std::uint32_t>(run.end));
        mix(static_cast<std::uint64_t>(run.value));
    }
    return hash;
}

DistinctSeries::Numbered DistinctSeries::operator()(const TileSeries& series) {
    const auto [known, isNew] =
        numbers_.try_emplace(&series, static_cast<std::int64_t>(numbers_.size()));
    return {known->second, isNew};
}

std::int64_t SeriesBlobs::idOf(const TileSeries& series) {
    const DistinctSeries::Numbered numbered = distinct_(series);
    if (numbered.isNew)
        row_(numbered.number, series);
    return numbered.number;
}

} // namespace tilescope
