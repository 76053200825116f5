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

StoredSeries::StoredSeries(const RowSource& file, std::string_view table) {
    Statement row = file.db.prepare(fmt::format("SELECT id, data FROM {} ORDER BY id", table));
    for (std::int64_t number = 0; row.step(); ++number) {
        if (row.integer(0) != number)
            throw DamagedProfile(fmt::format("rows of {} are missing", table));
        series_.push_back(seriesAt(row, 1, file.tiles));
    }
}

const TileSeries& StoredSeries::of(const Statement& row, int at) {
    const std::int64_t id = row.isNull(at) ? -1 : row.integer(at);
    const TileSeries& found = element(series_, id, "a row refers to a series that does not exist");
    runs_ += found.runs().size();
    if (runs_ > mostRuns)
        throw DamagedProfile("more rows share a series than there can be");
    return found;
}

} // namespace tilescope
