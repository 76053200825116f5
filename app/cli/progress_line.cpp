#include "app/cli/progress_line.h"

#include <fmt/format.h>
#include <ostream>

namespace tilescope::cli {

ProgressLine::ProgressLine(const Streams& streams)
    : streams_(streams) {}

ProgressLine::~ProgressLine() {
    if (streams_.errIsTerminal)
        streams_.err << "\r\x1b[K" << std::flush;
}

void ProgressLine::show(double done, const std::string& what) const {
    if (streams_.errIsTerminal)
        streams_.err << fmt::format("\r\x1b[K{:3.0f} % {}", 100 * done, what) << std::flush;
}

} // namespace tilescope::cli
