#include "views/plot/series/min_max_pyramid.h"

#include <algorithm>

namespace tilescope::views {
namespace {
constexpr MinMax nothing{std::numeric_limits<std::int64_t>::max(),
                         std::numeric_limits<std::int64_t>::min()};

MinMax joined(const MinMax& a, const MinMax& b) {
    return {std::min(a.min, b.min), std::max(a.max, b.max)};
}
} // namespace

MinMaxPyramid::MinMaxPyramid(std::vector<std::int64_t> values) {
    if (values.empty())
        return;
    std::vector<MinMax>& base = levels_.emplace_back();
    base.reserve(values.size());
    for (const std::int64_t value : values)
        base.push_back(value == none ? nothing : MinMax{value, value});
    while (levels_.back().size() > 1) {
        const std::vector<MinMax>& below = levels_.back();
        std::vector<MinMax> level;
        level.reserve((below.size() + 1) / 2);
        for (std::size_t i = 0; i < below.size(); i += 2)
            level.push_back(i + 1 < below.size() ? joined(below[i], below[i + 1]) : below[i]);
        levels_.push_back(std::move(level));
    }
}

MinMax MinMaxPyramid::over(std::size_t first, std::size_t end) const {
    MinMax result = nothing;
    // Odd ends are taken at each level; what is left moves up as whole pairs.
    for (std::size_t level = 0; first < end; ++level, first /= 2, end /= 2) {
        if (first % 2 != 0)
            result = joined(result, levels_[level][first++]);
        if (end % 2 != 0)
            result = joined(result, levels_[level][--end]);
    }
    return result;
}

} // namespace tilescope::views
