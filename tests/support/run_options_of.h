// Options of a run by their keys, as a job has them.
#pragma once

#include <map>
#include <string>

#include "core/options/option_table.h"
#include "core/options/run_options.h"

namespace tilescope::test {

inline RunOptions optionsOf(const std::map<std::string, std::string>& values) {
    RunOptions options;
    setRunOptions(options, values);
    return options;
}

} // namespace tilescope::test
