#include "core/analysis/hosts/host_threads.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "core/base/saturating.h"

namespace tilescope {
namespace {

std::int64_t recordedCycle(double seconds, double clockHz) {
    constexpr double most = 9007199254740992.0; // 2^53: up to here a double counts single cycles
    return std::llround(std::clamp(seconds * clockHz, -most, most));
}

/// The first row that is free at a cycle, a new one if there may be more.
HostThreads::Row* rowFreeAt(std::vector<HostThreads::Row>& rows, std::int64_t cycle) {
    for (HostThreads::Row& row : rows)
        if (row.events.back().end <= cycle)
            return &row;
    if (static_cast<int>(rows.size()) == deepestHostRow)
        return nullptr;
    return &rows.emplace_back();
}

/// Texts and their numbers.
class Words {
public:
    explicit Words(std::vector<std::string>& words)
        : words_(words) {}
    std::uint32_t of(const std::string& text) {
        const auto [at, isNew] =
            numbers_.try_emplace(text, static_cast<std::uint32_t>(words_.size()));
        if (isNew)
            words_.push_back(text);
        return at->second;
    }

private:
    std::vector<std::string>& words_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Cycles by channel of a few events that stand for all of them.
std::vector<std::pair<std::int64_t, std::uint32_t>>
cyclesByChannel(const HostThreads::Row& row, std::size_t from, std::size_t to) {
    constexpr std::size_t most = 64; // more do not change a colour
    // Odd, as what a program does in turn is often of two or four kinds.
    const std::size_t stride = ((to - from + most - 1) / most) | 1U;
    std::vector<std::pair<std::int64_t, std::uint32_t>> sums;
    for (std::size_t at = from; at < to; at += stride) {
        const HostThreads::Event& event = row.events[at];
        const auto sum =
            std::ranges::find(sums, event.channel, &std::pair<std::int64_t, std::uint32_t>::second);
        if (sum == sums.end())
            sums.emplace_back(event.cycles(), event.channel);
        else
            sum->first = saturatingSum(sum->first, event.cycles());
    }
    std::ranges::stable_sort(sums, std::greater<>(),
                             &std::pair<std::int64_t, std::uint32_t>::first);
    return sums;
}

} // namespace

HostThreads::HostThreads(const HostRecord& record, double clockHz) {
    Words words(words_);
    std::unordered_map<std::string, std::size_t> places;
    std::vector<bool> isChannel;
    for (const HostEvent& recorded : record.events) {
        const auto [place, isNew] = places.try_emplace(recorded.thread, threads_.size());
        if (isNew)
            threads_.push_back({recorded.thread, {}});
        const std::int64_t begin = recordedCycle(recorded.start, clockHz);
        const std::int64_t end =
            std::max(begin, recordedCycle(recorded.start + recorded.seconds.value_or(0), clockHz));
        const std::uint32_t channel = words.of(recorded.channel);
        isChannel.resize(std::max<std::size_t>(isChannel.size(), channel + std::size_t{1}));
        if (!isChannel[channel])
            channels_.push_back(channel);
        isChannel[channel] = true;
        if (Row* row = rowFreeAt(threads_[place->second].rows, begin))
            row->events.push_back(
                {begin, end, words.of(recorded.name), channel, !recorded.seconds});
    }
    sumUp();
}

void HostThreads::sumUp() {
    for (Thread& thread : threads_)
        for (Row& row : thread.rows) {
            row.events.shrink_to_fit();
            row.cyclesBefore.reserve(row.events.size() + 1);
            row.momentsBefore.reserve(row.events.size() + 1);
            std::int64_t cycles = 0;
            std::uint32_t moments = 0;
            for (const Event& event : row.events) {
                row.cyclesBefore.push_back(cycles);
                row.momentsBefore.push_back(moments);
                cycles = saturatingSum(cycles, event.cycles());
                moments += event.isMoment ? 1 : 0;
                firstCycle_ = std::min(firstCycle_, event.begin);
                lastCycle_ = std::max(lastCycle_, event.end);
            }
            row.cyclesBefore.push_back(cycles);
            row.momentsBefore.push_back(moments);
        }
}

std::size_t HostThreads::Row::firstFrom(std::int64_t cycle) const {
    const auto first = std::ranges::partition_point(events, [cycle](const Event& event) {
        return event.end < cycle || (event.end == cycle && event.begin < cycle);
    });
    return static_cast<std::size_t>(first - events.begin());
}

HostPiece HostThreads::joined(const Row& row, std::size_t from, std::size_t to) const {
    const Event& first = row.events[from];
    HostPiece piece{{first.begin, row.events[to - 1].end},
                    static_cast<std::int64_t>(to - from),
                    row.momentsBefore[to] > row.momentsBefore[from],
                    first.name,
                    first.channel};
    if (to - from == 1)
        return piece;
    const auto length = static_cast<double>(std::max<std::int64_t>(1, piece.cycles.cycles()));
    const auto busy = static_cast<double>(row.cyclesBefore[to] - row.cyclesBefore[from]) / length;
    const auto sums = cyclesByChannel(row, from, to);
    double all = 0;
    for (const auto& [cycles, channel] : sums)
        all += static_cast<double>(cycles);
    constexpr double full = 255;
    for (std::size_t i = 0; all > 0 && i < std::min(sums.size(), piece.shares.size()); ++i) {
        const double share = busy * static_cast<double>(sums[i].first) / all;
        piece.shares.at(i) = {sums[i].second,
                              static_cast<std::uint8_t>(std::clamp(full * share, 1.0, full))};
    }
    if (all == 0) // moments alone
        piece.shares[0] = {first.channel, static_cast<std::uint8_t>(full)};
    return piece;
}

std::vector<HostPiece> HostThreads::pieces(const Row& row, CycleRange range,
                                           std::int64_t minimumCycles) const {
    const std::int64_t cell = std::max<std::int64_t>(1, minimumCycles);
    std::vector<HostPiece> pieces;
    const std::vector<Event>& events = row.events;
    std::size_t at = row.firstFrom(range.begin);
    // The first cell in sight may have begun before.
    const auto cellOf = [cell](std::int64_t cycle) {
        return cycle >= 0 ? cycle / cell : -((-cycle + cell - 1) / cell);
    };
    if (at > 0 && at < events.size() && events[at].cycles() < cell &&
        cellOf(events[at - 1].begin) == cellOf(events[at].begin) && events[at - 1].cycles() < cell)
        at = static_cast<std::size_t>(
            std::ranges::partition_point(
                events,
                [&](const Event& event) { return event.begin < cellOf(events[at].begin) * cell; }) -
            events.begin());
    while (at < events.size() && events[at].begin < range.end) {
        std::size_t end = at + 1;
        if (cell > 1 && events[at].cycles() < cell) {
            const std::int64_t limit = (cellOf(events[at].begin) + 1) * cell;
            end = static_cast<std::size_t>(
                std::partition_point(events.begin() + static_cast<std::ptrdiff_t>(at), events.end(),
                                     [limit](const Event& event) { return event.begin < limit; }) -
                events.begin());
            if (end - at > 1 && events[end - 1].cycles() >= cell)
                --end; // it has a piece of its own
        }
        pieces.push_back(joined(row, at, end));
        at = end;
    }
    return pieces;
}

} // namespace tilescope
