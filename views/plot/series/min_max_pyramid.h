// Smallest and largest values of any range of a long row of numbers, in logarithmic time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::views {

struct MinMax {
    std::int64_t min = 0;
    std::int64_t max = 0;
    friend bool operator==(const MinMax&, const MinMax&) = default;
};

/// Values with a pyramid over them: each level halves the number of entries.
class MinMaxPyramid {
public:
    MinMaxPyramid() = default;
    explicit MinMaxPyramid(std::vector<std::int64_t> values);

    [[nodiscard]] std::size_t size() const { return levels_.empty() ? 0 : levels_.front().size(); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] std::int64_t at(std::size_t index) const { return levels_.front()[index].min; }
    /// Extremes of [first, end); the range must not be empty and lie within the values.
    [[nodiscard]] MinMax over(std::size_t first, std::size_t end) const;
    /// Of all values; {0, 0} if there are none.
    [[nodiscard]] MinMax all() const { return levels_.empty() ? MinMax{} : levels_.back().front(); }

private:
    std::vector<std::vector<MinMax>> levels_;
};

} // namespace tilescope::views
