// Progress of a command on the terminal.
#pragma once

#include <string>

#include "app/cli/cli.h"

namespace tilescope::cli {

/// One line on standard error, only if that is a terminal; wiped at the end.
class ProgressLine {
public:
    explicit ProgressLine(const Streams& streams);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// `done` is a share, 0 to 1.
    void show(double done, const std::string& what) const;

private:
    const Streams& streams_;
};

} // namespace tilescope::cli
