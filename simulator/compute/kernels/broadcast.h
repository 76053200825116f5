// Loops over a result whose operands are broadcast as NumPy does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/base/ceil_div.h"
#include "simulator/graph/data_type.h"

namespace tilescope::sim {

/// The dimensions of a result, neighbours joined where all operands allow it, outermost first, and
/// the strides in elements of each operand along them: 0 or 1 along the last.
struct Broadcast {
    std::vector<std::int64_t> sizes;
    std::vector<std::vector<std::int64_t>> strides; ///< of each operand
    std::int64_t elements = 1;
};
Broadcast broadcastOver(const Shape& result, const std::vector<Shape>& operands);

/// Elements that a thread computes at a time, whatever the number of threads.
constexpr std::int64_t computeBlock = std::int64_t{1} << 14;

/// Calls work(context, i) for each i below `count` on oneDNN's team of threads (OpenMP): a second
/// pool beside it would have to wait for its threads, which spin for a while after each kernel.
/// `work` must not throw.
void inTeam(std::int64_t count, const void* context, void (*work)(const void*, std::int64_t));

/// Calls work(begin, end) for parts of `count` indices, of at least `least` each.
template <class Work> void inBlocks(std::int64_t count, std::int64_t least, const Work& work) {
    const std::int64_t blocks = ceilDiv(count, std::max<std::int64_t>(least, 1));
    if (blocks <= 1) {
        if (count > 0)
            work(std::int64_t{0}, count);
        return;
    }
    const auto block = [&](std::int64_t i) { work(i * least, std::min((i + 1) * least, count)); };
    using Block = decltype(block);
    inTeam(blocks, &block,
           [](const void* context, std::int64_t i) { (*static_cast<const Block*>(context))(i); });
}

/// Calls row(at, offsets, count) for pieces along the last dimension that together are the whole
/// result: its index in the result, each operand's, and the number of elements; after those of a
/// block, done(begin, end) of its indices.
template <std::size_t N, class Row, class Done>
void forEachRow(const Broadcast& over, const Row& row, const Done& done) {
    inBlocks(over.elements, computeBlock, [&](std::int64_t begin, std::int64_t end) {
        const std::size_t rank = over.sizes.size();
        std::vector<std::int64_t> index(rank);
        std::array<std::int64_t, N> offsets{};
        std::int64_t rest = begin;
        for (std::size_t d = rank; d-- > 0;) {
            index[d] = rest % over.sizes[d];
            rest /= over.sizes[d];
            for (std::size_t k = 0; k < N; ++k)
                offsets[k] += index[d] * over.strides[k][d];
        }
        for (std::int64_t at = begin; at < end;) {
            const std::int64_t count = std::min(over.sizes[rank - 1] - index[rank - 1], end - at);
            row(at, offsets, count);
            at += count;
            index[rank - 1] += count;
            for (std::size_t k = 0; k < N; ++k)
                offsets[k] += count * over.strides[k][rank - 1];
            for (std::size_t d = rank - 1; d > 0 && index[d] == over.sizes[d]; --d) {
                for (std::size_t k = 0; k < N; ++k)
                    offsets[k] += over.strides[k][d - 1] - over.sizes[d] * over.strides[k][d];
                index[d] = 0;
                ++index[d - 1];
            }
        }
        done(begin, end);
    });
}

template <std::size_t N, class Row> void forEachRow(const Broadcast& over, const Row& row) {
    forEachRow<N>(over, row, [](std::int64_t, std::int64_t) {});
}

} // namespace tilescope::sim
