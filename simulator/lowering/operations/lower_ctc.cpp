// Connectionist temporal classification: the loss with its gradient, and the decoder
// (popnn/CTCLoss.cpp, CTCInference.cpp). Both are one loop over the time steps.
#include <algorithm>
#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/cost/ctc.h"
#include "simulator/cost/reduce_cycles.h"
#include "simulator/cost/slice_cycles.h"
#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/operations/families.h"

namespace tilescope::sim {
namespace {

// C++ codelets of a few hundred instructions; *assumed*.
constexpr std::int64_t ctcCodeletBytes = 1200;
constexpr std::int64_t wordBytes = 4;

/// What both share: steps on tiles that each have a part of the samples.
class CtcSteps {
public:
    CtcSteps(LoweringContext& context, const Op& op)
        : context_(context)
        , b_(context.builder())
        , op_(op) {}

    [[nodiscard]] std::string name(const std::string& part) const { return op_.name + "/" + part; }

    VariableId variable(const std::string& part, TileSeries bytes, const char* type = "float") {
        return b_.variable(name(part), MemoryCategory::Variable, std::move(bytes), type);
    }

    /// The same constant for all elements.
    void fill(const std::string& part, VariableId variable, const TileSeries& bytes) {
        const TileSeries cycles = bytes.mapped([&](std::int64_t n) {
            return fillCycles(context_.target(), n / wordBytes, DataType::Float);
        });
        const ProgramId step = b_.execute(
            name(part), cycles, {{"popops::Fill<float>", bytes.ones()}}, {{}, {variable}});
        b_.lowered().kills.emplace(step, variable);
    }

    /// Each tile receives so many bytes from a neighbour.
    void exchange(const std::string& part, const TileSeries& bytes, VariableId from,
                  VariableId to) {
        if (bytes.empty())
            return;
        Traffic traffic;
        traffic.received = bytes.mapped([](std::int64_t n) { return ceilDiv(n, wordBytes); });
        traffic.sent = traffic.received;
        traffic.messages = traffic.received.ones();
        traffic.total = traffic.received.sum();
        Movement movement;
        movement.add(context_.target(), traffic, wordBytes, wordBytes);
        b_.exchange(b_.names().exchangeName(name(part)), std::move(movement), {{from}, {to}});
    }

    /// `vertices` of a class on each tile, each of one worker and of so many cycles.
    void workers(const std::string& part, const std::string& vertex, const TileSeries& vertices,
                 std::int64_t cycles, std::int32_t edges, Access access) {
        const std::int64_t all = context_.target().workers;
        VertexUse use{vertex, vertices};
        use.edges = edges;
        use.codeBytes = ctcCodeletBytes;
        b_.execute(name(part),
                   vertices.mapped([&](std::int64_t n) { return ceilDiv(n, all) * all * cycles; }),
                   {std::move(use)}, std::move(access));
    }

protected:
    LoweringContext& context_;
    ProgramBuilder& b_;
    const Op& op_;
};

/// A dimension that is cut in parts of which tiles `stride` apart have one each.
BlockedDim cutDimension(const std::vector<int>& atoms, std::int64_t size, std::int64_t parts,
                        std::int64_t stride) {
    BlockedDim dim;
    dim.atoms = atoms;
    dim.size = size;
    dim.blocks = evenBlocks(size, parts);
    if (parts > 1)
        dim.digits = {{static_cast<std::int32_t>(parts), static_cast<std::int32_t>(stride)}};
    return dim;
}

/// Data [time, batch, classes] in parts of time and batch; `copies` tiles have the same.
Blocking dataBlocking(const ViewDims& view, const Storage& storage, const Shape& shape,
                      std::int64_t timeParts, std::int64_t batchParts, std::int64_t copies) {
    Blocking blocking;
    const auto add = [&](std::size_t d, std::int64_t parts, std::int64_t stride) {
        const std::vector<int> atoms = withoutOnes(view[d], storage);
        if (!atoms.empty())
            blocking.dims.push_back(cutDimension(atoms, shape[d], parts, stride));
        else if (parts > 1)
            blocking.copies.push_back(
                {static_cast<std::int32_t>(parts), static_cast<std::int32_t>(stride)});
    };
    add(0, timeParts, copies);
    add(1, batchParts, copies * timeParts);
    add(2, 1, 1);
    if (copies > 1)
        blocking.copies.push_back({static_cast<std::int32_t>(copies), 1});
    return blocking;
}

/// Data that nobody has laid out: time cut over all tiles of a sample, so that no row of classes is
/// (mapDataInputAccordingToPlan).
Storage dataStorage(const Shape& shape, std::int64_t elementBytes, std::int64_t timeParts,
                    std::int64_t batchParts) {
    Storage storage;
    storage.atomSizes = shape;
    storage.elementBytes = elementBytes;
    storage.layout.blocking.dims = {cutDimension({0}, shape[0], timeParts, 1),
                                    cutDimension({1}, shape[1], batchParts, timeParts),
                                    cutDimension({2}, shape[2], 1, 1)};
    storage.layout.order = {{1, 0}, {0, 0}, {2, 0}};
    return storage;
}

class CtcLossLowering : CtcSteps {
public:
    CtcLossLowering(LoweringContext& context, const Op& op)
        : CtcSteps(context, op)
        , data_(op.inputs[0])
        , shape_(context.tensor(data_).shape)
        , labels_(context.tensor(op.inputs[1]).shape[1])
        , problem_{shape_[1], shape_[0], labels_, shape_[2], bytesOf(context.tensor(data_).type)}
        , plan_(planCtcLoss(context.target(), problem_,
                            context.options().availableMemoryProportion)) {}

