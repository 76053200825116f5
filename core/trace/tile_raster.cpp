#include "core/trace/tile_raster.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/trace/lanes.h"

namespace tilescope {
namespace {

/// The part of a series on one IPU, counted from its first tile.
TileSeries onIpu(const TileSeries& series, IpuId ipu, std::int32_t tilesPerIpu) {
    const std::int32_t first = ipu.value() * tilesPerIpu;
    return series.slice(first, first + tilesPerIpu).shifted(-first);
}

/// Tile cycles by state for each cell of a raster, column by column.
class Accumulator {
public:
    explicit Accumulator(const RasterQuestion& question)
        : q_(question)
        , rows_(std::clamp(question.rows, 1, std::max(1, question.tiles)))
        , perColumn_(static_cast<double>(question.range.cycles()) / question.columns)
        , tilesPerRow_(static_cast<double>(question.tiles) / rows_)
        , sums_(static_cast<std::size_t>(question.columns) * static_cast<std::size_t>(rows_) *
                tileStates.size()) {}

    /// `worked` has the cycles of each tile in `state` from `begin`; afterwards, and on all other
    /// tiles, the tile waits for the step. `weight` is the number of such steps.
    void add(std::int64_t begin, std::int64_t end, TileState state, const TileSeries& worked,
             double weight) {
        std::int32_t next = q_.firstTile;
        const std::int32_t last = q_.firstTile + q_.tiles;
        for (const TileRun& run : worked.runs()) {
            const std::int32_t first = std::max(run.first, next);
            const std::int32_t stop = std::min(run.end, last);
            if (first >= stop)
                continue;
            addTiles(next, first, begin, begin, end, state, weight);
            addTiles(first, stop, begin, std::min(end, begin + run.value), end, state, weight);
            next = stop;
        }
        addTiles(next, last, begin, begin, end, state, weight);
    }

    /// Tile cycles of a series on each row.
    [[nodiscard]] std::vector<double> rowSums(const TileSeries& worked) const {
        std::vector<double> sums(static_cast<std::size_t>(rows_));
        for (const TileRun& run : worked.runs()) {
            const std::int32_t first = std::max(run.first, q_.firstTile);
            const std::int32_t stop = std::min(run.end, q_.firstTile + q_.tiles);
            if (first < stop)
                eachRow(first - q_.firstTile, stop - q_.firstTile,
                        [&](std::int32_t row, double tiles) {
                            sums[static_cast<std::size_t>(row)] +=
                                tiles * static_cast<double>(run.value);
                        });
        }
        return sums;
    }

    /// The column that [begin, end) lies entirely in; negative if there is none.
    [[nodiscard]] std::int32_t columnOf(std::int64_t begin, std::int64_t end) const {
        if (begin < q_.range.begin || end > q_.range.end)
            return -1;
        const auto column =
            static_cast<std::int32_t>(static_cast<double>(begin - q_.range.begin) / perColumn_);
        return column < q_.columns &&
                       static_cast<double>(end - q_.range.begin) <= (column + 1) * perColumn_
                   ? column
                   : -1;
    }

    /// The same as add() for a step within one column, from the rows' sums of the work of its
    /// tiles, none of which exceeds the step.
    void addWithin(std::int32_t column, std::int64_t cycles, TileState state,
                   const std::vector<double>& worked, double weight) {
        for (std::int32_t row = 0; row < rows_; ++row) {
            const double busy = worked[static_cast<std::size_t>(row)];
            const double all = tilesPerRow_ * static_cast<double>(cycles);
            float* const cell = &sums_[slot(column, row)];
            cell[static_cast<std::size_t>(state)] += static_cast<float>(busy * weight);
            cell[static_cast<std::size_t>(TileState::Wait)] +=
                static_cast<float>((all - busy) * weight);
        }
    }

    [[nodiscard]] TileRaster finish() const {
        TileRaster raster{q_.columns, rows_, {}};
        raster.cells.resize(static_cast<std::size_t>(q_.columns) * static_cast<std::size_t>(rows_));
        const double whole = perColumn_ * tilesPerRow_;
        for (std::int32_t column = 0; column < q_.columns; ++column)
            for (std::int32_t row = 0; row < rows_; ++row)
                raster.cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(q_.columns) +
                             static_cast<std::size_t>(column)] = cell(column, row, whole);
        return raster;
    }

private:
    [[nodiscard]] std::size_t slot(std::int32_t column, std::int32_t row) const {
        return (static_cast<std::size_t>(column) * static_cast<std::size_t>(rows_) +
                static_cast<std::size_t>(row)) *
               tileStates.size();
    }

