// Runs the points of a sweep, each in a process of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/child_process.h"

namespace tilescope::cli {

struct PointRunner {
    std::string program; ///< path of what is started
    std::size_t jobs = 1;
    /// The arguments of a point's process, its own name first.
    std::function<std::vector<std::string>(std::size_t point)> argumentsOf;
    /// Called as soon as a process ended. May throw; the other processes are ended then.
    std::function<void(std::size_t point, const ChildResult& result, double seconds)> finished;
    /// The next point; none: there are no more. Asked as soon as there is room for it.
    std::function<std::optional<std::size_t>()> next = {};
    /// If set, called every `attendMs` beside the processes, until it returns false and all points
    /// are done.
    std::function<bool()> attend = {};
    int attendMs = 0;
};

struct RunnerEnd {
    std::optional<int> interruptedBy;   ///< the signal
    std::vector<std::size_t> cancelled; ///< points that were running then; their processes are gone
};

/// Runs the points, `jobs` at a time or as many as the system lets us, until all are done
/// or SIGINT, SIGTERM or SIGHUP comes. A process that cannot be started counts as one that failed
/// with exit code 127.
RunnerEnd runPoints(const PointRunner& runner);
/// The points of a list, one after the other, as `next` gives them. The list has to outlive it.
std::function<std::optional<std::size_t>()> inOrder(const std::vector<std::size_t>& points);
/// Runs a list of points.
RunnerEnd runPoints(const std::vector<std::size_t>& points, PointRunner runner);

} // namespace tilescope::cli
