// Which IPUs are to be seen.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"

namespace tilescope::views {

/// All IPUs, or some.
class IpuSet {
public:
    IpuSet() = default;
    /// One IPU, or all if it is invalid.
    IpuSet(IpuId ipu) { // NOLINT: an IPU is a set of one
        if (ipu.valid())
            ipus_.push_back(ipu.value());
    }
    explicit IpuSet(std::vector<std::int32_t> ipus);

    [[nodiscard]] bool all() const { return ipus_.empty(); }
    [[nodiscard]] bool contains(std::int32_t ipu) const;
    /// The chosen IPUs of a machine with `count` IPUs, ascending.
    [[nodiscard]] std::vector<IpuId> of(std::int32_t count) const;
    /// The first chosen IPU; none if all are chosen.
    [[nodiscard]] IpuId first() const { return all() ? IpuId() : IpuId(ipus_.front()); }
    friend bool operator==(const IpuSet&, const IpuSet&) = default;

private:
    std::vector<std::int32_t> ipus_; ///< ascending; empty: all
};

} // namespace tilescope::views
