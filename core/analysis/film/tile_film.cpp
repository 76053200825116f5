#include "core/analysis/film/tile_film.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/analysis/film/live_bytes.h"
#include "core/analysis/programs/programs.h"
#include "core/base/damaged_profile.h"
#include "core/base/error.h"
#include "core/trace/tile_raster.h"

namespace tilescope {
namespace {

const Program& programOfStep(const IdVector<ProgramId, Program>& programs, ProgramId id) {
    if (!id.valid() || id.index() >= programs.size())
        throw DamagedProfile("a step names a program that does not exist");
    return programs[id];
}

class MemoryFilm : public TileFilm {
public:
    MemoryFilm(const ProfileView& profile, Stop stop)
        : programs_(profile.programs(stop))
        , steps_(profile.steps(stop))
        , bytes_(std::make_shared<const LiveChanges>(*profile.variables(stop),
                                                     *profile.livenessClasses(stop), steps_->size(),
                                                     profile.machine().totalTiles())) {
        const auto tiles = profile.tileMemory(stop);
        for (const TileMemory& tile : *tiles)
            largest_ = std::max(largest_, tile.alwaysLive + tile.maxNotAlwaysLive);
    }

    [[nodiscard]] std::int64_t frames() const override {
        return static_cast<std::int64_t>(steps_->size());
    }
    [[nodiscard]] std::int64_t largest() const override { return largest_; }

    FilmFrame frame(std::int64_t number, Stop) override {
        if (number < 0 || number >= frames())
            throw UserError(fmt::format("there is no step {}", number));
        const StepId step(static_cast<std::size_t>(number));
        const ProgramId program = (*steps_)[step];
        return {number,
                bytes_.at(step),
                programLabel(programOfStep(*programs_, program)),
                program,
                step,
                -1};
    }

    [[nodiscard]] std::int64_t frameOf(StepId step) const override {
        return step.valid() && step.index() < steps_->size() ? step.value() : -1;
    }

private:
    std::shared_ptr<const IdVector<ProgramId, Program>> programs_;
    std::shared_ptr<const IdVector<StepId, ProgramId>> steps_;
    LiveBytes bytes_;
    std::int64_t largest_ = 0;
};

class ExecutionFilm : public TileFilm {
public:
    ExecutionFilm(const ProfileView& profile, FilmKind kind, Stop stop)
        : machine_(profile.machine())
        , kind_(kind)
        , programs_(profile.programs(stop))
        , computeSets_(profile.computeSets(stop))
        , exchanges_(profile.exchanges(stop))
        , streams_(profile.streams(stop))
        , steps_(profile.steps(stop))
        , trace_(profile.trace(stop)) {
        firstStep_.resize(programs_->size());
        for (std::size_t i = steps_->size(); i-- > 0;)
            if (const ProgramId id = (*steps_)[StepId(i)];
                id.valid() && id.index() < firstStep_.size())
                firstStep_[id.index()] = StepId(i);
        largest_ = kind_ == FilmKind::Activity ? wholeStep : largestTransfer();
    }

    [[nodiscard]] std::int64_t frames() const override { return trace_->stepCount(); }
    [[nodiscard]] std::int64_t largest() const override { return largest_; }

    FilmFrame frame(std::int64_t number, Stop stop) override {
        const ExecutedStep step = trace_->stepAt(number);
        FilmFrame frame;
        frame.number = number;
        frame.values.assign(static_cast<std::size_t>(machine_.totalTiles()), 0);
        frame.program = step.program;
        frame.name = step.program.valid() ? programLabel(programOfStep(*programs_, step.program))
                                          : std::string(toString(step.kind));
        if (step.program.valid())
            frame.step = firstStep_[step.program.index()];
        std::vector<bool> done(static_cast<std::size_t>(machine_.ipus), false);
        for (const StepOnIpu& on : step.ipus) {
            frame.cycle = frame.cycle < 0 ? on.start : std::min(frame.cycle, on.start);
            show(frame.values, step, on);
            if (on.ipu.valid() && on.ipu.index() < done.size())
                done[on.ipu.index()] = true;
        }
        for (std::int32_t ipu = 0; ipu < machine_.ipus; ++ipu) {
            if (stop.stop_requested())
                throw Cancelled();
            if (!done[static_cast<std::size_t>(ipu)])
                showOther(frame.values, IpuId(ipu), frame.cycle);
        }
        return frame;
    }