    void run() {
        placeData();
        const VariableId data = broadcastData();
        makeTemporaries();
        const std::int64_t loops = ceilDiv(problem_.time, plan_.time) * ceilDiv(plan_.time, 2);
        loop("alphaBetaLoop", loops, data, false);
        exchange("lastAlphaBeta", column(2), alphaBeta_, previous_);
        loop("gradGivenAlphaBetaLoop", loops, data, true);
        finish();
    }

private:
    void placeData() {
        const std::int64_t timeParts = std::min(plan_.time * plan_.labelTiles(), problem_.time);
        context_.ensurePlace(data_, [&] {
            return std::pair(dataStorage(shape_, problem_.inBytes, timeParts, plan_.batch),
                             identityView(3));
        });
        context_.ensurePlace(op_.inputs[1]);
    }

    /// Every tile of a sample's label has all classes of its time steps.
    VariableId broadcastData() {
        const PlacedStorage placed = context_.storageOf(data_);
        const Blocking need = dataBlocking(context_.viewOf(data_), placed.storage, shape_,
                                           plan_.time, plan_.batch, plan_.labelTiles());
        OperandGather gather(context_, name("broadcastInput"));
        const VariableId data =
            gather.bring(placed, planMove(context_, placed, need, placed.storage.layout.order),
                         "broadcastInput");
        gather.emit();
        return data;
    }

    /// value(samples, time steps, symbols with their blanks) for each tile.
    template <class Value> [[nodiscard]] TileSeries byTile(const Value& value) const {
        const auto batch = evenBlocks(problem_.batch, plan_.batch);
        const auto time = evenBlocks(problem_.time, plan_.time);
        const auto label = evenBlocks(problem_.label, plan_.label);
        TileSeries series;
        std::int32_t tile = 0;
        for (const Interval& b : batch)
            for (const Interval& t : time)
                for (std::int64_t l = 0; l < plan_.labelTiles(); ++l, ++tile) {
                    const bool blank = l == plan_.label;
                    const bool last = l + 1 == plan_.labelTiles();
                    const std::int64_t symbols =
                        blank ? 0 : label[static_cast<std::size_t>(l)].size();
                    series.append(tile, tile + 1,
                                  value(b.size(), t.size(), 2 * symbols + (last ? 1 : 0)));
                }
        return series;
    }
    /// Bytes of so many time steps of the extended label.
    [[nodiscard]] TileSeries column(std::int64_t steps) const {
        return byTile([&](std::int64_t b, std::int64_t, std::int64_t extended) {
            return b * steps * extended * problem_.partialBytes;
        });
    }

