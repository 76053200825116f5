// Processes on one or many machines, started together by mpirun or srun, that share the points of a
// sweep.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/child_process.h"

namespace tilescope::cli {

class Messages;

/// The number of processes according to the launcher (variables of Open MPI, Slurm and PMI); 1
/// without a launcher.
std::size_t launchedRanks();

/// A point simulated by a rank.
struct RankResult {
    std::size_t point = 0;
    ChildResult child;
    double seconds = 0;
};

/// The next point for a worker of a rank; none: there are no more.
using NextPoint = std::function<std::optional<std::size_t>(std::size_t rank, std::size_t worker)>;

/// The ranks of this run (MPI). Rank 0 hands out the points and records the results; every rank
/// simulates. MPI is called from the thread that made the object. If an MPI library ends a run
/// because a rank is lost, the results recorded so far stay.
class Ranks {
public:
    /// Joins the others. Throws UserError if several processes were launched and this build has no
    /// MPI.
    Ranks();
    /// Rank 0 lets the others end first and drops what they still send.
    ~Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    [[nodiscard]] bool isFirst() const { return rank_ == 0; }
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Rank 0: answers pending messages from the others, without waiting: a rank that asks gets the
    /// next point or a message that there is none. True while any rank may still send something.
    bool attend(const NextPoint& next, const std::function<void(const RankResult&)>& finished);

    /// Other ranks: asks for a point for one of their workers and waits for the answer; none: there
    /// are no more points.
    std::optional<std::size_t> ask(std::size_t worker);
    void tell(const RankResult& result);

    /// Ends all ranks at once, with an exit status.
    [[noreturn]] void abandon(int status);

private:
    std::unique_ptr<Messages> messages_; ///< none: there is one process
    int rank_ = 0;
    std::size_t size_ = 1;
    std::size_t working_ = 0; ///< other ranks that may still get points
};

/// How often, in milliseconds, rank 0 polls for messages while its own processes run: often enough
/// for points that take seconds, and negligible next to their cost.
constexpr int rankPollMs = 20;

} // namespace tilescope::cli
