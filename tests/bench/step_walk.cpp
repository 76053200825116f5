// Goes through every executed step of a profile and adds up cycles on the first IPU:
//   step_walk PROFILE
// The same in Python is step_walk.py.
#include <chrono>
#include <cstdio>

#include "core/base/error.h"
#include "core/trace/step_walk.h"
#include "core/view/profile_view.h"

using namespace tilescope;

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: step_walk PROFILE\n");
        return 2;
    }
    try {
        const auto begin = std::chrono::steady_clock::now();
        const ProfileView view{std::filesystem::path(argv[1])};
        const auto trace = view.trace();
        constexpr std::size_t stepsAtOnce = 1024;
        StepWalk walk(*trace, 0, trace->stepCount());
        StepBatch batch;
        std::int64_t cycles = 0;
        while (walk.next(batch, stepsAtOnce))
            for (const StepOnIpu& on : batch.ipus)
                if (on.ipu.value() == 0)
                    cycles += on.cycles;
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        std::printf("%lld steps, %lld cycles on IPU 0, %.2f s\n",
                    static_cast<long long>(trace->stepCount()), static_cast<long long>(cycles),
                    passed.count());
    } catch (const UserError& error) {
        std::fprintf(stderr, "step_walk: error: %s\n", error.what());
        return 2;
    }
    return 0;
}