    void addTiles(std::int32_t first, std::int32_t last, std::int64_t begin, std::int64_t worked,
                  std::int64_t end, TileState state, double weight) {
        if (first >= last)
            return;
        addTime(first, last, begin, worked, state, weight);
        addTime(first, last, worked, end, TileState::Wait, weight);
    }

    void addTime(std::int32_t first, std::int32_t last, std::int64_t from, std::int64_t to,
                 TileState state, double weight) {
        const double left = std::max(0.0, static_cast<double>(from - q_.range.begin) / perColumn_);
        const double right = std::min(static_cast<double>(q_.columns),
                                      static_cast<double>(to - q_.range.begin) / perColumn_);
        for (auto column = static_cast<std::int32_t>(left); static_cast<double>(column) < right;
             ++column) {
            const double part =
                std::min(right, column + 1.0) - std::max(left, static_cast<double>(column));
            addColumn(column, first - q_.firstTile, last - q_.firstTile, state,
                      part * perColumn_ * weight);
        }
    }

    void addColumn(std::int32_t column, std::int32_t first, std::int32_t last, TileState state,
                   double cycles) {
        eachRow(first, last, [&](std::int32_t row, double tiles) {
            sums_[slot(column, row) + static_cast<std::size_t>(state)] +=
                static_cast<float>(tiles * cycles);
        });
    }

    /// Calls put(row, tiles) with how many of tiles [first, last) are on each row.
    template <class Put> void eachRow(std::int32_t first, std::int32_t last, const Put& put) const {
        const double top = first / tilesPerRow_;
        const double bottom = std::min<double>(rows_, last / tilesPerRow_);
        for (auto row = static_cast<std::int32_t>(top); row < bottom; ++row)
            put(row, (std::min(bottom, row + 1.0) - std::max(top, static_cast<double>(row))) *
                         tilesPerRow_);
    }

    [[nodiscard]] TileRaster::Cell cell(std::int32_t column, std::int32_t row, double whole) const {
        const std::size_t first = slot(column, row);
        double all = 0;
        for (std::size_t state = 1; state < tileStates.size(); ++state)
            all += sums_[first + state];
        // Where steps overlap, such as transfers on I/O tiles and compute, the tiles of one do not
        // wait for the other.
        const double overlap = std::max(0.0, all - whole);
        const auto cycles = [&](std::size_t state) {
            const double sum = sums_[first + state];
            return static_cast<TileState>(state) == TileState::Wait ? sum - overlap : sum;
        };
        std::size_t most = 0;
        for (std::size_t state = 1; state < tileStates.size(); ++state)
            if (cycles(state) > 0 && (most == 0 || cycles(state) > cycles(most)))
                most = state;
        constexpr double full = 255;
        return {static_cast<TileState>(most),
                static_cast<std::uint8_t>(std::lround(full * std::min(1.0, all / whole)))};
    }

    const RasterQuestion& q_;
    std::int32_t rows_;
    double perColumn_;
    double tilesPerRow_;
    std::vector<float> sums_;
};

/// Walks over the spans of a range and adds them, looking into those that are merged.
class Rasterizer {
public:
    Rasterizer(const TraceIndex& index, const TileSources& sources, const RasterQuestion& question)
        : index_(index)
        , sources_(sources)
        , q_(question)
        , sums_(question) {}

    TileRaster make(const std::stop_token& stop) {
        const std::int64_t perColumn = std::max<std::int64_t>(1, q_.range.cycles() / q_.columns);
        for (const TraceSpan& span : index_.spans(q_.ipu, q_.range, perColumn)) {
            if (stop.stop_requested())
                throw Cancelled();
            if (span.merged())
                addMerged(span);
            else
                add(span.kind, span.program, span.begin, span.end, 1);
        }
        return sums_.finish();
    }

private:
    void add(ProgramKind kind, ProgramId program, std::int64_t begin, std::int64_t end,
             double weight) {
        if (end <= begin)
            return;
        const Known& known = cyclesOf(program, end - begin);
        const std::int32_t column = known.exceeds ? -1 : sums_.columnOf(begin, end);
        if (column >= 0)
            sums_.addWithin(column, end - begin, tileStateOf(kind), known.rows, weight);
        else
            sums_.add(begin, end, tileStateOf(kind), known.series, weight);
    }

    void addMerged(const TraceSpan& span) {
        const std::vector<Sample> samples = samplesOf(span);
        std::int64_t sampled = 0;
        for (const Sample& sample : samples)
            sampled += sample.on.cycles;
        if (sampled == 0)
            return;
        const double weight =
            span.steps <= sampledSteps
                ? 1.0
                : static_cast<double>(span.end - span.begin) / static_cast<double>(sampled);
        for (const Sample& sample : samples)
            add(sample.kind, sample.program, sample.on.start, sample.on.start + sample.on.cycles,
                weight);
    }

