// The command line as a function, so that tests can call it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace tilescope::cli {

/// Exit statuses; scripts rely on them.
enum ExitStatus : int {
    exitYes = 0,      ///< done; fits
    exitNo = 1,       ///< a well-formed no: does not fit
    exitUsage = 2,    ///< wrong usage or input
    exitInternal = 3, ///< our fault, or the result could not be written
};

/// Where a command writes. `out` gets the result and nothing else.
struct Streams {
    std::ostream& out;
    std::ostream& err;
    bool errIsTerminal = false; ///< progress is shown only there
};

/// Runs `tilescope args...` (without the program's name) and gives its exit status. Never throws.
int runCli(const std::vector<std::string>& args, const Streams& streams);

} // namespace tilescope::cli
