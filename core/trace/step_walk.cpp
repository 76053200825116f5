#include "core/trace/step_walk.h"

#include <algorithm>

#include "core/base/damaged_profile.h"
#include "core/trace/lane_cursor.h"

namespace tilescope {
namespace {

// Items of the longest body whose steps are kept in memory.
constexpr std::size_t longestShortBody = 4096;

} // namespace

StepWalk::StepWalk(TraceIndex index, std::int64_t first, std::int64_t end)
    : index_(std::move(index))
    , lanes_(index_.lanes())
    , next_(std::max<std::int64_t>(0, first))
    , end_(std::min(end, index_.stepCount()))
    , shortBodies_(lanes_.outline().bodies.size()) {
    if (next_ < end_)
        descendTo(next_);
}

StepWalk::~StepWalk() = default;
StepWalk::StepWalk(StepWalk&&) noexcept = default;

void StepWalk::descendTo(std::int64_t index) {
    const std::vector<TraceRun>& runs = lanes_.outline().runs;
    while (index >= lanes_.stepCount(runs.at(run_).body))
        index -= lanes_.stepCount(runs[run_++].body);
    const TraceRun& run = runs[run_];
    frames_.push_back(
        {run.body, 0, 0,
         std::vector<std::int64_t>(static_cast<std::size_t>(lanes_.ipus()), run.start)});
    for (;;) {
        Frame& frame = frames_.back();
        const StepOrder& order = lanes_.order(frame.body);
        frame.item = order.itemOf(index);
        if (!order.callOf(frame.item))
            return;
        index -= order.before(frame.item);
        const TraceCall& call = callAt(frame.body, frame.item);
        const std::int64_t steps = lanes_.stepCount(call.callee);
        enterCall(call, index / steps);
        index %= steps;
    }
}

const TraceCall& StepWalk::callAt(TraceBodyId body, std::size_t item) const {
    return lanes_.outline().bodies[body].calls[lanes_.order(body).callOf(item).value()];
}

void StepWalk::enterCall(const TraceCall& call, std::int64_t repetition) {
    const Frame& caller = frames_.back();
    Frame frame{call.callee, 0, repetition, caller.base};
    for (const CallOnIpu& on : call.ipus)
        frame.base[on.ipu.index()] += on.start + repetition * lanes_.repetition(call, on).period;
    frames_.push_back(std::move(frame));
}

/// Ends the body on top: continues with its next repetition, its caller, or the next run.
void StepWalk::leave() {
    const std::int64_t repetition = frames_.back().repetition + 1;
    frames_.pop_back();
    if (frames_.empty()) {
        const std::vector<TraceRun>& runs = lanes_.outline().runs;
        if (++run_ < runs.size())
            frames_.push_back({runs[run_].body, 0, 0,
                               std::vector<std::int64_t>(static_cast<std::size_t>(lanes_.ipus()),
                                                         runs[run_].start)});
        return;
    }
    Frame& caller = frames_.back();
    const TraceCall& call = callAt(caller.body, caller.item);
    if (repetition < call.count)
        enterCall(call, repetition);
    else
        ++caller.item;
}

/// The first call of a body from the frame's item on; the number of items if there is none.
std::size_t StepWalk::nextCall(const Frame& frame) const {
    const StepOrder& order = lanes_.order(frame.body);
    std::size_t low = 0;
    std::size_t high = order.calls();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (order.itemOfCall(middle) < frame.item)
            low = middle + 1;
        else
            high = middle;
    }
    return low < order.calls() ? order.itemOfCall(low) : order.items();
}

bool StepWalk::next(StepBatch& batch, std::size_t atMost) {
    batch.clear();
    while (next_ < end_ && batch.steps.size() < atMost && !frames_.empty()) {
        Frame& frame = frames_.back();
        const std::size_t call = nextCall(frame);
        if (frame.item < call) {
            const auto left = static_cast<std::size_t>(end_ - next_);
            const std::size_t room = std::min(atMost - batch.steps.size(), left);
            addSteps(batch, frame, std::min(call, frame.item + room));
        } else if (call == lanes_.order(frame.body).items()) {
            leave();
        } else if (const TraceCall& entered = callAt(frame.body, call);
                   entered.count > 0 && lanes_.stepCount(entered.callee) > 0) {
            enterCall(entered, 0);
        } else {
            ++frame.item;
        }
    }
    return !batch.steps.empty();
}

void StepWalk::addSteps(StepBatch& batch, Frame& frame, std::size_t end) {
    const std::size_t items = lanes_.order(frame.body).items();
    StepRange read;
    const StepRange* range = &read;
    if (items <= longestShortBody) {
        auto& whole = shortBodies_[frame.body.index()];
        if (!whole)
            whole = std::make_unique<const StepRange>(lanes_.steps(frame.body, 0, items));
        range = whole.get();
    } else {
        read = lanes_.steps(frame.body, frame.item, end);
    }
    auto step = std::lower_bound(
        range->steps.begin(), range->steps.end(), static_cast<std::int64_t>(frame.item),
        [](const StepRange::Step& of, std::int64_t item) { return of.item < item; });
    for (; frame.item < end; ++frame.item, ++step) {
        if (step == range->steps.end() || step->item != static_cast<std::int64_t>(frame.item))
            throw DamagedProfile("the trace lacks a step");
        add(batch, frame, next_++, *step, *range);
    }
}

void StepWalk::add(StepBatch& batch, const Frame& frame, std::int64_t index,
                   const StepRange::Step& step, const StepRange& range) const {
    const auto first = static_cast<std::uint32_t>(batch.ipus.size());
    for (std::uint32_t i = step.firstIpu; i < step.endIpu; ++i) {
        batch.ipus.push_back(range.ipus[i]);
        batch.ipus.back().start += frame.base[range.ipus[i].ipu.index()];
    }
    batch.steps.push_back({index, static_cast<std::int32_t>(run_), step.kind, step.program, first,
                           static_cast<std::uint32_t>(batch.ipus.size())});
}

} // namespace tilescope
