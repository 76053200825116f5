// When the memory that one IPU holds changes. Internal to live memory and its table in the file.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <stop_token>
#include <vector>

#include "core/live/live_steps.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// From a cycle on an IPU holds `by` bytes more than before.
struct LiveChange {
    std::int64_t cycle = 0;
    std::int64_t by = 0;
};

/// One pass over a range of what an IPU does, read some way ahead. Its cost grows with the steps in
/// the range.
class IpuSweep {
public:
    /// `steps` outlives this.
    IpuSweep(LiveSteps& steps, CycleRange range);

    /// What it holds when the range begins.
    [[nodiscard]] std::int64_t atFirst() const { return atFirst_; }
    /// Reads on if there is little ahead. Throws Cancelled after a stop.
    void readOn(const std::stop_token& stop);
    /// All changes before this cycle have been read. Later than what was taken, after readOn().
    [[nodiscard]] std::int64_t known() const { return known_; }
    /// Moves the changes before a cycle that is known to the end of a list: in order of time, at
    /// most one for a cycle.
    void take(std::int64_t end, std::vector<LiveChange>& changes);

private:
    /// A lane that is being read, or a call that begins its next repetition.
    struct Reader {
        std::int64_t next = 0; ///< the cycle at which it continues
        EnteredBody at;
        LaneCursor* cursor = nullptr; ///< none: a call
        std::int64_t offset = 0;      ///< of the lane's body
        std::size_t entry = 0;        ///< what begins next
        std::int64_t end = 0;         ///< of that, if it is a step,
        std::int64_t bytes = 0;       ///< and what is live then
        bool isCall = false;
        std::int64_t left = 0; ///< repetitions of a call
        std::int64_t period = 0;
    };
    struct Running {
        std::int64_t end = 0;
        std::int64_t bytes = 0;
    };
    struct Began {
        std::int64_t begin = 0;
        std::int64_t bytes = 0;
    };
    /// When a reader continues: small, as a queue moves its elements.
    struct Due {
        std::int64_t next = 0;
        std::size_t slot = 0; ///< in `readers_`
        friend bool operator>(const Due& a, const Due& b) { return a.next > b.next; }
    };
    template <class Event>
    using Earliest = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

    void begin();
    void enter(const EnteredBody& at, std::int64_t offset, std::int64_t from);
    void enterCall(const EnteredBody& at, const LaneEntry& call, std::int64_t begin,
                   std::int64_t from);
    [[nodiscard]] std::optional<std::int64_t> bytesOf(const EnteredBody& at,
                                                      const LaneEntry& step) const;
    [[nodiscard]] bool findNext(Reader& reader) const;
    [[nodiscard]] bool step(Reader& reader);
    void stepFirst();
    [[nodiscard]] std::int64_t nextDue() const;
    void add(const Reader& reader);
    void began(std::int64_t begin, std::int64_t end, std::int64_t bytes);
    void dropEnded(std::int64_t cycle);
    [[nodiscard]] std::int64_t held() const;
    void set(std::int64_t cycle, std::int64_t bytes);
    [[nodiscard]] std::optional<Began> lastBefore(std::int64_t cycle);
    std::optional<Began> lastBefore(const EnteredBody& at, std::int64_t cycle);
    std::optional<Began> lastBefore(const EnteredBody& at, const Repetition& r, std::int64_t cycle);

    LiveSteps& steps_;
    CycleRange range_;
    std::int64_t atFirst_ = 0;
    std::int64_t known_ = 0;
    std::vector<LiveChange> ahead_;
    std::size_t taken_ = 0; ///< of them

    std::int64_t bytes_ = 0; ///< after the last change
    std::vector<Running> running_;
    std::int64_t heldSince_ = std::numeric_limits<std::int64_t>::min();
    std::int64_t held_ = 0;              ///< of the step that began last
    std::deque<Reader> readers_;         ///< stay in place while others are added
    std::vector<std::size_t> freeSlots_; ///< of `readers_`
    Earliest<Due> due_;
    Earliest<std::int64_t> ends_; ///< of steps that overlap others
};

} // namespace tilescope
