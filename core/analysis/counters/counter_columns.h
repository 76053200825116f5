// Counters of an execution over time, for the tracks above the trace's lanes and for the report.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/counters/live_memory.h"
#include "core/trace/counters.h"

namespace tilescope {

/// Counters of some IPUs of a profile over columns of time, summed over the IPUs. Each kind of
/// figure is read on first use. Not thread-safe. Calls throw UserError for a damaged profile and
/// Cancelled after a stop.
class CounterColumns {
public:
    /// `profile` outlives it. IPUs that the profile does not have count as nothing. `each`
    /// distributes the work of several IPUs over threads; without it they are read one after the
    /// other.
    CounterColumns(const ProfileView& profile, std::vector<IpuId> ipus, CycleColumns columns,
                   std::stop_token stop = {}, ForEach each = {});

    [[nodiscard]] const ProfileView& profile() const { return profile_; }
    [[nodiscard]] const std::vector<IpuId>& ipus() const { return ipus_; }
    [[nodiscard]] const CycleColumns& columns() const { return columns_; }
    [[nodiscard]] std::size_t count() const { return columns_.count(); }

    /// Live memory of all IPUs together, see LiveMemory.
    [[nodiscard]] const std::vector<LiveExtremes>& live() const { return liveColumns().columns; }
    /// Whether these are exact extremes, and not bounds.
    [[nodiscard]] bool liveIsExact() const { return liveColumns().exact; }
    /// Bytes of all tiles of the IPUs.
    [[nodiscard]] std::int64_t memory() const;

    /// Means over the cycles of a column. Bytes that tiles receive from tiles of their IPU, in
    /// exchanges;
    [[nodiscard]] double onChipBytesPerCycle(std::size_t column) const;
    /// from other IPUs;
    [[nodiscard]] double betweenIpusBytesPerCycle(std::size_t column) const;
    /// from the host and to it, by stream copies.
    [[nodiscard]] double fromHostBytesPerCycle(std::size_t column) const;
    [[nodiscard]] double toHostBytesPerCycle(std::size_t column) const;
    /// Mean number of tiles that work: tile cycles spent working per cycle of the column.
    [[nodiscard]] double activeTiles(std::size_t column) const;
    [[nodiscard]] std::int64_t tiles() const;

    /// The sums that these are computed from.
    [[nodiscard]] const std::vector<TraceSums>& sums() const;

private:
    [[nodiscard]] const LiveColumns& liveColumns() const;
    /// Adds what is read of each IPU, column by column.
    template <class Column, class Read, class Add>
    [[nodiscard]] std::vector<Column> summed(const Read& read, const Add& add) const;
    [[nodiscard]] double perCycle(std::int64_t TraceSums::*value, std::size_t column) const;

    const ProfileView& profile_;
    std::vector<IpuId> ipus_;
    CycleColumns columns_;
    std::stop_token stop_;
    ForEach each_;
    mutable std::optional<LiveColumns> live_;
    mutable std::optional<std::vector<TraceSums>> sums_;
};

} // namespace tilescope
