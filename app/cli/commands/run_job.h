// The job of a run that was measured: what an imported profile does not say.
#pragma once

#include <string>

#include "app/cli/commands/run_request.h"
#include "core/options/run_options.h"
#include "core/profile/profile.h"
#include "simulator/simulate.h"

namespace tilescope::cli {

/// A job, its options checked.
struct RunJob {
    RunRequest request;
    RunOptions options;
};

/// The job of `name`, which is a job file or a model, for the machine of a profile unless it names
/// another. Throws UserError if it runs on another number of IPUs.
RunJob jobFor(const ProfileInfo& info, const std::string& name);
/// The job that a profile knows of itself, without values, which take no time on the machine.
/// Throws UserError if it knows none.
RunJob jobOf(const ProfileInfo& info);

/// Makes the options of a profile known.
void attach(const RunJob& job, ProfileInfo& info);

/// Throws UserError if it does not fit, so that it has no execution.
Profile simulate(const RunJob& job, const sim::Progress& progress);

} // namespace tilescope::cli
