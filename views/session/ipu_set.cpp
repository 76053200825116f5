#include "views/session/ipu_set.h"

#include <algorithm>

namespace tilescope::views {

IpuSet::IpuSet(std::vector<std::int32_t> ipus)
    : ipus_(std::move(ipus)) {
    std::sort(ipus_.begin(), ipus_.end());
    ipus_.erase(std::unique(ipus_.begin(), ipus_.end()), ipus_.end());
}

bool IpuSet::contains(std::int32_t ipu) const {
    return all() || std::binary_search(ipus_.begin(), ipus_.end(), ipu);
}

std::vector<IpuId> IpuSet::of(std::int32_t count) const {
    std::vector<IpuId> some;
    for (std::int32_t ipu = 0; ipu < count; ++ipu)
        if (contains(ipu))
            some.emplace_back(ipu);
    return some;
}

} // namespace tilescope::views