    void makeTemporaries() {
        const std::int64_t bytes = problem_.partialBytes;
        const TileSeries all = byTile([&](std::int64_t b, std::int64_t t, std::int64_t extended) {
            return b * t * extended * bytes;
        });
        alphaBeta_ = variable("alphaBeta", all);
        const TileSeries gradients = byTile([&](std::int64_t b, std::int64_t t, std::int64_t) {
            return b * t * problem_.classes * bytes;
        });
        gradient_ = variable("gradient", gradients);
        time1_ = variable("tempTimeAlphaBeta1", column(1));
        time2_ = variable("tempTimeAlphaBeta2", column(2));
        previous_ = variable("tempTimeAlphaBetaPrePartition", column(2));
        // Three of alpha and three of beta, which has two values each; a counter and two lengths.
        constexpr std::int64_t edgeElements = 3 * 1 + 3 * 2;
        constexpr std::int64_t lengths = 3;
        const TileSeries edges = byTile([&](std::int64_t b, std::int64_t, std::int64_t) {
            return b * edgeElements * bytes + b * lengths * wordBytes;
        });
        edges_ = variable("tempLabels", edges);
        loss_ = variable(
            "loss", byTile([&](std::int64_t b, std::int64_t, std::int64_t) { return b * bytes; }));
        // With the symbols before and behind them.
        const TileSeries labels = byTile([](std::int64_t b, std::int64_t, std::int64_t extended) {
            return b * (extended / 2 + 2) * wordBytes;
        });
        label_ = variable("broadcastLabels", labels, "unsigned int");
        exchange("broadcastLabels", labels, context_.variableOf(op_.inputs[1]), label_);
        fill("initialise/tempTimeAlphaBeta1", time1_, column(1));
        fill("initialise/tempTimeAlphaBeta2", time2_, column(2));
        fill("initialise/tempLabels", edges_, edges);
        fill("initialise/loss", loss_, column(1).ones().scaled(bytes));
        fill("initialise/gradient", gradient_, gradients);
        b_.writeUndef(name("alphaBeta"), alphaBeta_);
    }

    /// In each pass every vertex takes one time step, or none while the front is elsewhere.
    void loop(const std::string& part, std::int64_t passes, VariableId data, bool gradient) {
        b_.beginRepeatHere(name(part), passes);
        if (plan_.time > 1) {
            if (gradient)
                exchange(part + "/time", column(2), time2_, previous_);
            else
                exchange(part + "/time", column(1), alphaBeta_, time1_);
        }
        if (plan_.labelTiles() > 1)
            exchange(part + "/label", byTile([&](std::int64_t b, std::int64_t, std::int64_t) {
                         return b * (plan_.time > 2 ? 6 : 3) * problem_.partialBytes;
                     }),
                     edges_, edges_);
        const std::int64_t symbols = ceilDiv(problem_.label, plan_.label);
        const std::int64_t cycles =
            gradient ? ctcGradientCycles(symbols, false) : ctcAlphaCycles(symbols, false);
        const TileSeries vertices =
            byTile([](std::int64_t b, std::int64_t, std::int64_t) { return b; });
        Access access{{data, label_, alphaBeta_, edges_, loss_, gradient ? previous_ : time1_},
                      {edges_, loss_}};
        if (gradient) {
            access.reads.insert(access.reads.end(), {time2_, gradient_});
            access.writes.insert(access.writes.end(), {time2_, gradient_});
        } else {
            access.writes.push_back(alphaBeta_);
        }
        // Half of the time partitions go forwards, half backwards; their vertices differ in name.
        const char* vertex = gradient ? "popnn::CTCGradGivenAlpha" : "popnn::CTCAlpha";
        constexpr std::int32_t edges = 12;
        workers(part, fmt::format("{}<{},float,unsigned int>", vertex, dataType()), vertices,
                cycles, edges, std::move(access));
        b_.end();
    }

    [[nodiscard]] std::string_view dataType() const {
        return toString(context_.tensor(data_).type);
    }

