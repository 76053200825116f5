// The loss of connectionist temporal classification with its gradient (popnn/CTCLoss.cpp): two
// loops over the time steps.
#include <algorithm>

#include "simulator/lowering/operations/ctc_steps.h"
#include "simulator/lowering/operations/families.h"
#include "simulator/lowering/operations/staged_reduction.h"
#include "simulator/lowering/program/joint_steps.h"

namespace tilescope::sim {
namespace {

class CtcLossLowering : CtcSteps {
public:
    CtcLossLowering(LoweringContext& context, const Op& op)
        : CtcSteps(context, op)
        , data_(op.inputs[0])
        , shape_(context.tensor(data_).shape)
        , problem_{shape_[1], shape_[0], context.tensor(op.inputs[1]).shape[1], shape_[2],
                   bytesOf(context.tensor(data_).type)}
        , plan_(planCtcLoss(context.target(), problem_,
                            context.options().planning.availableMemoryProportion)) {}

    void place(TensorId data) {
        context_.ensurePlace(data, [&] {
            return std::pair(ctcDataStorage(shape_, problem_.inBytes,
                                            plan_.time * plan_.labelTiles(), plan_.batch),
                             identityView(3));
        });
    }

    void run() {
        place(data_);
        context_.ensurePlace(op_.inputs[1]);
        const VariableId data = broadcastData();
        makeTemporaries();
        const std::int64_t loops = ceilDiv(problem_.time, plan_.time) * ceilDiv(plan_.time, 2);
        loop("alphaBetaLoop", loops, data, false);
        if (plan_.time > 1)
            exchange("lastAlphaBeta", column(2), alphaBeta_, previous_);
        loop("gradGivenAlphaBetaLoop", loops, data, true);
        finish();
    }

private:
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
        TileSeries filled = column(1 + 2);
        filled += edges;
        filled += gradients;
        fill("initialise", {time1_, time2_, edges_, loss_, gradient_}, filled);
        b_.writeUndef(name("alphaBeta"), alphaBeta_);
    }

