#include "simulator/layout/tile_walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/error.h"

namespace tilescope::sim {
namespace {

/// The tile offset of each value of some digits, the first digit fastest.
std::vector<std::int32_t> offsetsOf(std::span<const TileDigit> digits) {
    std::vector<std::int32_t> offsets{0};
    for (const TileDigit& digit : digits) {
        if (digit.count == 0)
            return {};
        const std::size_t inner = offsets.size();
        offsets.reserve(inner * static_cast<std::size_t>(digit.count));
        for (std::int32_t i = 1; i < digit.count; ++i)
            for (std::size_t j = 0; j < inner; ++j)
                offsets.push_back(offsets[j] + i * digit.stride);
    }
    return offsets;
}

} // namespace

TileWalk::TileWalk(const Blocking& blocking)
    : copies_(offsetsOf(blocking.copies))
    , sharers_(blocking.copiesShare ? blocking.copyCount() : 1)
    , sharing_(blocking.sharing)
    , first_(blocking.firstTile)
    , count_(blocking.tiles())
    , index_(blocking.dims.size(), 0)
    , tiles_(blocking.dims.size() + 1)
    , sizes_(blocking.dims.size() + 1, 1) {
    dims_.reserve(blocking.dims.size());
    for (const BlockedDim& dim : blocking.dims) {
        Dim made{offsetsOf(dim.digits), {}};
        if (made.tiles.size() != dim.blocks.size())
            throw InternalError(fmt::format("a dimension of {} blocks has digits for {}",
                                            dim.blocks.size(), made.tiles.size()));
        made.sizes.reserve(dim.blocks.size());
        for (const Interval& block : dim.blocks)
            made.sizes.push_back(block.size());
        dims_.push_back(std::move(made));
    }
    if (!done())
        refresh(dims_.size());
}

void TileWalk::nextOutside() {
    ++nth_;
    for (std::size_t i = 0; i < dims_.size(); ++i) {
        if (++index_[i] < static_cast<std::int32_t>(dims_[i].sizes.size())) {
            refresh(i + 1);
            return;
        }
        index_[i] = 0;
    }
    ++copy_;
    if (!done())
        refresh(dims_.size());
}

void TileWalk::refresh(std::size_t changed) {
    if (changed == dims_.size())
        tiles_[changed] = first_ + copies_[static_cast<std::size_t>(copy_)];
    for (std::size_t i = changed; i-- > 0;) {
        const auto at = static_cast<std::size_t>(index_[i]);
        tiles_[i] = tiles_[i + 1] + dims_[i].tiles[at];
        sizes_[i] = sizes_[i + 1] * dims_[i].sizes[at];
    }
}

std::int64_t TileWalk::sharedPart(std::int64_t block) {
    if (copy_ != sharedCopy_) {
        sharedCopy_ = copy_;
        shared_ = {};
    }
    if (block == shared_[0].block)
        return shared_[0].share;
    if (block != shared_[1].block) {
        shared_[1] = {block, sharing_.part(block, copy_, sharers_)};
        std::swap(shared_[0], shared_[1]);
        return shared_[0].share;
    }
    return shared_[1].share;
}

bool TileWalk::ascends() const {
    std::int32_t span = 0; // of the dimensions further inside
    const auto goesOn = [&span](const std::vector<std::int32_t>& tiles) {
        for (std::size_t i = 1; i < tiles.size(); ++i)
            if (tiles[i] <= tiles[i - 1] + span)
                return false;
        span += tiles.empty() ? 0 : tiles.back() - tiles.front();
        return true;
    };
    return std::all_of(dims_.begin(), dims_.end(),
                       [&](const Dim& dim) { return goesOn(dim.tiles); }) &&
           goesOn(copies_);
}

std::int32_t TileWalk::begin() const {
    if (count_ == 0)
        return 0;
    std::int32_t lowest = first_ + *std::min_element(copies_.begin(), copies_.end());
    for (const Dim& dim : dims_)
        lowest += *std::min_element(dim.tiles.begin(), dim.tiles.end());
    return lowest;
}

std::int32_t TileWalk::end() const {
    if (count_ == 0)
        return 0;
    std::int32_t last = first_ + *std::max_element(copies_.begin(), copies_.end());
    for (const Dim& dim : dims_)
        last += *std::max_element(dim.tiles.begin(), dim.tiles.end());
    return last + 1;
}

void DenseTiles::throwTwice(std::int32_t tile) {
    throw InternalError(fmt::format("a blocking has tile {} twice", tile));
}

} // namespace tilescope::sim
