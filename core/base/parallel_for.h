// One loop on all cores.
#pragma once

#include <cstddef>

#include "core/base/thread_edges.h"

namespace tilescope {
namespace detail {
/// Calls work(context, i) for each i below `count`.
void parallelFor(std::size_t count, const void* context, void (*work)(const void*, std::size_t));
} // namespace detail

/// Calls work(i) once for each i below `count`, on as many threads as oneTBB uses, and returns when
/// all have ended. Rethrows an exception of any call; calls that have not begun are then skipped.
template <class Work> void parallelFor(std::size_t count, const Work& work) {
    handOver(&work);
    detail::parallelFor(count, &work, [](const void* context, std::size_t i) {
        takeOver(context);
        (*static_cast<const Work*>(context))(i);
        handOver(context);
    });
    takeOver(&work);
}

} // namespace tilescope
