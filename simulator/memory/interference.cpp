#include "simulator/memory/interference.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tilescope::sim {
namespace {

constexpr std::uint32_t unnumbered = std::numeric_limits<std::uint32_t>::max();

struct Life {
    StepId first, end;
    std::size_t classIndex;
};

/// Lives of the classes that are there, in the order in which they begin.
std::vector<Life> livesOf(const Interference::Classes& classes, const std::vector<bool>& there) {
    std::vector<Life> lives;
    for (std::size_t i = 0; i < classes.size(); ++i)
        if (there[i])
            for (const StepInterval& interval : classes[LivenessClassId(i)].intervals)
                lives.push_back({interval.first, interval.end, i});
    std::stable_sort(lives.begin(), lives.end(),
                     [](const Life& a, const Life& b) { return a.first < b.first; });
    return lives;
}

/// A row of bits for each number.
class BitRows {
public:
    explicit BitRows(std::size_t count)
        : words_((count + wordBits - 1) / wordBits)
        , bits_(words_ * count, 0) {}
    void setBoth(std::uint32_t a, std::uint32_t b) {
        set(a, b);
        set(b, a);
    }
    /// visit(first, end) of each span of ones in a row.
    template <class Visit> void forSpans(std::size_t row, const Visit& visit) const {
        constexpr std::uint32_t none = unnumbered;
        std::uint32_t first = none;
        for (std::size_t word = 0; word < words_; ++word) {
            const std::uint64_t bits = bits_[row * words_ + word];
            const auto base = static_cast<std::uint32_t>(word * wordBits);
            for (std::uint32_t at = 0; at < wordBits;) {
                const std::uint64_t rest = bits >> at;
                const int same = first == none ? std::countr_zero(rest) : std::countr_one(rest);
                at += static_cast<std::uint32_t>(same);
                if (at >= wordBits)
                    break;
                if (first == none) {
                    first = base + at;
                } else {
                    visit(first, base + at);
                    first = none;
                }
            }
        }
        if (first != none)
            visit(first, static_cast<std::uint32_t>(words_ * wordBits));
    }

private:
    static constexpr std::size_t wordBits = 64;
    void set(std::uint32_t row, std::uint32_t bit) {
        bits_[row * words_ + bit / wordBits] |= std::uint64_t{1} << bit % wordBits;
    }

    std::size_t words_;
    std::vector<std::uint64_t> bits_;
};

} // namespace

Interference::Interference(const Classes& classes)
    : Interference(classes, std::vector<bool>(classes.size(), true)) {}

Interference::Interference(const Classes& classes, const std::vector<bool>& there)
    : numbers_(classes.size(), unnumbered) {
    const std::vector<Life> lives = livesOf(classes, there);
    std::uint32_t count = 0;
    for (const Life& life : lives)
        if (numbers_[life.classIndex] == unnumbered)
            numbers_[life.classIndex] = count++;
    for (std::size_t i = 0; i < classes.size(); ++i)
        if (there[i] && numbers_[i] == unnumbered)
            numbers_[i] = count++; // lives at no step and meets nothing
    // Each life meets those that have begun and not ended when it begins.
    BitRows rows(count);
    struct Now {
        StepId end;
        std::uint32_t number;
    };
    std::vector<Now> now;
    for (const Life& life : lives) {
        const std::uint32_t number = numbers_[life.classIndex];
        std::erase_if(now, [&](const Now& other) { return other.end <= life.first; });
        now.push_back({life.end, number});
        for (const Now& other : now)
            rows.setBoth(number, other.number);
    }
    begins_.reserve(count + std::size_t{1});
    for (std::uint32_t number = 0; number < count; ++number) {
        begins_.push_back(spans_.size());
        rows.forSpans(number, [&](std::uint32_t first, std::uint32_t end) {
            spans_.push_back({first, std::min(end, count)});
        });
    }
    begins_.push_back(spans_.size());
}

} // namespace tilescope::sim
