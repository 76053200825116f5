// Tells the thread sanitizer about ordering between threads that libraries guarantee but that it
// cannot see: oneTBB and Qt are not instrumented. Nothing is compiled without that sanitizer.
#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace tilescope {

/// Everything that the calling thread did is visible to the thread that later calls takeOver(at).
inline void handOver([[maybe_unused]] const void* at) {
#ifdef __SANITIZE_THREAD__
    __tsan_release(const_cast<void*>(at));
#endif
}

/// See handOver.
inline void takeOver([[maybe_unused]] const void* at) {
#ifdef __SANITIZE_THREAD__
    __tsan_acquire(const_cast<void*>(at));
#endif
}

} // namespace tilescope
