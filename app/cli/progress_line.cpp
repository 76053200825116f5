#include "app/cli/progress_line.h"

#include <fmt/format.h>
#include <ostream>

#include "app/cli/document.h"

namespace tilescope::cli {

ProgressLine::ProgressLine(const Streams& streams, Form form)
    : streams_(streams)
    , form_(form) {}

ProgressLine::~ProgressLine() {
    if (form_ == Form::Terminal && !last_.empty())
        streams_.err << "\r\x1b[K" << std::flush;
}

void ProgressLine::show(double done, const std::string& what) {
    if (form_ == Form::Lines) {
        std::string line = fmt::format("progress: {:.0f} % {}", 100 * done, printable(what));
        if (line != last_)
            streams_.err << line << std::endl;
        last_ = std::move(line);
    } else if (streams_.errIsTerminal) {
        last_ = fmt::format("{:3.0f} % {}", 100 * done, printable(what));
        streams_.err << "\r\x1b[K" << last_ << std::flush;
    }
}

} // namespace tilescope::cli
