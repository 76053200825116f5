// A range of cycles divided into columns, for curves over time.
#pragma once

#include <algorithm>
#include <optional>

#include "core/trace/trace_index.h"

namespace tilescope {

/// Columns of a range that differ by at most a cycle; none is empty.
class CycleColumns {
public:
    CycleColumns() = default;
    /// As many as requested, or one per cycle if there are fewer cycles.
    CycleColumns(CycleRange range, std::int64_t wanted)
        : range_(range)
        , count_(std::clamp<std::int64_t>(wanted, 0, std::max<std::int64_t>(0, range.cycles()))) {}

    [[nodiscard]] const CycleRange& range() const { return range_; }
    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(count_); }
    [[nodiscard]] CycleRange at(std::size_t column) const {
        return {border(column), border(column + 1)};
    }
    /// Where a column begins; for the number of columns the end of the range.
    [[nodiscard]] std::int64_t border(std::size_t column) const {
        __extension__ using Wide = __int128; // cycles of weeks times thousands of columns
        return range_.begin +
               static_cast<std::int64_t>(Wide{range_.cycles()} * static_cast<std::int64_t>(column) /
                                         std::max<std::int64_t>(1, count_));
    }

    /// The column of a cycle; none outside.
    [[nodiscard]] std::optional<std::size_t> columnOf(std::int64_t cycle) const {
        if (count_ == 0 || cycle < range_.begin || cycle >= range_.end)
            return {};
        __extension__ using Wide = __int128;
        auto column =
            static_cast<std::size_t>(Wide{cycle - range_.begin} * count_ / range_.cycles());
        while (column + 1 < count() && border(column + 1) <= cycle)
            ++column;
        return column;
    }

private:
    CycleRange range_;
    std::int64_t count_ = 0;
};

} // namespace tilescope
