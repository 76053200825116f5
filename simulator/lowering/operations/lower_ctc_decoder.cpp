// The decoder of connectionist temporal classification (popnn/CTCInference.cpp): one loop over the
// time steps.
#include <algorithm>

#include "simulator/lowering/operations/ctc_steps.h"
#include "simulator/lowering/operations/families.h"

namespace tilescope::sim {
namespace {

/// No cycles of the decoder's vertices are published (the estimators of popnn say so themselves):
/// instructions of the codelets' inner loops, *assumed*.
constexpr std::int64_t cyclesPerExtend = 60; // three sums of logarithms, five results
constexpr std::int64_t cyclesPerMerge = 30;  // a comparison of two paths
constexpr std::int64_t cyclesPerSelect = 12;
constexpr std::int64_t cyclesPerCompare = 4;
constexpr std::int64_t cyclesPerUpdate = 15;
constexpr std::int64_t valuesOfCandidate = 5; // three probabilities, parent, addend

class CtcBeamLowering : CtcSteps {
public:
    CtcBeamLowering(LoweringContext& context, const Op& op)
        : CtcSteps(context, op)
        , search_(std::get<CtcBeamSearchAttributes>(op.attributes))
        , data_(op.inputs[0])
        , shape_(context.tensor(data_).shape)
        , plan_(planCtcBeamSearch(context.target(), shape_[1], shape_[2], search_.beamWidth)) {}

    void place(TensorId data) {
        context_.ensurePlace(data, [&] {
            return std::pair(ctcDataStorage(shape_, bytesOf(context_.tensor(data).type),
                                            plan_.tilesPerSample, plan_.batch),
                             identityView(3));
        });
    }

    void run() {
        place(data_);
        const VariableId data = broadcastData();
        makeTemporaries();
        b_.beginRepeatHere(name("beamSearch"), shape_[0]);
        step(data);
        b_.end();
        output();
    }

private:
    VariableId broadcastData() {
        const PlacedStorage placed = context_.storageOf(data_);
        const Blocking need = ctcBlocking(context_.viewOf(data_), placed.storage, shape_, 1,
                                          plan_.batch, plan_.tilesPerSample);
        OperandGather gather(context_, name("broadcastInput"));
        const VariableId data =
            gather.bring(placed, planMove(context_, placed, need, placed.storage.layout.order),
                         "broadcastInput");
        gather.emit();
        return data;
    }

    /// `each` for every sample on the first `tiles` tiles of it.
    [[nodiscard]] TileSeries onTiles(std::int64_t tiles, std::int64_t each) const {
        TileSeries series;
        std::int64_t first = 0;
        for (const Interval& batch : evenBlocks(shape_[1], plan_.batch)) {
            series.append(static_cast<std::int32_t>(first),
                          static_cast<std::int32_t>(first + std::min(tiles, plan_.tilesPerSample)),
                          batch.size() * each);
            first += plan_.tilesPerSample;
        }
        return series;
    }

    void makeTemporaries() {
        const std::int64_t beam = search_.beamWidth;
        const std::int64_t candidate = valuesOfCandidate * ctcWordBytes;
        const std::int64_t perExtend = ceilDiv(shape_[2] - 1, plan_.extend);
        const std::int64_t perBeam = ceilDiv(beam, plan_.copy);
        extended_ =
            variable("extendCandidates", onTiles(plan_.extend, perExtend * beam * candidate));
        copied_ = variable("copyCandidates", onTiles(plan_.copy, perBeam * candidate));
        merged_ = variable("mergeCandidates", onTiles(plan_.merge, perBeam * beam * candidate));
        // The history of all beams is on every tile of a sample, and begins before the first step.
        const TileSeries history =
            onTiles(plan_.tilesPerSample, (shape_[0] + 1) * beam * 2 * ctcWordBytes);
        const TileSeries state = onTiles(plan_.tilesPerSample, 6 * beam * ctcWordBytes);
        history_ = variable("beamHistory", history, "unsigned int");
        state_ = variable("beams", state);
        b_.writeUndef(name("beamHistory"), history_);
        fill("initialise/beams", {state_}, state);
    }

    void step(VariableId data) {
        const std::int64_t beam = search_.beamWidth;
        const TileSeries everywhere = onTiles(plan_.tilesPerSample, ctcWordBytes);
        exchange("currentTimestep", everywhere, state_, state_);
        const std::int64_t perVertex = ceilDiv(beam, plan_.extendVertices);
        workers(
            "generateCandidates", "popnn::CTCGenerateExtendCandidates<float,float,unsigned int>",
            onTiles(plan_.extend, ceilDiv(shape_[2] - 1, plan_.extend) * plan_.extendVertices + 1),
            perVertex * cyclesPerExtend, 14, {{data, state_, history_}, {extended_, copied_}});
        const std::int64_t perBeam = ceilDiv(beam, plan_.merge);
        exchange("broadcastCopyCandidates",
                 onTiles(plan_.merge, perBeam * beam * valuesOfCandidate * ctcWordBytes), copied_,
                 merged_);
        workers("mergeCandidates", "popnn::CTCMergeCandidates<float,unsigned int>",
                onTiles(plan_.merge, perBeam * beam), cyclesPerMerge, 12,
                {{extended_, merged_, history_}, {merged_, extended_}});
        workers("selectCandidates", "popnn::CTCSelectCopyCandidates<float,unsigned int>",
                onTiles(plan_.merge, 2 * perBeam), beam * cyclesPerSelect, 10,
                {{merged_, extended_, copied_}, {copied_, extended_}});
        VariableId candidates = extended_;
        for (std::size_t i = 0; i < plan_.sort.size(); ++i)
            candidates = sort(i, candidates);
        exchange("broadcastBeams",
                 onTiles(plan_.tilesPerSample, beam * valuesOfCandidate * ctcWordBytes), candidates,
                 state_);
        workers("update", "popnn::CTCUpdate<float,unsigned int>", onTiles(plan_.tilesPerSample, 1),
                beam * cyclesPerUpdate, 12, {{state_, history_}, {state_, history_}});
    }

