// What the user's program recorded on its threads, on the time axis of the IPUs, at any resolution.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/profile/host_record.h"
#include "core/trace/trace_index.h"

namespace tilescope {

/// Maximum depth at which nested tracepoints are shown.
inline constexpr int deepestHostRow = 12;

/// A tracepoint, or neighbours of a row that are too narrow to tell apart.
struct HostPiece {
    CycleRange cycles; ///< none of a moment
    std::int64_t count = 1;
    bool hasMoment = false;
    std::uint32_t name = 0, channel = 0; ///< words; of several those of the first
    /// Of several the channels with most of their cycles, in 255ths of the piece.
    struct Share {
        std::uint32_t channel = 0;
        std::uint8_t share = 0;
    };
    std::array<Share, 3> shares{};
};

/// The tracepoints of each thread in rows: one within another is in a row below it. A hundred bytes
/// less for each than HostRecord has. Made once; thread-safe.
class HostThreads {
public:
    struct Event {
        std::int64_t begin = 0, end = 0;     ///< cycles
        std::uint32_t name = 0, channel = 0; ///< words
        bool isMoment = false;
        [[nodiscard]] std::int64_t cycles() const { return end - begin; }
    };
    struct Row {
        std::vector<Event> events;                ///< in order of time, without overlaps
        std::vector<std::int64_t> cyclesBefore;   ///< of the events before each, and of all
        std::vector<std::uint32_t> momentsBefore; ///< likewise
        /// The first event that ends after a cycle, or is a moment at it.
        [[nodiscard]] std::size_t firstFrom(std::int64_t cycle) const;
    };
    struct Thread {
        std::string name; ///< different for each
        std::vector<Row> rows;
    };

    HostThreads() = default;
    HostThreads(const HostRecord& record, double clockHz);

    /// In the order of their first events.
    [[nodiscard]] const std::vector<Thread>& threads() const { return threads_; }
    /// The text of a name or channel.
    [[nodiscard]] const std::string& word(std::uint32_t number) const { return words_[number]; }
    /// Words that are channels, in the order of their first events.
    [[nodiscard]] const std::vector<std::uint32_t>& channels() const { return channels_; }
    [[nodiscard]] bool empty() const { return threads_.empty(); }
    /// Where the first event begins and the last one ends; 0 if that is after, or before, cycle 0.
    [[nodiscard]] std::int64_t firstCycle() const { return firstCycle_; }
    [[nodiscard]] std::int64_t lastCycle() const { return lastCycle_; }

    /// A row in a range, at most some 2 x range / minimumCycles pieces, which is also what it
    /// costs. What is joined depends on minimumCycles alone, so that panning changes nothing.
    [[nodiscard]] std::vector<HostPiece> pieces(const Row& row, CycleRange range,
                                                std::int64_t minimumCycles) const;

private:
    [[nodiscard]] HostPiece joined(const Row& row, std::size_t from, std::size_t to) const;
    void sumUp();

    std::vector<Thread> threads_;
    std::vector<std::string> words_;
    std::vector<std::uint32_t> channels_;
    std::int64_t firstCycle_ = 0, lastCycle_ = 0;
};

} // namespace tilescope
