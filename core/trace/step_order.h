// Which item of a body executes its n-th step. Internal to core/trace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

namespace tilescope {

/// A step counts once, a call as many steps as it executes: only calls take room.
class StepOrder {
public:
    void addSteps(std::int64_t count) {
        items_ += count;
        total_ += count;
    }
    void addCall(std::int64_t steps) {
        calls_.push_back({items_, total_, total_ + steps});
        ++items_;
        total_ += steps;
    }

    [[nodiscard]] std::size_t items() const { return static_cast<std::size_t>(items_); }
    /// Executed steps of the body.
    [[nodiscard]] std::int64_t total() const { return total_; }

    /// Steps executed before an item.
    [[nodiscard]] std::int64_t before(std::size_t item) const {
        const auto at = static_cast<std::int64_t>(item);
        const auto next = std::lower_bound(calls_.begin(), calls_.end(), at, beforeItem);
        if (next == calls_.begin())
            return at;
        const Call& call = *std::prev(next);
        return call.end + (at - call.item - 1);
    }

    /// The item that executes step `index`, which is below total().
    [[nodiscard]] std::size_t itemOf(std::int64_t index) const {
        const auto next = std::upper_bound(
            calls_.begin(), calls_.end(), index,
            [](std::int64_t wanted, const Call& call) { return wanted < call.first; });
        if (next == calls_.begin())
            return static_cast<std::size_t>(index);
        const Call& call = *std::prev(next);
        return static_cast<std::size_t>(index < call.end ? call.item
                                                         : call.item + 1 + (index - call.end));
    }

    [[nodiscard]] std::size_t calls() const { return calls_.size(); }
    [[nodiscard]] std::size_t itemOfCall(std::size_t call) const {
        return static_cast<std::size_t>(calls_[call].item);
    }
    /// The number of the call that an item is, in the order of items; none for a step.
    [[nodiscard]] std::optional<std::size_t> callOf(std::size_t item) const {
        const auto at = std::lower_bound(calls_.begin(), calls_.end(),
                                         static_cast<std::int64_t>(item), beforeItem);
        if (at == calls_.end() || at->item != static_cast<std::int64_t>(item))
            return {};
        return static_cast<std::size_t>(at - calls_.begin());
    }

private:
    struct Call {
        std::int64_t item = 0;
        std::int64_t first = 0; ///< steps before it
        std::int64_t end = 0;   ///< and with it
    };
    static bool beforeItem(const Call& call, std::int64_t item) { return call.item < item; }

    std::vector<Call> calls_;
    std::int64_t items_ = 0;
    std::int64_t total_ = 0;
};

} // namespace tilescope
