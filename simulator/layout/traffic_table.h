// Cache of computed traffic.
#pragma once

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

private:
    struct Question {
        Blocking stored, needed;
        std::vector<std::int64_t> atomSizes;
        friend bool operator==(const Question&, const Question&) = default;
    };
    struct Hash {
        std::size_t operator()(const Question& question) const;
    };
    std::unordered_map<Question, Traffic, Hash> known_;
};

} // namespace tilescope::sim
