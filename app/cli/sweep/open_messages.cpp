#include <dlfcn.h>
#include <fmt/format.h>

#include "app/cli/sweep/messages.h"
#include "app/cli/sweep/ranks.h"
#include "core/base/error.h"

namespace tilescope::cli {

#ifdef TILESCOPE_MPI_MODULE

std::unique_ptr<Messages> openMessages() {
    using Open = Messages*();
    // For MPI's own plugins, which look for its functions among those of the program. Never closed:
    // MPI may leave threads behind.
    void* const module = dlopen(TILESCOPE_MPI_MODULE, RTLD_NOW | RTLD_GLOBAL);
    auto* const open =
        module == nullptr ? nullptr : reinterpret_cast<Open*>(dlsym(module, "tilescopeOpenMpi"));
    if (open == nullptr)
        throw UserError(fmt::format("MPI cannot be loaded: {}; run without mpirun", dlerror()));
    std::unique_ptr<Messages> messages(open());
    if (!messages)
        throw UserError("MPI cannot be started; see what it printed, or run without mpirun");
    return messages;
}

#else

std::unique_ptr<Messages> openMessages() {
    throw UserError(
        fmt::format("sweep: {} processes were started together, but this build has no MPI; install "
                    "libopenmpi-dev and build from source, or start one process with --jobs",
                    launchedRanks()));
}

#endif

} // namespace tilescope::cli
