#include "core/live/ipu_sweep.h"

#include <algorithm>

#include "core/base/error.h"

namespace tilescope {
namespace {

// Changes that are ahead, so that IPUs, which lie far apart in memory, take turns seldom.
constexpr std::size_t fewestAhead = 64;
constexpr std::size_t mostAhead = 3 * fewestAhead;
constexpr int stepsBetweenStops = 4096;
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
// More than all tiles of any machine have: differences of damaged numbers do not overflow.
constexpr std::int64_t mostBytes = std::int64_t{1} << 61;

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

IpuSweep::IpuSweep(LiveSteps& steps, CycleRange range)
    : steps_(steps)
    , range_(range)
    , known_(range.begin) {
    begin();
}

void IpuSweep::begin() {
    if (const auto last = lastBefore(range_.begin)) {
        heldSince_ = last->begin;
        held_ = last->bytes;
    }
    for (const TraceRun& run : steps_.runs()) {
        const EnteredBody at = steps_.enter(run);
        if (run.start >= range_.end || !steps_.hasBytes(at))
            continue;
        if (run.start < range_.begin)
            enter(at, run.start, range_.begin);
        else
            add({.next = run.start, .at = at, .offset = run.start, .left = 1});
    }
    for (const Running& running : running_)
        ends_.push(running.end);
    atFirst_ = bytes_ = held();
}

/// Goes on in a body that began at `offset` with what is at `from` and after it.
void IpuSweep::enter(const EnteredBody& at, std::int64_t offset, std::int64_t from) {
    LaneCursor& cursor = steps_.cursorOf(at.body);
    const std::int64_t cycle = from - offset;
    if (cycle >= cursor.lane().length)
        return;
    const std::size_t next = cursor.firstBeginningAt(cycle);
    for (std::size_t i = cursor.firstEndingAfter(cycle); i < next; ++i) {
        const LaneEntry entry = cursor.at(i);
        if (entry.end <= cycle || entry.begin >= entry.end)
            continue;
        if (entry.call >= 0)
            enterCall(at, entry, offset + entry.begin, from);
        else if (const auto bytes = bytesOf(at, entry))
            running_.push_back({offset + entry.end, *bytes});
    }
    Reader reader{.at = at, .cursor = &cursor, .offset = offset, .entry = next};
    if (findNext(reader))
        add(reader);
}

void IpuSweep::enterCall(const EnteredBody& at, const LaneEntry& call, std::int64_t begin,
                         std::int64_t from) {
    const EnteredBody inside = steps_.enter(at, call);
    if (!steps_.hasBytes(inside))
        return;
    const Repetition r = steps_.repetition(at, call);
    // Repetitions that have begun: several of them where each is longer than the period.
    const auto [first, end] = r.touched(from - begin, from - begin + 1);
    for (std::int64_t k = first; k < end; ++k)
        if (begin + k * r.period < from)
            enter(inside, begin + k * r.period, from);
    const std::int64_t next =
        from <= begin ? 0 : std::min(r.count, (from - begin + r.period - 1) / r.period);
    const std::int64_t offset = begin + next * r.period;
    if (next < r.count)
        add({.next = offset,
             .at = inside,
             .offset = offset,
             .left = r.count - next,
             .period = r.period});
}

void IpuSweep::add(const Reader& reader) {
    const std::size_t slot = freeSlots_.empty() ? readers_.size() : freeSlots_.back();
    if (freeSlots_.empty()) {
        readers_.push_back(reader);
    } else {
        freeSlots_.pop_back();
        readers_[slot] = reader;
    }
    due_.push({reader.next, slot});
}

std::optional<std::int64_t> IpuSweep::bytesOf(const EnteredBody& at, const LaneEntry& step) const {
    const auto bytes = steps_.bytesOf(at, step);
    return bytes ? std::optional(std::clamp(*bytes, -mostBytes, mostBytes)) : bytes;
}

/// Skips what does not matter. False at the end of the lane or of the range.
bool IpuSweep::findNext(Reader& reader) const {
    for (const std::size_t count = reader.cursor->lane().count; reader.entry < count;
         ++reader.entry) {
        const LaneEntry& entry = reader.cursor->at(reader.entry);
        if (entry.begin >= entry.end)
            continue;
        reader.next = reader.offset + entry.begin;
        if (reader.next >= range_.end)
            return false;
        reader.isCall = entry.call >= 0;
        if (reader.isCall)
            return true;
        if (const auto bytes = bytesOf(reader.at, entry)) {
            reader.end = reader.offset + entry.end;
            reader.bytes = *bytes;
            return true;
        }
    }
    return false;
}

/// What the reader is at begins. False if nothing follows.
bool IpuSweep::step(Reader& reader) {
    if (reader.cursor == nullptr) {
        Reader inside{
            .at = reader.at, .cursor = &steps_.cursorOf(reader.at.body), .offset = reader.offset};
        if (findNext(inside))
            add(inside);
        reader.offset += reader.period;
        reader.next = reader.offset;
        return --reader.left > 0;
    }
    if (reader.isCall) {
        const LaneEntry call = reader.cursor->at(reader.entry);
        enterCall(reader.at, call, reader.next, reader.next);
    } else {
        began(reader.next, reader.end, reader.bytes);
    }
    ++reader.entry;
    return findNext(reader);
}

std::int64_t IpuSweep::nextDue() const {
    return std::min(
        {range_.end, due_.empty() ? never : due_.top().next, ends_.empty() ? never : ends_.top()});
}

/// The first reader goes on until another is due, or as long as there is room.
void IpuSweep::stepFirst() {
    const std::size_t slot = due_.top().slot;
    due_.pop();
    Reader& reader = readers_[slot];
    bool goesOn = true;
    int steps = 0;
    do {
        goesOn = step(reader);
    } while (goesOn && reader.next < nextDue() && ahead_.size() < mostAhead &&
             ++steps < stepsBetweenStops);
    if (goesOn)
        due_.push({reader.next, slot});
    else
        freeSlots_.push_back(slot);
}

void IpuSweep::readOn(const std::stop_token& stop) {
    if (ahead_.size() - taken_ >= fewestAhead || known_ >= range_.end)
        return;
    ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
    while (ahead_.size() < mostAhead && nextDue() < range_.end) {
        if (stop.stop_requested())
            throw Cancelled();
        if (!ends_.empty() && (due_.empty() || ends_.top() < due_.top().next)) {
            const std::int64_t cycle = ends_.top();
            ends_.pop();
            dropEnded(cycle);
            set(cycle, held());
        } else {
            stepFirst();
        }
    }
    known_ = nextDue();
}

void IpuSweep::take(std::int64_t end, std::vector<LiveChange>& changes) {
    const std::size_t first = taken_;
    while (taken_ < ahead_.size() && ahead_[taken_].cycle < end)
        ++taken_;
    changes.insert(changes.end(), ahead_.begin() + static_cast<std::ptrdiff_t>(first),
                   ahead_.begin() + static_cast<std::ptrdiff_t>(taken_));
}

void IpuSweep::began(std::int64_t begin, std::int64_t end, std::int64_t bytes) {
    held_ = heldSince_ == begin ? std::max(held_, bytes) : bytes;
    heldSince_ = begin;
    if (running_.size() == 1 && running_.front().end <= begin) { // one after the other
        running_.front() = {end, bytes};
        set(begin, bytes);
        return;
    }
    dropEnded(begin);
    running_.push_back({end, bytes});
    if (running_.size() > 1) // the end of a step that runs alone changes nothing
        for (const Running& running : running_)
            ends_.push(running.end);
    set(begin, held());
}

void IpuSweep::dropEnded(std::int64_t cycle) {
    std::erase_if(running_, [&](const Running& r) { return r.end <= cycle; });
}

/// The most of what runs, or else of what began last.
std::int64_t IpuSweep::held() const {
    std::int64_t bytes = running_.empty() ? held_ : 0;
    for (const Running& running : running_)
        bytes = std::max(bytes, running.bytes);
    return bytes;
}

void IpuSweep::set(std::int64_t cycle, std::int64_t bytes) {
    if (bytes == bytes_)
        return;
    if (!ahead_.empty() && ahead_.back().cycle == cycle)
        ahead_.back().by += bytes - bytes_;
    else
        ahead_.push_back({cycle, bytes - bytes_});
    bytes_ = bytes;
}

std::optional<IpuSweep::Began> IpuSweep::lastBefore(std::int64_t cycle) {
    std::optional<Began> found;
    const std::vector<TraceRun>& runs = steps_.runs();
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        if (run->start >= cycle || (found && run->start + run->cycles <= found->begin))
            continue;
        auto last = lastBefore(steps_.enter(*run), cycle - run->start);
        if (last)
            last->begin += run->start;
        found = later(found, last);
    }
    return found;
}

std::optional<IpuSweep::Began> IpuSweep::lastBefore(const EnteredBody& at, std::int64_t cycle) {
    if (!steps_.hasBytes(at))
        return {};
    LaneCursor& cursor = steps_.cursorOf(at.body);
    std::optional<Began> found;
    for (std::size_t i = cursor.firstBeginningAt(cycle); i-- > 0;) {
        if (found && (cursor.lane().sequential || cursor.endBound(i) <= found->begin))
            break;
        const LaneEntry entry = cursor.at(i);
        if (entry.begin >= entry.end || (found && entry.end <= found->begin))
            continue;
        if (entry.call < 0) {
            if (const auto bytes = bytesOf(at, entry))
                found = later(found, std::optional(Began{entry.begin, *bytes}));
            continue;
        }
        auto inside =
            lastBefore(steps_.enter(at, entry), steps_.repetition(at, entry), cycle - entry.begin);
        if (inside)
            inside->begin += entry.begin;
        found = later(found, inside);
    }
    return found;
}

std::optional<IpuSweep::Began> IpuSweep::lastBefore(const EnteredBody& at, const Repetition& r,
                                                    std::int64_t cycle) {
    if (r.period <= 0)
        return lastBefore(at, cycle);
    std::optional<Began> found;
    for (std::int64_t k = std::clamp<std::int64_t>((cycle - 1) / r.period, 0, r.count - 1);
         k >= 0 && (!found || k * r.period + r.length > found->begin); --k) {
        auto last = lastBefore(at, cycle - k * r.period);
        if (last)
            last->begin += k * r.period;
        found = later(found, last);
        if (k * r.period + r.length <= cycle && !last)
            break; // it has ended entirely, without a step that has bytes
    }
    return found;
}

} // namespace tilescope
