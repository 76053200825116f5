// Runs the points of a sweep in worker processes.
//
// A worker simulates one point after the other and keeps what they share: the imported and prepared
// graph, plans, and the program itself if points differ in nothing that it depends on. It is a
// separate process instead of a fork of one that has prepared everything, since most of what is
// worth sharing is only found while a point is simulated. A crash is attributed to the point that
// was running; the next one gets a fresh worker. A point that crashes in a worker used before is
// run again in a fresh one, so that it is not blamed for the state left by earlier points.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/child_process.h"

namespace tilescope::cli {

struct PointRunner {
    std::string program;                ///< path of the program started as a worker
    std::vector<std::string> arguments; ///< of a worker, argv[0] included
    std::size_t jobs = 1;
    /// The command that a worker runs for a point; it answers as servePoints() does.
    std::function<std::vector<std::string>(std::size_t point)> wordsOf;
    /// Called as soon as a point is done. May throw; the workers are ended then.
    std::function<void(std::size_t point, const ChildResult& result, double seconds)> finished;
    /// The next point for a worker, from 0 to jobs - 1; none: there are no more for any worker.
    /// Called as soon as the worker is free.
    std::function<std::optional<std::size_t>(std::size_t worker)> next = {};
    /// If set, called every `attendMs` while workers run, until it returns false and all points
    /// are done.
    std::function<bool()> attend = {};
    int attendMs = 0;
};

/// The exit status of a program ended by signal N is this plus N, as in shells.
inline constexpr int firstSignalCode = 128;

struct RunnerEnd {
    std::optional<int> interruptedBy;   ///< the signal
    std::vector<std::size_t> cancelled; ///< points that were running then; their processes are gone
};

/// Runs the points, `jobs` at a time or as many as the system allows, until all are done or SIGINT,
/// SIGTERM or SIGHUP arrives. If no worker can be started, a point fails with exit code 127.
RunnerEnd runPoints(const PointRunner& runner);

} // namespace tilescope::cli
