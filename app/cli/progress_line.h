// Progress of a command on the terminal.
#pragma once

#include <string>

#include "app/cli/streams.h"

namespace tilescope::cli {

/// One line on standard error, only if that is a terminal; erased at the end. For other programs:
/// lines "progress: 35 % planning", one for each change.
class ProgressLine {
public:
    enum class Form { Terminal, Lines };
    explicit ProgressLine(const Streams& streams, Form form = Form::Terminal);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// `done` is a fraction, 0 to 1.
    void show(double done, const std::string& what);

private:
    const Streams& streams_;
    Form form_;
    std::string last_;
};

} // namespace tilescope::cli
