#include "core/analysis/counters/moment_sweep.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/base/error.h"

namespace tilescope {
namespace {

constexpr std::int64_t stepsBetweenStops = 4096;
// Of a lane that are read in one go: lanes that take turns lie far apart in memory.
constexpr std::size_t stepsAhead = 64;

template <class Wide> std::int64_t saturated(Wide value) {
    using Limits = std::numeric_limits<std::int64_t>;
    return static_cast<std::int64_t>(std::clamp<Wide>(value, Limits::min(), Limits::max()));
}

/// The later of two steps that began; if both began at once, the one with more bytes.
template <class Began>
std::optional<Began> later(const std::optional<Began>& a, const std::optional<Began>& b) {
    if (!a || !b)
        return a ? a : b;
    if (a->begin != b->begin)
        return a->begin > b->begin ? a : b;
    return a->bytes > b->bytes ? a : b;
}

} // namespace

std::vector<FoundExtremes> MomentSweep::between(std::span<const std::int64_t> borders,
                                                const std::stop_token& stop) {
    std::vector<FoundExtremes> found(borders.size() - 1);
    std::int64_t time = borders.front();
    until_ = borders.back();
    for (std::size_t ipu = 0; ipu < ipus_.size(); ++ipu)
        begin(ipu, time, borders.back());
    std::size_t column = 0;
    const auto goOn = [&](std::int64_t to) {
        while (time < to) {
            while (borders[column + 1] <= time)
                ++column;
            found[column].add({saturated(total_), saturated(total_)});
            time = std::min(to, borders[column + 1]);
        }
    };
    for (std::int64_t steps = 0;;) {
        if (stop.stop_requested())
            throw Cancelled();
        const bool ends = !ends_.empty() && (due_.empty() || ends_.top().cycle < due_.front().next);
        if (!ends && due_.empty())
            break;
        const std::int64_t next = ends ? ends_.top().cycle : due_.front().next;
        if (next >= borders.back())
            break;
        if (ends) {
            goOn(next);
            const End end = ends_.top();
            ends_.pop();
            update(end.ipu, end.cycle);
            continue;
        }
        Reader& reader = readers_[due_.front().slot];
        // Many steps are followed by the next of their lane: the queue stays as it is.
        bool goesOn = true;
        do {
            goOn(reader.next);
            goesOn = step(reader);
        } while (goesOn && reader.next < borders.back() && comesFirst(reader.next) &&
                 ++steps % stepsBetweenStops != 0);
        if (goesOn)
            replaceFirst(reader.next);
        else
            removeFirst();
    }
    goOn(borders.back());
    return found;
}

void MomentSweep::begin(std::size_t ipu, std::int64_t from, std::int64_t to) {
    LiveSteps& steps = ipus_[ipu];
    if (const auto last = lastBefore(ipu, from)) {
        now_[ipu].heldSince = last->begin;
        now_[ipu].held = last->bytes;
    }
    for (const TraceRun& run : steps.runs()) {
        const EnteredBody at = steps.enter(run);
        if (run.start >= to || !steps.hasBytes(at))
            continue;
        if (run.start < from)
            enter(ipu, at, run.start, from);
        else
            add({run.start, ipu, &steps, at, nullptr, 0, run.start, 1, 0});
    }
    for (const Running& running : now_[ipu].running)
        ends_.push({running.end, ipu});
    update(ipu, from);
}

/// Goes on in a body that began at `offset` with what is at `from` and after it.
void MomentSweep::enter(std::size_t ipu, const EnteredBody& at, std::int64_t offset,
                        std::int64_t from) {
    LiveSteps& steps = ipus_[ipu];
    LaneCursor& cursor = steps.cursorOf(at.body);
    const std::int64_t cycle = from - offset;
    if (cycle >= cursor.lane().length)
        return;
    const std::size_t next = cursor.firstBeginningAt(cycle);
    for (std::size_t i = cursor.firstEndingAfter(cycle); i < next; ++i) {
        const LaneEntry entry = cursor.at(i);
        if (entry.end <= cycle || entry.begin >= entry.end)
            continue;
        if (entry.call >= 0)
            enterCall(ipu, at, entry, offset + entry.begin, from);
        else if (const auto bytes = steps.bytesOf(at, entry))
            now_[ipu].running.push_back({offset + entry.end, *bytes});
    }
    Reader reader{0, ipu, &steps, at, &cursor, next, offset, 0, 0};
    if (readOn(reader))
        add(std::move(reader));
}

void MomentSweep::enterCall(std::size_t ipu, const EnteredBody& at, const LaneEntry& call,
                            std::int64_t begin, std::int64_t from) {
    LiveSteps& steps = ipus_[ipu];
    const EnteredBody inside = steps.enter(at, call);
    if (!steps.hasBytes(inside))
        return;
    const Repetition r = steps.repetition(at, call);
    // Repetitions that have begun: several of them where each is longer than the period.
    const auto [first, end] = r.touched(from - begin, from - begin + 1);
    for (std::int64_t k = first; k < end; ++k)
        if (begin + k * r.period < from)
            enter(ipu, inside, begin + k * r.period, from);
    const std::int64_t next =
        from <= begin ? 0 : std::min(r.count, (from - begin + r.period - 1) / r.period);
    if (next < r.count)
        add({begin + next * r.period, ipu, &steps, inside, nullptr, 0, begin + next * r.period,
             r.count - next, r.period});
}

void MomentSweep::add(Reader reader) {
    const Due due{reader.next, freeSlots_.empty() ? readers_.size() : freeSlots_.back()};
    if (freeSlots_.empty()) {
        readers_.push_back(std::move(reader));
    } else {
        freeSlots_.pop_back();
        readers_[due.slot] = std::move(reader);
    }
    due_.push_back(due);
    std::push_heap(due_.begin(), due_.end(), std::greater<>());
}

/// The first reader continues at this cycle.
void MomentSweep::replaceFirst(std::int64_t next) {
    const Due due{next, due_.front().slot};
    std::size_t at = 0;
    for (std::size_t child = 1; child < due_.size(); child = 2 * at + 1) {
        if (child + 1 < due_.size() && due_[child] > due_[child + 1])
            ++child;
        if (due_[child].next >= next)
            break;
        due_[at] = due_[child];
        at = child;
    }
    due_[at] = due;
}

void MomentSweep::removeFirst() {
    freeSlots_.push_back(due_.front().slot);
    std::pop_heap(due_.begin(), due_.end(), std::greater<>());
    due_.pop_back();
}

/// False at the end of the lane.
bool MomentSweep::readOn(Reader& reader) const {
    std::vector<Step>& ahead = reader.ahead;
    if (reader.done == ahead.size()) {
        ahead.clear();
        reader.done = 0;
        for (const std::size_t count = reader.cursor->lane().count;
             reader.entry < count && ahead.size() < stepsAhead; ++reader.entry) {
            const LaneEntry& entry = reader.cursor->at(reader.entry);
            if (entry.begin >= entry.end)
                continue;
            if (entry.call >= 0 || reader.offset + entry.begin >= until_) {
                if (!ahead.empty())
                    break;
                reader.next = reader.offset + entry.begin;
                return true;
            }
            if (const auto bytes = reader.steps->bytesOf(reader.at, entry))
                ahead.push_back({entry.begin, entry.end, *bytes});
        }
        if (ahead.empty())
            return false;
    }
    reader.next = reader.offset + ahead[reader.done].begin;
    return true;
}

/// Whether nothing is due before a cycle, the first reader aside.
bool MomentSweep::comesFirst(std::int64_t cycle) const {
    for (std::size_t i = 1; i < std::min<std::size_t>(3, due_.size()); ++i)
        if (due_[i].next < cycle)
            return false;
    return ends_.empty() || cycle <= ends_.top().cycle;
}

/// What the reader is at begins. False if nothing follows.
bool MomentSweep::step(Reader& reader) {
    LiveSteps& steps = *reader.steps;
    if (reader.cursor == nullptr) {
        Reader inside{0, reader.ipu,    &steps, reader.at, &steps.cursorOf(reader.at.body),
                      0, reader.offset, 0,      0};
        if (readOn(inside))
            add(std::move(inside));
        reader.offset += reader.period;
        reader.next = reader.offset;
        return --reader.left > 0;
    }
    if (reader.done < reader.ahead.size()) {
        const Step of = reader.ahead[reader.done++];
        began(reader.ipu, reader.offset + of.begin, reader.offset + of.end, of.bytes);
    } else {
        const LaneEntry call = reader.cursor->at(reader.entry++);
        const std::int64_t begin = reader.offset + call.begin;
        enterCall(reader.ipu, reader.at, call, begin, begin);
    }
    return readOn(reader);
}

void MomentSweep::began(std::size_t ipu, std::int64_t begin, std::int64_t end, std::int64_t bytes) {
    Now& now = now_[ipu];
    now.held = now.heldSince == begin ? std::max(now.held, bytes) : bytes;
    now.heldSince = begin;
    if (now.running.size() == 1 && now.running.front().end <= begin) { // one after the other
        now.running.front() = {end, bytes};
        set(now, bytes);
        return;
    }
    std::erase_if(now.running, [&](const Running& r) { return r.end <= begin; });
    now.running.push_back({end, bytes});
    if (now.running.size() > 1) // the end of a step that runs alone changes nothing
        for (const Running& running : now.running)
            ends_.push({running.end, ipu});
    addUp(now);
}

void MomentSweep::update(std::size_t ipu, std::int64_t cycle) {
    Now& now = now_[ipu];
    std::erase_if(now.running, [&](const Running& r) { return r.end <= cycle; });
    addUp(now);
}

void MomentSweep::addUp(Now& now) {
    std::int64_t bytes = now.running.empty() ? now.held : 0;
    for (const Running& running : now.running)
        bytes = std::max(bytes, running.bytes);
    set(now, bytes);
}

void MomentSweep::set(Now& now, std::int64_t bytes) {
    total_ += bytes;
    total_ -= now.bytes;
    now.bytes = bytes;
}

std::optional<MomentSweep::Began> MomentSweep::lastBefore(std::size_t ipu, std::int64_t cycle) {
    std::optional<Began> found;
    const std::vector<TraceRun>& runs = ipus_[ipu].runs();
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        if (run->start >= cycle || (found && run->start + run->cycles <= found->begin))
            continue;
        auto last = lastBefore(ipu, ipus_[ipu].enter(*run), cycle - run->start);
        if (last)
            last->begin += run->start;
        found = later(found, last);
    }
    return found;
}

