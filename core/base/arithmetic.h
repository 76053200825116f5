// Integer arithmetic of sizes and counts.
#pragma once

#include <cstdint>

namespace tilescope {

/// a / b, rounded up; for a >= 0 and b > 0.
constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

} // namespace tilescope
