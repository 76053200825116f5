// Smallest and largest values of any range of a long row of numbers, in logarithmic time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tilescope::views {

struct MinMax {
    std::int64_t min = 0;
    std::int64_t max = 0;
    /// If no place in the range has a value.
    [[nodiscard]] bool empty() const { return min > max; }
    friend bool operator==(const MinMax&, const MinMax&) = default;
};

/// Values with a pyramid over them: each level halves the number of entries. A place may have no
/// value: extremes are those of the others.
class MinMaxPyramid {
public:
    /// Marks a place without a value.
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

    MinMaxPyramid() = default;
    explicit MinMaxPyramid(std::vector<std::int64_t> values);

    [[nodiscard]] std::size_t size() const { return levels_.empty() ? 0 : levels_.front().size(); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    /// Whether a place has a value; the value.
    [[nodiscard]] bool has(std::size_t index) const {
        return index < size() && !levels_.front()[index].empty();
    }
    [[nodiscard]] std::int64_t at(std::size_t index) const { return levels_.front()[index].min; }
    /// Extremes of [first, end), which must lie within the places; empty if none has a value.
    [[nodiscard]] MinMax over(std::size_t first, std::size_t end) const;
    /// Of all values; {0, 0} if there are none.
    [[nodiscard]] MinMax all() const {
        return levels_.empty() || levels_.back().front().empty() ? MinMax{}
                                                                 : levels_.back().front();
    }

private:
    std::vector<std::vector<MinMax>> levels_;
};

} // namespace tilescope::views
