// Streams and exit statuses of all commands.
#pragma once

#include <iosfwd>

namespace tilescope::cli {

/// Exit statuses; scripts rely on them.
enum ExitStatus : int {
    exitYes = 0,      ///< done; fits
    exitNo = 1,       ///< a well-formed "no": does not fit
    exitUsage = 2,    ///< wrong usage or input, or the computer lacks room or memory
    exitInternal = 3, ///< our fault
};

/// Where a command writes. `out` gets the result and nothing else.
struct Streams {
    std::ostream& out;
    std::ostream& err;
    bool errIsTerminal = false; ///< progress is shown only there
    bool endsProcess = false;   ///< after the command: what it holds need not be freed
};

} // namespace tilescope::cli