    /// Sums over the parts of the label, and the softmax's own gradient.
    void finish() {
        const TensorId out = op_.outputs[0];
        Storage storage = context_.storageOf(data_).storage;
        storage.elementBytes = bytesOf(context_.tensor(out).type);
        const TileSeries elements = storage.layout.blocking.elements();
        const VariableId result = context_.makeResult(out, context_.tensor(out).name,
                                                      std::move(storage), context_.viewOf(data_));
        VariableId from = gradient_;
        if (plan_.labelTiles() > 1)
            from = reduce("reduceGradient", gradient_, elements, plan_.labelTiles());
        // exp(data) - exp(gradient): two exponentials, a difference.
        constexpr std::int64_t cyclesPerElement = 2 * 3 + 1;
        const std::int64_t workers = context_.target().workers;
        b_.execute(name("softmaxGradient"), elements.mapped([&](std::int64_t n) {
            return workers * (ceilDiv(n, workers) * cyclesPerElement + mapOverhead);
        }),
                   {{fmt::format("popops::map<{}>", dataType()), elements.ones()}},
                   {{context_.variableOf(data_), from}, {result}});
        const TensorId loss = op_.outputs.size() > 1 ? op_.outputs[1] : TensorId();
        if (!loss.valid())
            return;
        Storage losses =
            linearStorage(context_.tensor(loss).shape, bytesOf(context_.tensor(loss).type),
                          context_.target().tilesPerIpu);
        const TileSeries own = losses.layout.blocking.elements();
        const VariableId lossOut = context_.makeResult(loss, context_.tensor(loss).name,
                                                       std::move(losses), identityView(1));
        const VariableId sum = reduce("reduceLoss", loss_, own, plan_.time * plan_.labelTiles());
        b_.execute(name("negateLoss"), own.mapped([&](std::int64_t n) {
            return workers * (ceilDiv(n, workers) + mapOverhead);
        }),
                   {{"popops::UnaryOp1D<popops::expr::UnaryOpType::NEGATE,float>", own.ones()}},
                   {{sum}, {lossOut}});
    }

    /// A sum of logarithms over `parts` parts of each element.
    VariableId reduce(const std::string& part, VariableId from, const TileSeries& elements,
                      std::int64_t parts) {
        const TileSeries gathered = elements.scaled(parts * problem_.partialBytes);
        const VariableId partials =
            b_.variable(name(part + "/partials"), MemoryCategory::Message, gathered, "float");
        exchange(part, gathered, from, partials);
        const VariableId sums = variable(part, elements.scaled(problem_.partialBytes));
        const std::int64_t workers = context_.target().workers;
        constexpr std::int64_t logAddCycles = 16;
        b_.execute(name(part), elements.mapped([&](std::int64_t n) {
            return workers * (ceilDiv(n, workers) * parts * logAddCycles + mapOverhead);
        }),
                   {{"popops::Reduce<popops::ReduceLogAdd,float,float,false>", elements.ones()}},
                   {{partials}, {sums}});
        return sums;
    }

    // A worker's prologue and its share of the supervisor's; *assumed*.
    static constexpr std::int64_t mapOverhead = 25;

    TensorId data_;
    Shape shape_;
    std::int64_t labels_;
    CtcLossProblem problem_;
    CtcLossPlan plan_;
    VariableId alphaBeta_, gradient_, time1_, time2_, previous_, edges_, loss_, label_;
};

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

