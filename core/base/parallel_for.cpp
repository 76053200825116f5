#include "core/base/parallel_for.h"

#include <tbb/parallel_for.h>

namespace tilescope::detail {

void parallelFor(std::size_t count, const void* context, void (*work)(const void*, std::size_t)) {
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { work(context, i); });
}

} // namespace tilescope::detail
