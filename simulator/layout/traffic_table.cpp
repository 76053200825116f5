#include "simulator/layout/traffic_table.h"

namespace tilescope::sim {
namespace {

/// Hash of a sequence of numbers (FNV's prime; the shift brings high bits down).
class Mix {
public:
    void add(std::int64_t value) {
        hash_ = (hash_ ^ static_cast<std::size_t>(value)) * 1099511628211U;
        hash_ ^= hash_ >> 29U;
    }
    void add(const std::vector<TileDigit>& digits) {
        for (const TileDigit& digit : digits) {
            add(digit.count);
            add(digit.stride);
        }
    }
    /// Only the number of blocks and two of them: the rest usually follows.
    void add(const Blocking& blocking) {
        add(blocking.firstTile);
        add(blocking.sharing.grain);
        add(blocking.sharing.least);
        add(blocking.sharing.slices);
        add(static_cast<std::int64_t>(blocking.copiesShare));
        add(blocking.copies);
        for (const BlockedDim& dim : blocking.dims) {
            add(dim.size);
            for (const int atom : dim.atoms)
                add(atom);
            add(dim.digits);
            add(static_cast<std::int64_t>(dim.blocks.size()));
            if (!dim.blocks.empty()) {
                add(dim.blocks.front().end);
                add(dim.blocks.back().begin);
            }
        }
    }
    [[nodiscard]] std::size_t value() const { return hash_; }

private:
    std::size_t hash_ = 0;
};

} // namespace

std::size_t TrafficTable::Hash::operator()(const Question& question) const {
    Mix mix;
    mix.add(question.stored);
    mix.add(question.needed);
    for (const std::int64_t size : question.atomSizes)
        mix.add(size);
    return mix.value();
}

const Traffic& TrafficTable::between(const Blocking& stored, const Blocking& needed,
                                     const std::vector<std::int64_t>& atomSizes) {
    const auto [at, isNew] = known_.try_emplace(Question{stored, needed, atomSizes});
    if (isNew)
        at->second = trafficBetween(stored, needed, atomSizes,
                                    [this](const Blocking& of) { return elementsOf(of); });
    return at->second;
}

TileSeries TrafficTable::elementsOf(const Blocking& blocking) {
    Mix mix;
    mix.add(blocking);
    Elements& recent = elements_[mix.value() % recentElements];
    if (!recent.known || recent.blocking != blocking)
        recent = {true, blocking, blocking.elements()};
    return recent.series;
}

} // namespace tilescope::sim
