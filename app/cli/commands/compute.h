// What `run --compute` does besides writing the profile.
#pragma once

#include <boost/json.hpp>
#include <string>

#include "app/cli/streams.h"
#include "core/options/run_options.h"
#include "simulator/values/recorder.h"

namespace tilescope::cli {

/// What was computed, to be printed after the profile's summary.
struct ComputedText {
    std::string text;         ///< with a line feed at the end
    boost::json::object json; ///< keys to add to the summary's
    bool asExpected = true;   ///< false: --expect found differences
    sim::RunValues values;    ///< for the profile
};

/// Trains on options.compute.data, or computes the results of one call, and saves what the options
/// ask for. Does nothing unless options.compute.enabled. Throws UserError.
ComputedText computeValues(const std::string& model, const RunOptions& options,
                           const Streams& streams, bool progressLines);

} // namespace tilescope::cli
