// Work that may be shared by threads.
#pragma once

#include <cstddef>
#include <functional>

namespace tilescope {

/// Calls work(i) for each i below `count`, here or on several threads.
using ForEach =
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& work)>;

} // namespace tilescope