std::optional<MomentSweep::Began> MomentSweep::lastBefore(std::size_t ipu, const EnteredBody& at,
                                                          std::int64_t cycle) {
    LiveSteps& steps = ipus_[ipu];
    if (!steps.hasBytes(at))
        return {};
    LaneCursor& cursor = steps.cursorOf(at.body);
    std::optional<Began> found;
    for (std::size_t i = cursor.firstBeginningAt(cycle); i-- > 0;) {
        if (found && (cursor.lane().sequential || cursor.endBound(i) <= found->begin))
            break;
        const LaneEntry entry = cursor.at(i);
        if (entry.begin >= entry.end || (found && entry.end <= found->begin))
            continue;
        if (entry.call < 0) {
            if (const auto bytes = steps.bytesOf(at, entry))
                found = later(found, std::optional(Began{entry.begin, *bytes}));
            continue;
        }
        auto inside = lastBefore(ipu, steps.enter(at, entry), steps.repetition(at, entry),
                                 cycle - entry.begin);
        if (inside)
            inside->begin += entry.begin;
        found = later(found, inside);
    }
    return found;
}

std::optional<MomentSweep::Began> MomentSweep::lastBefore(std::size_t ipu, const EnteredBody& at,
                                                          const Repetition& r, std::int64_t cycle) {
    if (r.period <= 0)
        return lastBefore(ipu, at, cycle);
    std::optional<Began> found;
    for (std::int64_t k = std::clamp<std::int64_t>((cycle - 1) / r.period, 0, r.count - 1);
         k >= 0 && (!found || k * r.period + r.length > found->begin); --k) {
        auto last = lastBefore(ipu, at, cycle - k * r.period);
        if (last)
            last->begin += k * r.period;
        found = later(found, last);
        if (k * r.period + r.length <= cycle && !last)
            break; // it has ended entirely, without a step that has bytes
    }
    return found;
}

} // namespace tilescope
