#include "core/live/moment_sweep.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tilescope {
namespace {

__extension__ using Wide = __int128; // wide enough for damaged files, too

std::int64_t saturated(Wide value) {
    using Limits = std::numeric_limits<std::int64_t>;
    return static_cast<std::int64_t>(std::clamp<Wide>(value, Limits::min(), Limits::max()));
}

/// Sorts changes that are spread over a range: by a part of the range that has one on average, and
/// then those of each part.
class ChangeSorter {
public:
    void sort(std::vector<LiveChange>& changes, CycleRange range) {
        const std::size_t count = changes.size();
        const double parts = static_cast<double>(count) /
                             static_cast<double>(std::max<std::int64_t>(1, range.cycles()));
        const auto partOf = [&](const LiveChange& change) {
            return std::min(
                count - 1,
                static_cast<std::size_t>(static_cast<double>(change.cycle - range.begin) * parts));
        };
        ends_.assign(count + 1, 0);
        for (const LiveChange& change : changes)
            ++ends_[partOf(change) + 1];
        for (std::size_t i = 1; i <= count; ++i)
            ends_[i] += ends_[i - 1];
        sorted_.resize(count);
        for (const LiveChange& change : changes)
            sorted_[ends_[partOf(change)]++] = change;
        std::size_t begin = 0;
        for (std::size_t part = 0; part < count; ++part) {
            if (ends_[part] - begin > fewInPart)
                std::sort(sorted_.begin() + static_cast<std::ptrdiff_t>(begin),
                          sorted_.begin() + static_cast<std::ptrdiff_t>(ends_[part]), isEarlier);
            begin = ends_[part];
        }
        insertEach(sorted_);
        std::swap(changes, sorted_);
    }

private:
    // So many are inserted one by one; a part has more where IPUs begin together.
    static constexpr std::size_t fewInPart = 16;

    static bool isEarlier(const LiveChange& a, const LiveChange& b) { return a.cycle < b.cycle; }
    /// Sorts what is nearly in order.
    static void insertEach(std::vector<LiveChange>& changes) {
        for (std::size_t i = 1; i < changes.size(); ++i) {
            const LiveChange change = changes[i];
            std::size_t at = i;
            for (; at > 0 && isEarlier(change, changes[at - 1]); --at)
                changes[at] = changes[at - 1];
            changes[at] = change;
        }
    }

    std::vector<std::size_t> ends_; ///< of the parts
    std::vector<LiveChange> sorted_;
};

/// What the IPUs hold together goes on and changes, and the extremes between borders are kept.
class Extremes {
public:
    explicit Extremes(std::span<const std::int64_t> borders)
        : borders_(borders)
        , found_(borders.size() - 1)
        , time_(borders.front()) {}

    [[nodiscard]] std::int64_t time() const { return time_; }
    [[nodiscard]] bool done() const { return time_ >= borders_.back(); }
    void change(Wide by) { total_ += by; }
    /// It stays as it is until a cycle.
    void goOn(std::int64_t to) {
        while (time_ < to) {
            while (borders_[column_ + 1] <= time_)
                next();
            least_ = std::min(least_, total_);
            most_ = std::max(most_, total_);
            time_ = std::min(to, borders_[column_ + 1]);
        }
    }
    std::vector<FoundExtremes> take() && {
        next();
        return std::move(found_);
    }

private:
    void next() {
        if (least_ <= most_)
            found_[column_] = {saturated(least_), saturated(most_)};
        ++column_;
        least_ = widest;
        most_ = -widest;
    }

    static constexpr Wide widest = Wide{1} << 126;
    std::span<const std::int64_t> borders_;
    std::vector<FoundExtremes> found_;
    std::int64_t time_;
    std::size_t column_ = 0;
    Wide total_ = 0;
    Wide least_ = widest;
    Wide most_ = -widest;
};

} // namespace

std::vector<FoundExtremes> extremesBetween(std::span<const std::int64_t> borders,
                                           std::deque<LiveSteps>& ipus,
                                           const std::stop_token& stop) {
    const CycleRange all{borders.front(), borders.back()};
    Extremes extremes(borders);
    std::vector<IpuSweep> sweeps;
    sweeps.reserve(ipus.size());
    for (LiveSteps& steps : ipus) {
        sweeps.emplace_back(steps, all);
        extremes.change(sweeps.back().atFirst());
    }
    ChangeSorter sorter;
    std::vector<LiveChange> changes;
    while (!extremes.done()) {
        std::int64_t end = all.end;
        for (IpuSweep& sweep : sweeps) {
            sweep.readOn(stop);
            end = std::min(end, sweep.known());
        }
        changes.clear();
        for (IpuSweep& sweep : sweeps)
            sweep.take(end, changes);
        sorter.sort(changes, {extremes.time(), end});
        for (const LiveChange& change : changes) {
            extremes.goOn(change.cycle);
            extremes.change(change.by);
        }
        extremes.goOn(end);
    }
    return std::move(extremes).take();
}

} // namespace tilescope