    void run() {
        const std::int64_t timeParts = std::min(plan_.tilesPerSample, shape_[0]);
        context_.ensurePlace(data_, [&] {
            return std::pair(
                dataStorage(shape_, bytesOf(context_.tensor(data_).type), timeParts, plan_.batch),
                identityView(3));
        });
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
        const Blocking need = dataBlocking(context_.viewOf(data_), placed.storage, shape_, 1,
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
        const std::int64_t candidate = valuesOfCandidate * wordBytes;
        const std::int64_t perExtend = ceilDiv(shape_[2] - 1, plan_.extend);
        const std::int64_t perBeam = ceilDiv(beam, plan_.copy);
        extended_ =
            variable("extendCandidates", onTiles(plan_.extend, perExtend * beam * candidate));
        copied_ = variable("copyCandidates", onTiles(plan_.copy, perBeam * candidate));
        merged_ = variable("mergeCandidates", onTiles(plan_.merge, perBeam * beam * candidate));
        // The history of all beams is on every tile of a sample, and begins before the first step.
        const TileSeries history =
            onTiles(plan_.tilesPerSample, (shape_[0] + 1) * beam * 2 * wordBytes);
        const TileSeries state = onTiles(plan_.tilesPerSample, 6 * beam * wordBytes);
        history_ = variable("beamHistory", history, "unsigned int");
        state_ = variable("beams", state);
        b_.writeUndef(name("beamHistory"), history_);
        fill("initialise/beams", state_, state);
    }

    void step(VariableId data) {
        const std::int64_t beam = search_.beamWidth;
        const TileSeries everywhere = onTiles(plan_.tilesPerSample, wordBytes);
        exchange("currentTimestep", everywhere, state_, state_);
        const std::int64_t perVertex = ceilDiv(beam, plan_.extendVertices);
        workers(
            "generateCandidates", "popnn::CTCGenerateExtendCandidates<float,float,unsigned int>",
            onTiles(plan_.extend, ceilDiv(shape_[2] - 1, plan_.extend) * plan_.extendVertices + 1),
            perVertex * cyclesPerExtend, 14, {{data, state_, history_}, {extended_, copied_}});
        const std::int64_t perBeam = ceilDiv(beam, plan_.merge);
        exchange("broadcastCopyCandidates",
                 onTiles(plan_.merge, perBeam * beam * valuesOfCandidate * wordBytes), copied_,
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
                 onTiles(plan_.tilesPerSample, beam * valuesOfCandidate * wordBytes), candidates,
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
        const TileSeries gathered = onTiles(tiles, perTile * stage.candidates * wordBytes);
        const VariableId all =
            b_.variable(name(part + "/candidates"), MemoryCategory::Message, gathered, "float");
        exchange(part + "/rank", gathered, from, all);
        const std::int64_t own = ceilDiv(stage.candidates, stage.rankParts);
        const VariableId ranked =
            variable(part + "/ranked", onTiles(tiles, perTile * beam * 4 * wordBytes));
        workers(part + "/rank", "popnn::CTCRankCandidates<float,unsigned int>",
                onTiles(tiles, perTile * own), stage.candidates * cyclesPerCompare, 10,
                {{all, from}, {ranked}});
        const std::int64_t reducers = stage.groups * stage.reduceParts;
        const std::int64_t reducersPerTile = ceilDiv(reducers, plan_.tilesPerSample);
        const std::int64_t each = ceilDiv(beam, stage.reduceParts) * reducersPerTile;
        const TileSeries toReduce = onTiles(reducers, each * stage.rankParts * 4 * wordBytes);
        const VariableId parts = b_.variable(name(part + "/reduce/partials"),
                                             MemoryCategory::Message, toReduce, "float");
        exchange(part + "/reduce", toReduce, ranked, parts);
        const VariableId best = variable(part + "/best", onTiles(reducers, each * 4 * wordBytes));
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
            variable("decoded", vertices.scaled((shape_[0] + 2) * wordBytes), "unsigned int");
        workers("generateOutput", "popnn::CTCGenerateOutput<unsigned int>", vertices,
                shape_[0] * cyclesPerUpdate, 8, {{history_, state_}, {paths}});
        const TileSeries all =
            context_.storageOf(op_.outputs[0]).storage.layout.blocking.elements().scaled(wordBytes);
        Traffic traffic;
        traffic.received = all.scaled(1).mapped([](std::int64_t n) { return n / wordBytes; });
        traffic.sent = shareOut(traffic.received.sum(), vertices);
        traffic.messages = traffic.received.ones();
        traffic.total = traffic.received.sum();
        Movement movement;
        movement.add(context_.target(), traffic, wordBytes, wordBytes);
        b_.exchange(name("output/ExchangePre"), std::move(movement), {{paths}, results});
    }

    const CtcBeamSearchAttributes& search_;
    TensorId data_;
    Shape shape_;
    CtcBeamSearchPlan plan_;
    VariableId extended_, copied_, merged_, history_, state_;
};

} // namespace

void lowerCtcLoss(LoweringContext& context, const Op& op) {
    CtcLossLowering(context, op).run();
}

void lowerCtcBeamSearch(LoweringContext& context, const Op& op) {
    CtcBeamLowering(context, op).run();
}

} // namespace tilescope::sim