    [[nodiscard]] std::int64_t frameOf(StepId step) const override {
        return step.valid() && step.index() < steps_->size()
                   ? trace_->findProgram((*steps_)[step], -1)
                   : -1;
    }

private:
    static constexpr std::int64_t wholeStep = 100; // per cent

    void showOther(std::vector<std::int64_t>& values, IpuId ipu, std::int64_t cycle) const {
        const std::int64_t index = trace_->stepAtCycle(ipu, cycle);
        if (index < 0)
            return;
        const ExecutedStep other = trace_->stepAt(index);
        for (const StepOnIpu& on : other.ipus)
            if (on.ipu == ipu)
                show(values, other, on);
    }

    void show(std::vector<std::int64_t>& values, const ExecutedStep& step,
              const StepOnIpu& on) const {
        if (!step.program.valid() || on.ipu.value() >= machine_.ipus)
            return;
        const std::int32_t first = on.ipu.value() * machine_.tilesPerIpu;
        const auto put = [&](std::int32_t tile, std::int64_t value) {
            if (tile >= 0 && tile < machine_.tilesPerIpu)
                values[static_cast<std::size_t>(first) + static_cast<std::size_t>(tile)] = value;
        };
        if (kind_ != FilmKind::Activity) {
            if (const TileSeries* moved = transferOf(step.program)) {
                const TileSeries here = moved->slice(first, first + machine_.tilesPerIpu);
                for (const TileRun& run : here.runs())
                    for (std::int32_t tile = run.first; tile < run.end; ++tile)
                        put(tile - first, run.value);
            }
            return;
        }
        const TileSources sources{*programs_, *computeSets_, *exchanges_, *streams_,
                                  machine_.tilesPerIpu};
        const TileSeries worked = tileCycles(sources, step.program, on.ipu, on.cycles);
        for (const TileRun& run : worked.runs())
            for (std::int32_t tile = run.first; tile < run.end; ++tile)
                put(tile, share(run.value, on.cycles));
    }

    // Even a small amount of work must be distinguishable from none.
    static std::int64_t share(std::int64_t cycles, std::int64_t all) {
        return all <= 0 ? 0
                        : std::clamp<std::int64_t>(
                              static_cast<std::int64_t>(static_cast<double>(cycles) * wholeStep /
                                                        static_cast<double>(all)),
                              1, wholeStep);
    }

    [[nodiscard]] const TileSeries* transferOf(ProgramId id) const {
        const bool receives = kind_ == FilmKind::BytesReceived;
        const Program& program = programOfStep(*programs_, id);
        if (program.exchange.valid() && program.exchange.index() < exchanges_->size()) {
            const Exchange& exchange = (*exchanges_)[program.exchange];
            return receives ? &exchange.bytesReceived : &exchange.bytesSent;
        }
        if (program.stream.valid() && program.stream.index() < streams_->size()) {
            const Stream& stream = (*streams_)[program.stream];
            return stream.toDevice == receives ? &stream.bytes : nullptr;
        }
        return nullptr;
    }

    [[nodiscard]] std::int64_t largestTransfer() const {
        std::int64_t largest = 0;
        for (std::size_t i = 0; i < programs_->size(); ++i)
            if (const TileSeries* moved = transferOf(ProgramId(i)))
                largest = std::max(largest, moved->max().value);
        return largest;
    }

    Target machine_;
    FilmKind kind_;
    std::shared_ptr<const IdVector<ProgramId, Program>> programs_;
    std::shared_ptr<const IdVector<ComputeSetId, ComputeSet>> computeSets_;
    std::shared_ptr<const IdVector<ExchangeId, Exchange>> exchanges_;
    std::shared_ptr<const IdVector<StreamId, Stream>> streams_;
    std::shared_ptr<const IdVector<StepId, ProgramId>> steps_;
    std::shared_ptr<const TraceIndex> trace_;
    std::vector<StepId> firstStep_; // by program
    std::int64_t largest_ = 0;
};

} // namespace

std::shared_ptr<TileFilm> tileFilm(const ProfileView& profile, FilmKind kind, Stop stop) {
    if (kind == FilmKind::LiveMemory)
        return std::make_shared<MemoryFilm>(profile, stop);
    return std::make_shared<ExecutionFilm>(profile, kind, stop);
}

} // namespace tilescope
