// The sorted, summed-up form of a trace that TraceIndex searches. Internal to core/trace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/profile/trace.h"
#include "core/trace/step_order.h"
#include "core/trace/trace_parts.h"

namespace tilescope {

/// What a body does on one IPU, in order of start.
struct Lane {
    TraceSums total;
    std::size_t count = 0;  ///< of entries
    bool sequential = true; ///< no two entries overlap
    bool overlaps = false;  ///< two steps do, in the body or in what it calls
    std::int64_t length = 0;
};

/// A repetition of a callee: `count` executions `period` cycles apart, `length` cycles each.
struct Repetition {
    TraceBodyId callee;
    std::int64_t count = 0;
    std::int64_t period = 0;
    std::int64_t length = 0;
    /// Repetitions [first, end) that touch cycles [from, to) of the call.
    struct Touched {
        std::int64_t first = 0;
        std::int64_t end = 0;
    };
    [[nodiscard]] Touched touched(std::int64_t from, std::int64_t to) const;
    /// Those of them that lie entirely in these cycles.
    [[nodiscard]] Touched whole(std::int64_t from, std::int64_t to) const;
};

/// All lanes of a checked trace, and their entries, items and steps, read on request: from memory
/// (LanesInMemory) or from pages of a file (TracePages). Thread-safe. Calls throw UserError where a
/// page of the file is damaged.
class TraceLanes {
public:
    virtual ~TraceLanes() = default;

    /// Runs and bodies, with their calls in the order of items. Items and steps may be missing.
    [[nodiscard]] const Trace& outline() const { return *outline_; }
    [[nodiscard]] std::int32_t ipus() const { return ipus_; }
    /// All bodies, each after those that it calls.
    [[nodiscard]] const std::vector<TraceBodyId>& calleesFirst() const { return calleesFirst_; }
    [[nodiscard]] const Lane& lane(TraceBodyId body, IpuId ipu) const;
    /// The summaries of a lane's blocks, read on first use.
    [[nodiscard]] virtual const std::vector<LaneBlock>& blocks(TraceBodyId body,
                                                               IpuId ipu) const = 0;
    [[nodiscard]] const StepOrder& order(TraceBodyId body) const { return orders_[body.index()]; }
    [[nodiscard]] std::int64_t stepCount(TraceBodyId body) const { return order(body).total(); }
    /// A call on one of its IPUs.
    [[nodiscard]] Repetition repetition(const TraceCall& call, const CallOnIpu& on) const;
    /// The call of an entry of a lane; it must be one.
    [[nodiscard]] Repetition repetition(TraceBodyId body, const LaneEntry& entry) const;
    [[nodiscard]] const TraceCall* callOf(TraceBodyId body, const LaneEntry& entry) const;
    /// A step by its item, on all IPUs.
    [[nodiscard]] TraceStep stepOf(TraceBodyId body, std::size_t item) const;
    /// Sums of everything that an entry of a lane does.
    [[nodiscard]] TraceSums sumsOf(TraceBodyId body, IpuId ipu, const LaneEntry& entry) const;
    /// Totals of each program that a body executes in steps of its own, by program.
    [[nodiscard]] const std::vector<ProgramTotal>& totals(TraceBodyId body) const;

    /// Whether steps are read from a file, so that it pays to estimate instead of asking for many.
    [[nodiscard]] virtual bool inPages() const = 0;
    /// No: for a pass over a whole lane, whose pages are not kept for others.
    enum class Keep { Yes, No };
    /// The page with an entry of a lane.
    [[nodiscard]] virtual TracePage<LaneEntry> entries(TraceBodyId body, IpuId ipu,
                                                       std::size_t entry, Keep keep) const = 0;
    /// The page with an item of a body.
    [[nodiscard]] virtual TracePage<ItemContent> items(TraceBodyId body,
                                                       std::size_t item) const = 0;
    /// Items [from, end) of a body that are steps, on all their IPUs, read in one go.
    [[nodiscard]] virtual StepRange steps(TraceBodyId body, std::size_t from,
                                          std::size_t end) const = 0;
    /// The step of an entry of a lane.
    [[nodiscard]] virtual StepOnIpu stepOn(TraceBodyId body, IpuId ipu,
                                           const LaneEntry& entry) const = 0;
    /// What the step of an entry moves and how long it waits, with those of neighbours if they are
    /// read together.
    [[nodiscard]] virtual TracePage<StepAmounts> amounts(TraceBodyId body, IpuId ipu,
                                                         std::size_t entry) const;
    /// Whether sums have their waitingCycles: those of long traces in older files do not.
    [[nodiscard]] virtual bool knowsWaiting() const { return true; }
    /// The same as totals() by IPU, made anew by each call.
    [[nodiscard]] virtual std::vector<IpuTotal> ipuTotals(TraceBodyId body) const = 0;

protected:
    explicit TraceLanes(std::int32_t ipus)
        : ipus_(ipus) {}

    /// How many items a body has, and which of them are its calls.
    struct BodyItems {
        std::int64_t count = 0;
        std::vector<std::int32_t> calls; ///< ascending
    };
    /// Fills the lanes of a body, one for each IPU, except `overlaps`.
    using FillLanes = std::function<void(TraceBodyId, std::span<Lane>)>;
    /// Checks an outline and fills its lanes, those of callees before their callers'.
    void build(std::shared_ptr<const Trace> outline, const std::vector<BodyItems>& items,
               const FillLanes& fill);
    [[noreturn]] static void damaged(const std::string& what);
    static void checkIpu(IpuId ipu, std::int32_t ipus);
    static void checkCycles(std::int64_t start, std::int64_t cycles);
    [[nodiscard]] std::size_t placeOf(TraceBodyId body, IpuId ipu) const {
        return body.index() * static_cast<std::size_t>(ipus_) + ipu.index();
    }

private:
    enum class State : std::uint8_t { New, Open, Done };

    virtual std::vector<ProgramTotal> makeTotals(TraceBodyId body) const = 0;
    void visit(TraceBodyId body, std::int32_t depth, std::vector<State>& states);
    void checkCalls(const TraceBody& body) const;
    void checkRepetitions(const TraceBody& body) const;
    void checkRuns() const;
    void countSteps(TraceBodyId body, const BodyItems& items);
    [[nodiscard]] bool overlaps(const TraceBody& body, IpuId ipu) const;

    std::shared_ptr<const Trace> outline_;
    std::int32_t ipus_ = 0;
    std::vector<TraceBodyId> calleesFirst_;
    std::vector<StepOrder> orders_; ///< [body]
    std::vector<Lane> lanes_;       ///< [body * ipus + ipu]
    mutable std::mutex totalsMutex_;
    mutable std::vector<std::optional<std::vector<ProgramTotal>>> totals_; ///< [body]
};

} // namespace tilescope