    /// In each pass every vertex takes one time step, or none while the front is elsewhere.
    void loop(const std::string& part, std::int64_t passes, VariableId data, bool gradient) {
        b_.beginRepeatHere(name(part), passes);
        exchangeFront(part, gradient);
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

    /// What the vertices read of their neighbours, in one exchange: the last column of the part of
    /// time before, and the last values of the parts of the label before it and before both. The
    /// first and the last part of time have none before: of two parts, both.
    void exchangeFront(const std::string& part, bool gradient) {
        const bool alongTime = plan_.time > 2, alongLabel = plan_.labelTiles() > 1;
        if (!alongTime && !alongLabel)
            return;
        constexpr std::int64_t betas = 2; // two of beta, one of alpha
        const std::int64_t edges = alongLabel ? betas * (alongTime ? 2 : 1) : 0;
        const std::int64_t columns = !alongTime ? 0 : gradient ? 2 : 1;
        const TileSeries bytes = byTile([&](std::int64_t b, std::int64_t, std::int64_t extended) {
            return b * (columns * extended + edges) * problem_.partialBytes;
        });
        Access access{{edges_}, {edges_}};
        if (alongTime) {
            access.reads.push_back(gradient ? time2_ : alphaBeta_);
            access.writes.push_back(gradient ? previous_ : time1_);
        }
        exchange(part, bytes, std::move(access));
    }

    [[nodiscard]] std::string_view dataType() const {
        return toString(context_.tensor(data_).type);
    }

    /// Sums over the parts of the label and of time, and the gradient of the softmax.
    void finish() {
        const TensorId out = op_.outputs[0];
        Storage storage = context_.storageOf(data_).storage;
        storage.elementBytes = bytesOf(context_.tensor(out).type);
        const TileSeries elements = storage.layout.blocking.elements();
        const TileSeries losses =
            linearStorage({problem_.batch}, problem_.partialBytes, context_.target().tilesPerIpu)
                .layout.blocking.elements();
        JointSteps steps(b_);
        steps.nextLane();
        const VariableId loss =
            sum("loss", loss_, byTile([](std::int64_t b, std::int64_t, std::int64_t) { return b; }),
                1, losses, plan_.time * plan_.labelTiles());
        steps.nextLane();
        const std::int64_t columns = ceilDiv(problem_.time, plan_.time) * problem_.classes;
        const VariableId gradient =
            sum("gradient", gradient_, byTile([&](std::int64_t b, std::int64_t t, std::int64_t) {
                    return b * t * problem_.classes;
                }),
                columns, elements, plan_.labelTiles());
        steps.merge();
        negate(loss, losses);
        const VariableId everywhere =
            b_.variable(name("CalcGrad/loss"), MemoryCategory::Message,
                        elements.ones().scaled(problem_.partialBytes), "float");
        exchange("CalcGrad", elements.ones().scaled(problem_.partialBytes), loss, everywhere);
        const VariableId result = context_.makeResult(out, context_.tensor(out).name,
                                                      std::move(storage), context_.viewOf(data_));
        // exp(data) - exp(gradient + loss): two exponentials, a sum and a difference.
        constexpr std::int64_t cyclesPerElement = 2 * 3 + 2;
        map("CalcGrad", elements, cyclesPerElement,
            {{context_.variableOf(data_), gradient, everywhere}, {result}});
    }

    void negate(VariableId loss, const TileSeries& losses) {
        const TensorId out = op_.outputs.size() > 1 ? op_.outputs[1] : TensorId();
        VariableId made = loss;
        if (out.valid())
            made = context_.makeResult(out, context_.tensor(out).name,
                                       linearStorage(context_.tensor(out).shape,
                                                     bytesOf(context_.tensor(out).type),
                                                     context_.target().tilesPerIpu),
                                       identityView(1));
        map("negInPlace", losses, 1, {{loss}, {made}});
    }

    void map(const std::string& part, const TileSeries& elements, std::int64_t cyclesPerElement,
             Access access) {
        const std::int64_t workers = context_.target().workers;
        b_.execute(name(part), elements.mapped([&](std::int64_t n) {
            return workers * (ceilDiv(n, workers) * cyclesPerElement + mapOverhead);
        }),
                   {{fmt::format("popops::map<{}>", dataType()), elements.ones()}},
                   std::move(access));
    }

    /// The order of dimensions inside (popnn/CTCPlan, toInternalShape).
    [[nodiscard]] Shape resultShape(std::int64_t elements) const {
        const Shape inside{shape_[1], shape_[0], shape_[2]};
        return elements == sim::elementsOf(inside) ? inside : Shape{elements};
    }

    /// A sum of logarithms over the `parts` tiles that hold values of each result.
    VariableId sum(const std::string& part, VariableId from, TileSeries held, std::int64_t columns,
                   const TileSeries& results, std::int64_t parts) {
        if (parts == 1)
            return from;
        StagedReduction reduction(context_, name(part), ReduceFunction::LogAdd, DataType::Float,
                                  parts, resultShape(results.sum()));
        TilePartials partials{from, DataType::Float, std::move(held), columns};
        reduction.addUp(partials, results.sum());
        VariableId sums;
        reduction.finish(partials, results, [&] {
            sums = variable(part + "Reduced", results.scaled(problem_.partialBytes));
            return sums;
        });
        return sums;
    }

    // A worker's prologue and its share of the supervisor's; *assumed*.
    static constexpr std::int64_t mapOverhead = 25;

    TensorId data_;
    Shape shape_;
    CtcLossProblem problem_;
    CtcLossPlan plan_;
    VariableId alphaBeta_, gradient_, time1_, time2_, previous_, edges_, loss_, label_;
};

} // namespace

void placeCtcLossData(LoweringContext& context, TensorId data, const Op& op) {
    CtcLossLowering(context, op).place(data);
}

void lowerCtcLoss(LoweringContext& context, const Op& op) {
    CtcLossLowering(context, op).run();
}

} // namespace tilescope::sim
