// The loss of connectionist temporal classification with its gradient (popnn/CTCLoss.cpp): two
// loops over the time steps.
#include <algorithm>

#include "simulator/lowering/operations/ctc_steps.h"
#include "simulator/lowering/operations/families.h"

namespace tilescope::sim {
namespace {

class CtcLossLowering : CtcSteps {
public:
    CtcLossLowering(LoweringContext& context, const Op& op)
        : CtcSteps(context, op)
        , data_(op.inputs[0])
        , shape_(context.tensor(data_).shape)
        , labels_(context.tensor(op.inputs[1]).shape[1])
        , problem_{shape_[1], shape_[0], labels_, shape_[2], bytesOf(context.tensor(data_).type)}
        , plan_(planCtcLoss(context.target(), problem_,
                            context.options().planning.availableMemoryProportion)) {}

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
            return std::pair(ctcDataStorage(shape_, problem_.inBytes, timeParts, plan_.batch),
                             identityView(3));
        });
        context_.ensurePlace(op_.inputs[1]);
    }

    /// Every tile of a sample's label has all classes of its time steps.
    VariableId broadcastData() {
        const PlacedStorage placed = context_.storageOf(data_);
        const Blocking need = ctcBlocking(context_.viewOf(data_), placed.storage, shape_,
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
            return b * edgeElements * bytes + b * lengths * ctcWordBytes;
        });
        edges_ = variable("tempLabels", edges);
        loss_ = variable(
            "loss", byTile([&](std::int64_t b, std::int64_t, std::int64_t) { return b * bytes; }));
        // With the symbols before and after them.
        const TileSeries labels = byTile([](std::int64_t b, std::int64_t, std::int64_t extended) {
            return b * (extended / 2 + 2) * ctcWordBytes;
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

} // namespace

void lowerCtcLoss(LoweringContext& context, const Op& op) {
    CtcLossLowering(context, op).run();
}

} // namespace tilescope::sim
