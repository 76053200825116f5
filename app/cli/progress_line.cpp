#include "app/cli/progress_line.h"

#include <fmt/format.h>
#include <ostream>

#include "app/cli/document.h"

namespace tilescope::cli {

ProgressLine::ProgressLine(const Streams& streams, Form form)
    : streams_(streams)
    , form_(form) {}

ProgressLine::~ProgressLine() {
    if (form_ == Form::Terminal && streams_.errIsTerminal)
        streams_.err << "\r\x1b[K" << std::flush;
}

void ProgressLine::show(double done, const std::string& what) {
    if (form_ == Form::Lines) {
        std::string line = fmt::format("progress: {:.0f} % {}", 100 * done, printable(what));
        if (line != last_)
            streams_.err << line << std::endl;
        last_ = std::move(line);
    } else if (streams_.errIsTerminal) {
        streams_.err << fmt::format("\r\x1b[K{:3.0f} % {}", 100 * done, printable(what))
                     << std::flush;
    }
}

} // namespace tilescope::cli
