#include "simulator/memory/tile_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <numeric>

#include "core/base/error.h"
#include "core/base/radix_sort.h"

namespace tilescope::sim {
namespace {

/// Order of placement: variables bound to a region first, then those that belong there but can be
/// elsewhere, then always-live ones, then messages and others, then what programs compute.
constexpr int messageRank = 3;
constexpr int rank(MemoryCategory category, bool alwaysLive) {
    if (isExecutable(category))
        return 0;
    if (isPlainOnly(category))
        return 1;
    if (alwaysLive)
        return 2;
    return category == MemoryCategory::Variable ? messageRank + 1 : messageRank;
}

/// Looked up, as each of millions of requests has one: by category, then by whether it is always
/// live.
constexpr auto ranks = [] {
    std::array<std::array<std::uint8_t, 2>, memoryCategories.size()> made{};
    for (const MemoryCategory category : memoryCategories)
        for (const bool alwaysLive : {false, true})
            made[static_cast<std::size_t>(category)][alwaysLive ? 1 : 0] =
                static_cast<std::uint8_t>(rank(category, alwaysLive));
    return made;
}();

/// `lastRank`: that of messages, or the one after it if these are placed first.
int rank(const PlaceRequest& request, int lastRank) {
    const int any =
        ranks[static_cast<std::size_t>(request.category)][request.liveness.valid() ? 0 : 1];
    return std::min(any, lastRank);
}

} // namespace

/// Each request is sorted as one number: rank and largest size less its size; the index is below.
/// The bits that the index leaves have to suffice for the sizes.
const std::vector<std::uint32_t>& PlacementOrder::of(const std::vector<PlaceRequest>& requests,
                                                     FirstOfLives first) {
    const int lastRank = first == FirstOfLives::Messages ? messageRank + 1 : messageRank;
    constexpr int rankBits = std::bit_width(static_cast<unsigned>(messageRank + 1));
    std::int64_t largest = 0;
    for (const PlaceRequest& request : requests)
        largest = std::max(largest, request.bytes);
    const int indexBits = std::bit_width(requests.size());
    const int sizeBits = std::bit_width(static_cast<std::uint64_t>(largest));
    if (rankBits + sizeBits + indexBits > 64)
        throw UserError(fmt::format("a tile has {} variables, one of them of {} bytes, which is "
                                    "more than can be placed; make the model or its batch smaller",
                                    requests.size(), largest));
    keys_.resize(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const auto less = static_cast<std::uint64_t>(largest - requests[i].bytes);
        const auto rankBefore = static_cast<std::uint64_t>(rank(requests[i], lastRank)) << sizeBits;
        keys_[i] = ((rankBefore | less) << indexBits) | i;
    }
    radixSort(
        keys_, [&](std::uint64_t key) { return key >> indexBits; }, sorted_);
    order_.resize(keys_.size());
    const std::uint64_t indexMask = (std::uint64_t{1} << indexBits) - 1;
    std::transform(keys_.begin(), keys_.end(), order_.begin(),
                   [&](std::uint64_t key) { return static_cast<std::uint32_t>(key & indexMask); });
    return order_;
}

const std::vector<std::uint32_t>& PlacementOrder::of(const std::vector<PlaceRequest>& requests,
                                                     const std::vector<double>& weights) {
    order_.resize(requests.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        const int rankA = rank(requests[a], messageRank);
        const int rankB = rank(requests[b], messageRank);
        return rankA != rankB ? rankA < rankB : weights[a] > weights[b];
    });
    return order_;
}

} // namespace tilescope::sim
