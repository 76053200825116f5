// The step program whose transfers with the host overlap with its computation.
#include <algorithm>

#include "simulator/lowering/modes/io_tiles.h"
#include "simulator/lowering/modes/modes.h"

namespace tilescope::sim {
namespace {

/// Which transfers overlap with a micro-batch.
struct Beside {
    bool loadsNext = true, storesLast = true;
};

class OverlappedLowering {
public:
    OverlappedLowering(LoweringContext& context, const ExecutionSchedule& schedule)
        : context_(context)
        , b_(context.builder())
        , schedule_(schedule) {}

    void run() {
        lowerFunctions();
        IoTileStreams streams(context_);
        streams_ = &streams;
        copyIn_ = function("IoTileCopyIn", [&] { streams.copyIn(); });
        copyOut_ = function("IoTileCopyOut", [&] { streams.copyOut(); });
        b_.beginControlProgram("outer");
        if (batchesOfUpdate() == 1 ||
            context_.options().host.exchangeStrategy == ExchangeStrategy::OverlapLoops)
            overlapAll();
        else
            overlapInner();
        b_.end();
    }

private:
    /// Micro-batches of one weight update; in inference every micro-batch is its own batch.
    [[nodiscard]] std::int64_t batchesOfUpdate() const {
        return update_.valid() ? schedule_.parts.front().repeats : 1;
    }

    void lowerFunctions() {
        compute_ = b_.beginFunction("microBatch");
        for (std::size_t i = 0; i < schedule_.ops.size(); ++i) {
            if (schedule_.isUpdate(OpId(i)) && !update_.valid()) {
                placeOutputs();
                b_.end();
                update_ = b_.beginFunction("VarUpdateFromAccumulator");
            }
            lowerOp(context_, OpId(i), schedule_.ops[OpId(i)].again);
        }
        placeOutputs();
        b_.end();
    }

    void placeOutputs() {
        for (const TensorId id : context_.graph().outputs)
            context_.ensurePlace(id);
    }

    template <class Fill> ProgramId function(const std::string& name, const Fill& fill) {
        const ProgramId id = b_.beginFunction(name);
        fill();
        b_.end();
        return id;
    }

    void call(ProgramId function) {
        const Program& called = b_.lowered().profile.programs[function];
        if (!called.children.empty())
            b_.call(std::string(called.name), function);
    }

    void microBatch(Beside beside) {
        call(copyIn_);
        if (beside.loadsNext)
            streams_->load();
        if (beside.storesLast)
            streams_->store();
        call(compute_);
        call(copyOut_);
    }

    void update() {
        if (update_.valid())
            call(update_);
    }

    /// `count` micro-batches as a loop, if there are any.
    void repeat(const char* name, std::int64_t count) {
        if (count <= 0)
            return;
        b_.beginRepeat(name, count);
        microBatch({});
        b_.end();
    }

    /// M - 2 of M micro-batches overlap with both a load and a store.
    void overlapInner() {
        const std::int64_t batches = batchesOfUpdate();
        b_.beginRepeat("batchesPerStep", schedule_.iterations);
        streams_->load();
        microBatch({batches > 1, false});
        repeat("accumulationLoop", batches - 2);
        if (batches > 1)
            microBatch({false, true});
        streams_->store();
        update();
        b_.end();
    }

    /// All of N x M micro-batches except the first and the last; those of the first and the last
    /// weight update are not in the loop over updates.
    void overlapAll() {
        const std::int64_t updates = schedule_.iterations;
        const std::int64_t inner = batchesOfUpdate();
        streams_->load();
        updateOf({updates * inner > 1, false}, inner - 1, updates == 1);
        if (updates > 2) {
            b_.beginRepeat("batchesPerStep", updates - 2);
            updateOf({}, inner - 1, false);
            b_.end();
        }
        if (updates > 1)
            updateOf(inner == 1 ? Beside{false, true} : Beside{}, inner - 1, true);
        streams_->store();
    }

    /// A weight update and its micro-batches: a first one and `others`, of which the last is that
    /// of the whole run if `ends`.
    void updateOf(Beside first, std::int64_t others, bool ends) {
        microBatch(first);
        repeat("accumulationLoop", ends ? others - 1 : others);
        if (ends && others > 0)
            microBatch({false, true});
        update();
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    const ExecutionSchedule& schedule_;
    IoTileStreams* streams_ = nullptr;
    ProgramId compute_, update_, copyIn_, copyOut_;
};

} // namespace

void lowerOverlapped(LoweringContext& context, const ExecutionSchedule& schedule) {
    OverlappedLowering(context, schedule).run();
}

} // namespace tilescope::sim
