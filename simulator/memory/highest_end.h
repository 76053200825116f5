// The innermost loop of placement.
#pragma once

#include <cstdint>
#include <span>

namespace tilescope::sim {

/// The largest end of the extents [begins[i], ends[i]) that meet [offset, limit), or `offset` if
/// none does. Of equal lengths; compiled for the widest vectors that a processor may have.
std::int32_t highestEnd(std::span<const std::int32_t> begins, std::span<const std::int32_t> ends,
                        std::int32_t offset, std::int32_t limit);
std::int64_t highestEnd(std::span<const std::int64_t> begins, std::span<const std::int64_t> ends,
                        std::int64_t offset, std::int64_t limit);

} // namespace tilescope::sim
