// The tiles of a blocking, one after the other.
#pragma once

#include <array>
#include <iterator>
#include <span>
#include <vector>

#include "simulator/layout/blocking.h"

namespace tilescope::sim {

/// Iterates over the tiles that take part, in the order of their number. It is an odometer: a step
/// changes the innermost index and seldom those further out, and results of all indices are kept as
/// sums and products from the outermost dimension on, so that no tile needs a division.
class TileWalk {
public:
    explicit TileWalk(const Blocking& blocking);

    [[nodiscard]] bool done() const { return nth_ == count_; }
    void next() {
        if (dims_.empty() || index_.front() + 1 >= std::ssize(dims_.front().sizes)) {
            nextOutside();
            return;
        }
        ++nth_;
        const auto at = static_cast<std::size_t>(++index_.front());
        tiles_[0] = tiles_[1] + dims_.front().tiles[at];
        sizes_[0] = sizes_[1] * dims_.front().sizes[at];
    }

    /// Calls visit(tile, share) for all that are left.
    template <class Visit> void forEach(const Visit& visit) {
        for (; !done(); nextOutside()) {
            if (dims_.empty()) {
                visit(tile(), share());
                continue;
            }
            const Dim& inner = dims_.front();
            const auto first = static_cast<std::size_t>(index_.front());
            for (std::size_t at = first; at < inner.sizes.size(); ++at)
                visit(tiles_[1] + inner.tiles[at], shareOf(sizes_[1] * inner.sizes[at]));
            index_.front() = static_cast<std::int32_t>(inner.sizes.size()) - 1;
            nth_ += index_.front() - static_cast<std::int32_t>(first);
        }
    }

    /// The tile of the device (Blocking::tileOf).
    [[nodiscard]] std::int32_t tile() const { return tiles_.front(); }
    /// Index of the block of each dimension (Blocking::blockIndex).
    [[nodiscard]] std::span<const std::int32_t> index() const { return index_; }
    /// Which of the tiles with the same block this is.
    [[nodiscard]] std::int32_t copy() const { return copy_; }
    /// Elements of the block.
    [[nodiscard]] std::int64_t block() const { return sizes_.front(); }
    /// The tile's part of them (Blocking::shareOf).
    [[nodiscard]] std::int64_t share() { return shareOf(block()); }
    /// The lowest tile of all.
    [[nodiscard]] std::int32_t begin() const;
    /// Beyond the highest tile of all.
    [[nodiscard]] std::int32_t end() const;
    /// Whether each tile is higher than all before it.
    [[nodiscard]] bool ascends() const;

private:
    /// A dimension, by block: its tile offset, and its size.
    struct Dim {
        std::vector<std::int32_t> tiles;
        std::vector<std::int64_t> sizes;
    };
    /// A tile's part of a block.
    [[nodiscard]] std::int64_t shareOf(std::int64_t block) {
        return sharers_ == 1 ? block : sharedPart(block);
    }
    [[nodiscard]] std::int64_t sharedPart(std::int64_t block);
    /// The next tile, where the innermost index is at its end.
    void nextOutside();
    /// Forms tiles_ and sizes_ anew for the dimensions below `changed`.
    void refresh(std::size_t changed);

    std::vector<Dim> dims_;
    std::vector<std::int32_t> copies_; ///< tile offset of each copy
    std::int64_t sharers_;
    BlockSharing sharing_;
    std::int32_t first_, count_;
    std::int32_t nth_ = 0, copy_ = 0;
    std::vector<std::int32_t> index_;
    /// Of the copies and all dimensions from the i-th on.
    std::vector<std::int32_t> tiles_;
    std::vector<std::int64_t> sizes_;
    /// Shares of the current copy: an even division has blocks of two sizes, which take turns.
    struct Shared {
        std::int64_t block = -1;
        std::int64_t share = 0;
    };
    std::array<Shared, 2> shared_;
    std::int32_t sharedCopy_ = -1;
};

/// A value for each tile of a walk, in any order.
class DenseTiles {
public:
    explicit DenseTiles(const TileWalk& walk)
        : begin_(walk.begin())
        , values_(static_cast<std::size_t>(walk.end() - begin_), 0) {}
    /// Throws InternalError for a tile that has a value already.
    void set(std::int32_t tile, std::int64_t value) {
        std::int64_t& at = values_[static_cast<std::size_t>(tile - begin_)];
        if (at != 0 && value != 0)
            throwTwice(tile);
        at = value;
    }
    [[nodiscard]] TileSeries series() const {
        return TileSeries::fromDense(values_, TileId(begin_));
    }

private:
    [[noreturn]] static void throwTwice(std::int32_t tile);

    std::int32_t begin_;
    std::vector<std::int64_t> values_; ///< from that tile on
};

} // namespace tilescope::sim
