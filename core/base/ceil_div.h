// Division of counts that rounds up.
#pragma once

#include <cstdint>

namespace tilescope {

/// The least number of groups of `b` that hold `a` things; b is positive.
constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

} // namespace tilescope
