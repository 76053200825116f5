// The loop of all kernels on oneDNN's threads.
#include "simulator/compute/kernels/broadcast.h"

namespace tilescope::sim {

void inTeam(std::int64_t count, const void* context, void (*work)(const void*, std::int64_t)) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
    for (std::int64_t i = 0; i < count; ++i)
        work(context, i);
}

} // namespace tilescope::sim