    struct Sample {
        ProgramKind kind = ProgramKind::Sync;
        ProgramId program;
        StepOnIpu on;
    };

    /// For a trace in its file, consecutive steps, which are in one page.
    [[nodiscard]] std::vector<Sample> neighboursOf(const TraceSpan& span,
                                                   std::int64_t count) const {
        const double part = static_cast<double>(count) / static_cast<double>(span.steps);
        const auto cycles =
            static_cast<std::int64_t>(std::ceil(static_cast<double>(span.end - span.begin) * part));
        std::vector<Sample> samples;
        for (const TraceSpan& step :
             index_.spans(q_.ipu, {span.begin, span.begin + std::max<std::int64_t>(1, cycles)}, 1))
            if (step.begin >= span.begin && step.end <= span.end)
                samples.push_back({step.kind,
                                   step.program,
                                   {q_.ipu, step.begin, step.end - step.begin, 0, 0, 0, 0}});
        return samples;
    }

    [[nodiscard]] std::vector<Sample> samplesOf(const TraceSpan& span) const {
        const std::int64_t count = std::min(span.steps, sampledSteps);
        if (index_.lanes().inPages())
            return neighboursOf(span, count);
        const std::int64_t stride = span.steps / count;
        std::vector<Sample> samples;
        for (std::int64_t i = 0; i < count; ++i) {
            // The offset moves by one each time, as a stride of whole repetitions would always meet
            // the same step of them.
            const std::int64_t shift = stride > 1 ? i : 0;
            const ExecutedStep step =
                index_.stepAt(span.firstStep + (i * stride + shift) % span.steps);
            for (const StepOnIpu& on : step.ipus)
                if (on.ipu == q_.ipu)
                    samples.push_back({step.kind, step.program, on});
        }
        return samples;
    }

    /// The work of tiles in a step of a program and a length.
    struct Known {
        TileSeries series;
        std::vector<double>
            rows;             ///< sums of it, for the many steps that are narrower than a column
        bool exceeds = false; ///< a damaged profile has tiles that work longer than the step
    };
    const Known& cyclesOf(ProgramId program, std::int64_t cycles) {
        const auto [at, isNew] = known_.try_emplace({program, cycles});
        Known& known = at->second;
        if (!isNew)
            return known;
        known.series = tileCycles(sources_, program, q_.ipu, cycles);
        known.rows = sums_.rowSums(known.series);
        for (const TileRun& run : known.series.runs())
            known.exceeds = known.exceeds || run.value < 0 || run.value > cycles;
        return known;
    }

    const TraceIndex& index_;
    const TileSources& sources_;
    const RasterQuestion& q_;
    Accumulator sums_;
    std::map<std::pair<ProgramId, std::int64_t>, Known> known_;
};

} // namespace

TileState tileStateOf(ProgramKind kind) {
    switch (kind) {
    case ProgramKind::OnTileExecute:
        return TileState::Compute;
    case ProgramKind::DoExchange:
        return TileState::Exchange;
    case ProgramKind::GlobalExchange:
        return TileState::GlobalExchange;
    case ProgramKind::StreamCopyBegin:
        return TileState::StreamBegin;
    case ProgramKind::StreamCopyMid:
        return TileState::StreamMid;
    case ProgramKind::StreamCopyEnd:
        return TileState::StreamEnd;
    case ProgramKind::Sync:
        return TileState::Sync;
    default:
        return TileState::Wait;
    }
}

TileSeries tileCycles(const TileSources& sources, ProgramId program, IpuId ipu,
                      std::int64_t stepCycles) {
    const std::int32_t tiles = sources.tilesPerIpu;
    const TileSeries everywhere(TileId(0), tiles, stepCycles);
    if (!program.valid() || program.index() >= sources.programs.size())
        return everywhere;
    const Program& p = sources.programs[program];
    if (p.computeSet.valid() && p.computeSet.index() < sources.computeSets.size())
        return onIpu(sources.computeSets[p.computeSet].cycles, ipu, tiles);
    if (p.exchange.valid() && p.exchange.index() < sources.exchanges.size())
        return onIpu(sources.exchanges[p.exchange].cycles, ipu, tiles);
    if (!p.stream.valid() || p.stream.index() >= sources.streams.size())
        return everywhere;
    return onIpu(sources.streams[p.stream].bytes, ipu, tiles).mapped([&](std::int64_t bytes) {
        return bytes > 0 ? stepCycles : 0;
    });
}

TileRaster tileRaster(const TraceIndex& index, const TileSources& sources,
                      const RasterQuestion& question, const std::stop_token& stop) {
    if (question.columns <= 0 || question.tiles <= 0 || question.range.cycles() <= 0)
        return {};
    return Rasterizer(index, sources, question).make(stop);
}

} // namespace tilescope
