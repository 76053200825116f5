// Sums over a profile that several tests compare.
#pragma once

#include "core/profile/profile.h"

namespace tilescope::test {

/// Bytes of a category's variables on all tiles.
inline std::int64_t bytesOf(const Profile& profile, MemoryCategory category) {
    std::int64_t sum = 0;
    for (const Variable& variable : profile.variables)
        if (variable.category == category)
            sum += variable.bytes.sum();
    return sum;
}

} // namespace tilescope::test
