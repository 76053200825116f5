// A process that simulates points of a sweep one after the other, so that they can share work, and
// its protocol with the sweep.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/streams.h"
#include "core/base/child_process.h"

namespace tilescope::cli {

/// The command that runs such a process.
inline constexpr const char* sweepWorkerCommand = "sweep-worker";

/// A command and its arguments as a line of text.
std::string requestLine(const std::vector<std::string>& words);

/// A worker's answer for a point. A line that is not an answer gives a result with exitInternal.
ChildResult answerFrom(const std::string& line);

/// Runs each command read from `requests`, a line each, and writes a line with its result, until
/// there are no more. Returns the exit status of the worker.
int servePoints(
    std::istream& requests, std::ostream& answers,
    const std::function<int(const std::vector<std::string>& words, const Streams&)>& run);

} // namespace tilescope::cli