    /// Every candidate is compared with all of its group; the best are gathered.
    VariableId sort(std::size_t number, VariableId from) {
        const CtcBeamSearchPlan::Sort& stage = plan_.sort[number];
        const std::string part = fmt::format("sort{}", number);
        const std::int64_t beam = search_.beamWidth;
        const std::int64_t tiles = stage.groups * stage.rankParts;
        const std::int64_t perTile = ceilDiv(tiles, plan_.tilesPerSample);
        const TileSeries gathered = onTiles(tiles, perTile * stage.candidates * ctcWordBytes);
        const VariableId all =
            b_.variable(name(part + "/candidates"), MemoryCategory::Message, gathered, "float");
        exchange(part + "/rank", gathered, from, all);
        const std::int64_t own = ceilDiv(stage.candidates, stage.rankParts);
        const VariableId ranked =
            variable(part + "/ranked", onTiles(tiles, perTile * beam * 4 * ctcWordBytes));
        workers(part + "/rank", "popnn::CTCRankCandidates<float,unsigned int>",
                onTiles(tiles, perTile * own), stage.candidates * cyclesPerCompare, 10,
                {{all, from}, {ranked}});
        const std::int64_t reducers = stage.groups * stage.reduceParts;
        const std::int64_t reducersPerTile = ceilDiv(reducers, plan_.tilesPerSample);
        const std::int64_t each = ceilDiv(beam, stage.reduceParts) * reducersPerTile;
        const TileSeries toReduce = onTiles(reducers, each * stage.rankParts * 4 * ctcWordBytes);
        const VariableId parts = b_.variable(name(part + "/reduce/partials"),
                                             MemoryCategory::Message, toReduce, "float");
        exchange(part + "/reduce", toReduce, ranked, parts);
        const VariableId best =
            variable(part + "/best", onTiles(reducers, each * 4 * ctcWordBytes));
        workers(part + "/reduce", "popnn::CTCReduceCandidates<float,unsigned int>",
                onTiles(reducers, each), stage.rankParts * cyclesPerCompare, 10, {{parts}, {best}});
        return best;
    }

    /// Each of the best paths is followed back to its beginning.
    void output() {
        const TileSeries vertices = onTiles(std::min(search_.paths, plan_.tilesPerSample),
                                            ceilDiv(search_.paths, plan_.tilesPerSample));
        std::vector<VariableId> results;
        for (const TensorId out : op_.outputs) {
            const Tensor& t = context_.tensor(out);
            results.push_back(context_.makeResult(
                out, t.name, linearStorage(t.shape, bytesOf(t.type), context_.target().tilesPerIpu),
                identityView(t.shape.size())));
        }
        const VariableId paths =
            variable("decoded", vertices.scaled((shape_[0] + 2) * ctcWordBytes), "unsigned int");
        workers("generateOutput", "popnn::CTCGenerateOutput<unsigned int>", vertices,
                shape_[0] * cyclesPerUpdate, 8, {{history_, state_}, {paths}});
        const TileSeries all = context_.storageOf(op_.outputs[0])
                                   .storage.layout.blocking.elements()
                                   .scaled(ctcWordBytes);
        Traffic traffic;
        traffic.received = all.scaled(1).mapped([](std::int64_t n) { return n / ctcWordBytes; });
        traffic.sent = shareOut(traffic.received.sum(), vertices);
        traffic.messages = traffic.received.ones();
        traffic.total = traffic.received.sum();
        Movement movement;
        movement.add(context_.target(), traffic, ctcWordBytes, ctcWordBytes);
        b_.exchange(name("output/ExchangePre"), std::move(movement), {{paths}, results});
    }

    const CtcBeamSearchAttributes& search_;
    TensorId data_;
    Shape shape_;
    CtcBeamSearchPlan plan_;
    VariableId extended_, copied_, merged_, history_, state_;
};

} // namespace

void placeCtcBeamSearchData(LoweringContext& context, TensorId data, const Op& op) {
    CtcBeamLowering(context, op).place(data);
}

void lowerCtcBeamSearch(LoweringContext& context, const Op& op) {
    CtcBeamLowering(context, op).run();
}

} // namespace tilescope::sim
