#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/ceil_div.h"
#include "simulator/compute/kernels/broadcast.h"
#include "simulator/compute/kernels/partial_sums.h"
#include "simulator/compute/kernels/partial_tile.h"

namespace tilescope::sim {
namespace {

/// Terms whose packed operands stay in a core's caches.
constexpr std::size_t termsAtOnce = 256;
/// Tiles of columns that are computed together, so that packed rows are read once for them.
constexpr std::int64_t tilesAtOnce = 4;
/// Rows that one thread computes at least if there are few columns.
constexpr std::int64_t leastRows = 4 * tileRows;

using TileFunction = void (*)(const float* a, const float* b, const TilePasses& passes,
                              const TileRounding& rounding, float* sums);

void plainTile(const float* a, const float* b, const TilePasses& passes,
               const TileRounding& rounding, float* sums) {
    PartialTile<4, 4>::body(a, b, passes, rounding, sums);
}
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void wideTile(const float* a, const float* b,
                                                  const TilePasses& passes,
                                                  const TileRounding& rounding, float* sums) {
    PartialTile<8, 4>::body(a, b, passes, rounding, sums);
}
__attribute__((target("avx2,fma,f16c"))) void convertingTile(const float* a, const float* b,
                                                             const TilePasses& passes,
                                                             const TileRounding& rounding,
                                                             float* sums) {
    PartialTile<8, 4, true>::body(a, b, passes, rounding, sums);
}
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma"))) void
widestTile(const float* a, const float* b, const TilePasses& passes, const TileRounding& rounding,
           float* sums) {
    PartialTile<16, 8, true>::body(a, b, passes, rounding, sums);
}
#endif

TileFunction tileFunction() {
#if defined(__x86_64__)
    static const bool hasWidest =
        __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
        __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512bw") != 0;
    if (hasWidest)
        return widestTile;
    if (hasWideVectors())
        return hasHalfConversions() ? convertingTile : wideTile;
#endif
    return plainTile;
}

/// The first operand, term by term, in tiles of rows; those beyond the last are zero.
class PackedRows {
public:
    PackedRows(const PartialProduct& product, const SumOrder& order)
        : terms_(order.terms.size())
        , tiles_(ceilDiv(product.rows, tileRows))
        , values_(terms_ * static_cast<std::size_t>(tiles_ * tileRows)) {
        inBlocks(tiles_, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t tile = begin; tile < end; ++tile)
                packTile(product, order, tile);
        });
    }
    [[nodiscard]] const float* at(std::int64_t tile, std::size_t term) const {
        return values_.data() + (static_cast<std::size_t>(tile) * terms_ + term) * tileRows;
    }
    [[nodiscard]] std::int64_t tiles() const { return tiles_; }

private:
    void packTile(const PartialProduct& product, const SumOrder& order, std::int64_t tile) {
        float* to = values_.data() + static_cast<std::size_t>(tile) * terms_ * tileRows;
        const float* from = product.a + tile * tileRows * product.aRow;
        const std::int64_t rows = std::min(tileRows, product.rows - tile * tileRows);
        for (const SumOrder::Term& term : order.terms) {
            const float* first = from + term.channel * product.aChannel + term.tap;
            for (std::int64_t r = 0; r < rows; ++r)
                to[r] = first[r * product.aRow];
            to += tileRows;
        }
    }

    std::size_t terms_;
    std::int64_t tiles_;
    std::vector<float> values_;
};

/// A tile of columns: where the matching elements of the second operand are, and where results go.
class ColumnTile {
public:
    ColumnTile(const PartialProduct& product, std::int64_t first, std::int64_t columns)
        : product_(product)
        , starts_(product.window.size()) {
        std::int64_t each = 1;
        for (const WindowDim& dim : product.window)
            each *= dim.columns;
        count_ = std::min(tileColumns, columns - first);
        for (std::int64_t j = 0; j < tileColumns; ++j) {
            const auto at = static_cast<std::size_t>(j);
            // Columns beyond the last repeat it and are not stored.
            const std::int64_t column = std::min(first + j, columns - 1);
            std::int64_t rest = column % each;
            bases_[at] = column / each * product.bImage;
            outs_[at] = column / each * product.outImage + rest;
            for (std::size_t d = product.window.size(); d-- > 0;) {
                const WindowDim& dim = product.window[d];
                starts_[d][at] = rest % dim.columns * dim.columnStep + dim.first;
                rest /= dim.columns;
            }
        }
    }

