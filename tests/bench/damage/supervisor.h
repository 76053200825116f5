// Jobs in a child process, so that a crash or a hang is counted and the others go on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilescope::bench {

enum class Verdict : std::uint8_t {
    Fine,      ///< everything was read, nothing was said
    Message,   ///< what is wrong was said
    NoMessage, ///< refused without words, or without naming the file
    Internal,  ///< an error of ours
    Crash,
    Hang,
};
inline constexpr std::size_t verdicts = 6;
const char* toString(Verdict verdict);

struct JobResult {
    int job = 0;
    Verdict verdict = Verdict::Fine;
    std::string text;   ///< the worst message, or where it crashed
    double seconds = 0; ///< of processor time
};

/// What a job has to say while it runs: where it is, so that a crash has a place.
using Progress = std::function<void(const std::string& at)>;
using Job = std::function<JobResult(int job, const Progress& at)>;

/// Runs `job` for 0 .. jobs-1 one after the other in a forked child; after a crash, or after
/// `limitSeconds` of processor time without an end or progress, a new child goes on with the next.
/// `each` is told in the calling process.
void runJobs(int jobs, double limitSeconds, const Job& job,
             const std::function<void(const JobResult&)>& each);

} // namespace tilescope::bench
