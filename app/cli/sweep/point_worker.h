// A process that simulates points of a sweep one after the other, so that what they share is there
// already, and what it and the sweep say to each other.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/child_process.h"
#include "app/cli/streams.h"

namespace tilescope::cli {

/// The command that is such a process.
inline constexpr const char* sweepWorkerCommand = "sweep-worker";

/// The words of a command as a line of text.
std::string requestLine(const std::vector<std::string>& words);

/// What a worker said of a point. What is no answer is a result too, with exitInternal.
ChildResult answerFrom(const std::string& line);

/// Runs each command that comes on `requests`, a line each, and writes a line with its result,
/// until there are no more. Gives the exit status of the worker.
int servePoints(
    std::istream& requests, std::ostream& answers,
    const std::function<int(const std::vector<std::string>& words, const Streams&)>& run);

} // namespace tilescope::cli