    /// Elements of terms [begin, end), a row of columns for each.
    void pack(const SumOrder& order, std::size_t begin, std::size_t end, float* to) {
        for (std::size_t t = begin; t < end; ++t, to += tileColumns) {
            const SumOrder::Term& term = order.terms[t];
            if (term.tap != tap_)
                moveTo(term.tap);
            const float* from = product_.b + term.channel * product_.bChannel;
            if (isRow_)
                std::copy_n(from + offsets_[0], tileColumns, to);
            else
                for (std::size_t j = 0; j < offsets_.size(); ++j)
                    to[j] = offsets_[j] < 0 ? 0.0F : from[offsets_[j]];
        }
    }

    void store(const float* sums, std::int64_t firstRow) const {
        const std::int64_t rows = std::min(tileRows, product_.rows - firstRow);
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t j = 0; j < count_; ++j)
                product_
                    .out[(firstRow + r) * product_.outRow + outs_[static_cast<std::size_t>(j)]] =
                    sums[r * tileColumns + j];
    }

private:
    using Offsets = std::array<std::int64_t, tileColumns>;

    void moveTo(std::int64_t tap) {
        tap_ = tap;
        offsets_ = bases_;
        std::int64_t rest = tap;
        for (std::size_t d = product_.window.size(); d-- > 0;) {
            const WindowDim& dim = product_.window[d];
            const std::int64_t moved = rest % dim.taps * dim.tapStep;
            rest /= dim.taps;
            const std::int64_t* places = dim.places.data() + moved;
            for (std::size_t j = 0; j < offsets_.size(); ++j)
                offsets_[j] += places[starts_[d][j]];
        }
        isRow_ = offsets_[0] >= 0;
        for (std::size_t j = 1; j < offsets_.size(); ++j)
            isRow_ = isRow_ && offsets_[j] == offsets_[0] + static_cast<std::int64_t>(j);
    }

    const PartialProduct& product_;
    std::int64_t count_ = 0, tap_ = -1;
    bool isRow_ = false;
    Offsets bases_{}, outs_{}, offsets_{};
    std::vector<Offsets> starts_;
};

constexpr std::size_t tileElements = tileRows * tileColumns;

void roundTile(float* values, const HalfRounding& rounding, std::uint64_t key) {
    HalfStore(rounding, key)(values, 0, tileElements);
}

/// Adds `values` of a tile to `sums` and sets them to zero.
void moveTo(float* sums, float* values) {
    for (std::size_t i = 0; i < tileElements; ++i) {
        sums[i] += values[i];
        values[i] = 0;
    }
}

/// Adds up parts as the stages of a reduction do, and steps in time, tile by tile.
class StagedSums {
public:
    StagedSums(const SumOrder& order, const std::vector<std::int64_t>& stages,
               const HalfRounding& rounding, std::size_t tiles)
        : stages_(stages.empty() ? std::vector<std::int64_t>{1} : stages)
        , rounding_(rounding)
        , steps_(order.stepEnds.size()) {
        std::size_t part = 0;
        for (const std::size_t end : order.stepEnds)
            for (const std::size_t first = part; part < end; ++part)
                places_.push_back({part - first, part + 1 == end});
        if (!isNeeded())
            return;
        sums_.assign(stages_.size(), std::vector<float>(tiles * tileElements));
        if (steps_ > 1)
            total_.resize(tiles * tileElements);
    }

