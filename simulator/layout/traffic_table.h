// Cache of what follows from blockings.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "simulator/layout/traffic.h"

namespace tilescope::sim {

/// trafficBetween(), computed once for each distinct pair of blockings: equal layers of a model
/// move data between equal blockings. For one compilation.
class TrafficTable {
public:
    /// The reference stays valid.
    const Traffic& between(const Blocking& stored, const Blocking& needed,
                           const std::vector<std::int64_t>& atomSizes);
    /// Distinct queries so far.
    [[nodiscard]] std::size_t size() const { return known_.size(); }
    /// Blocking::elements(), kept for the blockings that were asked about last: an operation, its
    /// operands and the one after it mostly lie alike.
    TileSeries elementsOf(const Blocking& blocking);

private:
    static constexpr std::size_t recentElements = 64; // few: a series takes 35 KB
    struct Elements {
        bool known = false;
        Blocking blocking;
        TileSeries series;
    };
    struct Question {
        Blocking stored, needed;
        std::vector<std::int64_t> atomSizes;
        friend bool operator==(const Question&, const Question&) = default;
    };
    struct Hash {
        std::size_t operator()(const Question& question) const;
    };
    std::unordered_map<Question, Traffic, Hash> known_;
    std::array<Elements, recentElements> elements_; ///< by hash
};

} // namespace tilescope::sim
