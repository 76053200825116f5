// Visits the moments of several IPUs in order of time. Internal to core/analysis/counters.
#pragma once

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>
#include <span>
#include <stop_token>
#include <vector>

#include "core/analysis/counters/live_memory.h"
#include "core/analysis/counters/live_steps.h"

namespace tilescope {

/// Extremes of the moments added so far; empty without any.
struct FoundExtremes {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    [[nodiscard]] bool any() const { return least <= most; }
    void add(const FoundExtremes& other) {
        least = std::min(least, other.least);
        most = std::max(most, other.most);
    }
};

/// One pass over a range. Its cost grows with the steps in the range.
class MomentSweep {
public:
    explicit MomentSweep(std::deque<LiveSteps>& ipus)
        : ipus_(ipus)
        , now_(ipus.size()) {}

    /// Extremes of the sum over the IPUs between consecutive `borders`, which ascend. Throws
    /// Cancelled after a stop.
    std::vector<FoundExtremes> between(std::span<const std::int64_t> borders,
                                       const std::stop_token& stop);

private:
    /// A step that has bytes; cycles of its body.
    struct Step {
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::int64_t bytes = 0;
    };
    /// A lane that is being read, or a call that begins its next repetition.
    struct Reader {
        std::int64_t next = 0; ///< the cycle at which it continues
        std::size_t ipu = 0;
        LiveSteps* steps = nullptr; ///< of the IPU
        EnteredBody at;
        LaneCursor* cursor = nullptr; ///< none: a call
        std::size_t entry = 0;
        std::int64_t offset = 0; ///< of the lane's body
        std::int64_t left = 0;   ///< repetitions of a call
        std::int64_t period = 0;
        std::vector<Step> ahead = {}; ///< the steps before `entry`
        std::size_t done = 0;         ///< of them
    };
    struct Running {
        std::int64_t end = 0;
        std::int64_t bytes = 0;
    };
    /// What an IPU does.
    struct Now {
        std::vector<Running> running;
        std::int64_t heldSince = std::numeric_limits<std::int64_t>::min();
        std::int64_t held = 0; ///< of the step that began last
        std::int64_t bytes = 0;
    };
    struct End {
        std::int64_t cycle = 0;
        std::size_t ipu = 0;
        friend bool operator>(const End& a, const End& b) { return a.cycle > b.cycle; }
    };
    struct Began {
        std::int64_t begin = 0;
        std::int64_t bytes = 0;
    };
    /// When a reader continues: small, as a queue moves its elements with every step.
    struct Due {
        std::int64_t next = 0;
        std::size_t slot = 0; ///< in `readers_`
        friend bool operator>(const Due& a, const Due& b) { return a.next > b.next; }
    };
    template <class Event>
    using Earliest = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

    void begin(std::size_t ipu, std::int64_t from, std::int64_t to);
    void enter(std::size_t ipu, const EnteredBody& at, std::int64_t offset, std::int64_t from);
    void enterCall(std::size_t ipu, const EnteredBody& at, const LaneEntry& call,
                   std::int64_t begin, std::int64_t from);
    [[nodiscard]] bool readOn(Reader& reader) const;
    [[nodiscard]] bool step(Reader& reader);
    [[nodiscard]] bool comesFirst(std::int64_t cycle) const;
    void add(Reader reader);
    void replaceFirst(std::int64_t next);
    void removeFirst();
    void began(std::size_t ipu, std::int64_t begin, std::int64_t end, std::int64_t bytes);
    void update(std::size_t ipu, std::int64_t cycle);
    void addUp(Now& now);
    void set(Now& now, std::int64_t bytes);
    std::optional<Began> lastBefore(std::size_t ipu, std::int64_t cycle);
    std::optional<Began> lastBefore(std::size_t ipu, const EnteredBody& at, std::int64_t cycle);
    std::optional<Began> lastBefore(std::size_t ipu, const EnteredBody& at, const Repetition& r,
                                    std::int64_t cycle);

    std::deque<LiveSteps>& ipus_;
    std::vector<Now> now_;
    std::int64_t until_ = 0;             ///< the last border
    __extension__ __int128 total_ = 0;   ///< wide enough for damaged files, too
    std::deque<Reader> readers_;         ///< stay in place while others are added
    std::vector<std::size_t> freeSlots_; ///< of `readers_`
    std::vector<Due> due_;               ///< a heap, the earliest first
    Earliest<End> ends_;                 ///< of steps that overlap others of their IPU
};

} // namespace tilescope