    [[nodiscard]] bool isNeeded() const { return places_.size() > 1; }
    /// The sums of all parts.
    [[nodiscard]] const std::vector<float>& result() const {
        return steps_ > 1 ? total_ : sums_.back();
    }

    /// Adds a part of a tile; `values` become zero.
    void add(std::size_t tile, std::size_t part, float* values, std::uint64_t key) {
        const auto [number, isLast] = places_[part];
        std::size_t together = 1; // parts that are already summed at this stage
        for (std::size_t s = 0; s < stages_.size(); ++s) {
            float* sums = sums_[s].data() + tile * tileElements;
            moveTo(sums, values);
            together *= static_cast<std::size_t>(stages_[s]);
            if (s + 1 == stages_.size() || ((number + 1) % together != 0 && !isLast))
                break;
            roundTile(sums, rounding_, key + part * keysOfPart + s);
            values = sums;
        }
        if (isLast && steps_ > 1)
            addStep(tile, key + part * keysOfPart);
    }

private:
    struct Place {
        std::size_t number; ///< of the part in its step
        bool isLast;
    };
    static constexpr std::uint64_t keysOfPart = 16; ///< more than a reduction has stages

    /// Steps in time add to the total so far, which is kept in half.
    void addStep(std::size_t tile, std::uint64_t key) {
        float* sums = sums_.back().data() + tile * tileElements;
        float* total = total_.data() + tile * tileElements;
        roundTile(sums, rounding_, key + keysOfPart - 1);
        moveTo(total, sums);
        roundTile(total, rounding_, key + keysOfPart - 2);
    }

    const std::vector<std::int64_t> stages_;
    const HalfRounding& rounding_;
    const std::size_t steps_;
    std::vector<Place> places_;
    std::vector<std::vector<float>> sums_;
    std::vector<float> total_;
};

/// Some tiles of rows by some tiles of columns, all terms.
class ProductBlock {
public:
    struct Tiles {
        std::int64_t firstRow, endRow, firstColumn, endColumn;
        [[nodiscard]] std::size_t rows() const {
            return static_cast<std::size_t>(endRow - firstRow);
        }
    };

    ProductBlock(const PartialProduct& product, const SumOrder& order,
                 const std::vector<std::int64_t>& stages, const HalfRounding& rounding,
                 std::uint64_t key, const PackedRows& rows, Tiles tiles, std::int64_t columns)
        : order_(order)
        , key_(key)
        , rows_(rows)
        , tiles_(tiles)
        , function_(tileFunction())
        , rounding_{rounding.stochastic, rounding.nanOnOverflow
                                             ? std::numeric_limits<float>::quiet_NaN()
                                             : vec::largestHalf} {
        for (std::int64_t t = tiles.firstColumn; t < tiles.endColumn; ++t)
            columns_.emplace_back(product, t * tileColumns, columns);
        const std::size_t count = tiles.rows() * columns_.size();
        staged_.emplace(order, stages, rounding, count);
        sums_.resize(count * tileElements);
    }

    void run() {
        for (std::size_t pass = 0; pass < order_.passEnds.size();)
            pass = addPasses(pass);
        const std::vector<float>& result = staged_->isNeeded() ? staged_->result() : sums_;
        for (std::size_t t = 0; t < columns_.size(); ++t)
            for (std::size_t r = 0; r < tiles_.rows(); ++r)
                columns_[t].store(result.data() + (t * tiles_.rows() + r) * tileElements,
                                  (tiles_.firstRow + static_cast<std::int64_t>(r)) * tileRows);
    }

private:
    [[nodiscard]] std::size_t firstTermOf(std::size_t pass) const {
        return pass == 0 ? 0 : order_.passEnds[pass - 1];
    }

    /// Adds passes from `pass` on while their operands fit the cache; returns the one after them.
    std::size_t addPasses(std::size_t pass) {
        const std::size_t firstTerm = firstTermOf(pass);
        std::size_t last = pass + 1;
        while (last < order_.passEnds.size() && order_.passEnds[last] - firstTerm <= termsAtOnce)
            ++last;
        const std::size_t endTerm = order_.passEnds[last - 1];
        const std::size_t room = (endTerm - firstTerm) * tileColumns;
        packed_.resize(std::max(packed_.size(), room * columns_.size()));
        for (std::size_t t = 0; t < columns_.size(); ++t)
            columns_[t].pack(order_, firstTerm, endTerm, packed_.data() + t * room);
        for (std::size_t r = 0; r < tiles_.rows(); ++r)
            for (std::size_t t = 0; t < columns_.size(); ++t)
                addTo(r, t, pass, last, packed_.data() + t * room);
        while (part_ < order_.partEnds.size() && order_.partEnds[part_] <= last)
            ++part_;
        return last;
    }

    /// Adds passes of a tile and reduces each part where it ends.
    void addTo(std::size_t r, std::size_t t, std::size_t pass, std::size_t last,
               const float* packed) {
        const std::int64_t row = tiles_.firstRow + static_cast<std::int64_t>(r);
        const std::uint64_t place = static_cast<std::uint64_t>(tiles_.firstColumn) + t +
                                    (static_cast<std::uint64_t>(row) << 32U);
        const std::uint64_t key = (key_ ^ place) * 0x9e3779b97f4a7c15U;
        rounding_.key = static_cast<std::uint32_t>(key >> 32U);
        const std::size_t tile = t * tiles_.rows() + r;
        float* own = sums_.data() + tile * tileElements;
        const std::size_t firstTerm = firstTermOf(pass);
        for (std::size_t part = part_; pass < last; ++part) {
            const std::size_t end = std::min(last, order_.partEnds[part]);
            const std::size_t term = firstTermOf(pass);
            function_(rows_.at(row, term), packed + (term - firstTerm) * tileColumns,
                      {order_.passEnds.data(), pass, end - pass, term}, rounding_, own);
            pass = end;
            if (end == order_.partEnds[part] && staged_->isNeeded())
                staged_->add(tile, part, own, key);
        }
    }

    const SumOrder& order_;
    const std::uint64_t key_;
    const PackedRows& rows_;
    const Tiles tiles_;
    const TileFunction function_;
    TileRounding rounding_;
    std::vector<ColumnTile> columns_;
    std::optional<StagedSums> staged_;
    std::vector<float> sums_, packed_;
    std::size_t part_ = 0; ///< of the next pass
};

} // namespace

void multiplyInParts(const PartialProduct& product, const SumOrder& order,
                     const std::vector<std::int64_t>& stages, const HalfRounding& rounding,
                     std::uint64_t key) {
    std::int64_t columns = product.images;
    for (const WindowDim& dim : product.window)
        columns *= dim.columns;
    if (columns == 0 || product.rows == 0)
        return;
    const PackedRows rows(product, order);
    const std::int64_t columnTiles = ceilDiv(columns, tileColumns);
    const std::int64_t columnBlocks = ceilDiv(columnTiles, tilesAtOnce);
    // Blocks, and so results, depend on the sizes alone.
    constexpr std::int64_t enoughBlocks = 4;
    const std::int64_t rowBlocks =
        columnBlocks >= enoughBlocks
            ? 1
            : std::clamp<std::int64_t>(product.rows / leastRows, 1, enoughBlocks);
    const std::int64_t rowsEach = ceilDiv(rows.tiles(), rowBlocks);
    inBlocks(columnBlocks * rowBlocks, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t firstRows = std::min(i % rowBlocks * rowsEach, rows.tiles());
            const std::int64_t firstColumns = i / rowBlocks * tilesAtOnce;
            const ProductBlock::Tiles tiles{firstRows, std::min(firstRows + rowsEach, rows.tiles()),
                                            firstColumns,
                                            std::min(firstColumns + tilesAtOnce, columnTiles)};
            ProductBlock(product, order, stages, rounding, key, rows, tiles, columns).run();
        }
    });
}

} // namespace tilescope::sim
