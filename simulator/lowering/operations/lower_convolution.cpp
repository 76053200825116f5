#include <algorithm>
#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/cost/conv_cycles.h"
#include "simulator/cost/slice_cycles.h"
#include "simulator/lowering/movement/arrangement.h"
#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/operations/conv_estimate.h"
#include "simulator/lowering/operations/conv_operands.h"
#include "simulator/lowering/operations/conv_orders.h"
#include "simulator/lowering/operations/conv_padding.h"
#include "simulator/lowering/operations/conv_pieces.h"
#include "simulator/lowering/operations/conv_reduction.h"
#include "simulator/lowering/operations/conv_regions.h"
#include "simulator/lowering/operations/conv_tiling.h"
#include "simulator/lowering/operations/conv_vertices.h"
#include "simulator/lowering/operations/families.h"
#include "simulator/lowering/program/parallel_steps.h"

namespace tilescope::sim {
namespace {

/// Emits the steps of one planned convolution.
class ConvLowering {
public:
    ConvLowering(LoweringContext& context, const Op& op, const ConvPlan& plan)
        : context_(context)
        , b_(context.builder())
        , op_(op)
        , plan_(plan)
        , tiling_(plan)
        , pieces_(tiling_)
        , padding_(context.target(), plan, tiling_, pieces_)
        , prefix_(op.name + "/" + convName(op))
        , estimate_(b_)
        , operands_(resolveOperands(context, op, plan, tiling_)) {}

    void run() {
        const std::int64_t steps = plan_.splits.serialSteps();
        makeOutput();
        b_.names().numberComputeSet(prefix_ + "/Convolve");
        PlacedStorage input = context_.storageOf(operands_.inputTensor);
        PlacedStorage weights = context_.storageOf(operands_.weightsTensor);
        if (steps > 1) {
            const bool asPlanned = isSlicedAsPlanned(input);
            arrange(asPlanned ? &input : nullptr, &weights);
            made_.clear();
            b_.writeUndef(prefix_ + "/serialOut", output_);
            b_.beginRepeat(prefix_ + "/serial", steps);
            estimate_.inLoop(steps);
            if (slicesInput())
                sliceInput(input, asPlanned);
            if (!asPlanned)
                arrange(&input, nullptr);
        } else {
            arrangeOnce(input, weights);
        }
        OperandGather gather(context_, prefix_ + "/Convolve", OperandGather::Regroup::Yes);
        std::vector<VariableId> operands{bringInput(gather, input),
                                         bringWeights(gather, weights, steps)};
        for (const VariableId padded : estimate_.onTileCopies([&] { return gather.emit(); }))
            operands.push_back(padded);
        const VariableId partials = convolve(std::move(operands));
        const VariableId result = reduce(partials);
        if (steps > 1) {
            update(result);
            b_.end();
        }
        putZerosBetween();
        if (!plan_.parallel)
            estimate_.record(plan_, moved_);
    }

private:
    void makeOutput() {
        Storage storage;
        storage.atomSizes = operands_.outputAtomSizes;
        storage.elementBytes = bytesOf(context_.tensor(op_.outputs[0]).type);
        storage.layout.blocking =
            tiling_.outputStorage(operands_.output, plan_.resultGrain(), true);
        storage.layout.order = outputOrder(operands_.output, plan_);
        const Blocking spread = withZerosBetween(storage.layout.blocking, storage.atomSizes);
        const bool hasZeros = !(spread == storage.layout.blocking);
        if (hasZeros)
            output_ = b_.variable(
                prefix_ + resultName(), MemoryCategory::Variable,
                context_.traffic().elementsOf(storage.layout.blocking).scaled(storage.elementBytes),
                std::string(toString(plan_.problem.outType)));
        storage.layout.blocking = spread;
        result_ = context_.makeResult(
            op_.outputs[0], prefix_ + (hasZeros ? "/activationsPostDilate" : resultName()),
            std::move(storage), operands_.outputView);
        if (!hasZeros)
            output_ = result_;
    }

    /// Zeros between the outputs, as in the gradient of a stride whose kernel is one, are put there
    /// after the convolution.
    void putZerosBetween() {
        if (result_ == output_)
            return;
        const Storage& storage = context_.storageOf(op_.outputs[0]).storage;
        estimate_.onTileCopies([&] {
            emitJoin(
                b_, prefix_ + "/activationsPostDilate/OnTileCopy",
                context_.traffic().elementsOf(storage.layout.blocking).scaled(storage.elementBytes),
                shortestUnstridedRun, {{output_}, {result_}});
        });
    }

    /// Poplar's name of the result of the last compute set.
    [[nodiscard]] std::string resultName() const {
        if (plan_.splits.serialSteps() > 1)
            return "/serialOut";
        if (plan_.splits.reductionDepth() > 1)
            return "/partialReduceOut";
        return plan_.problem.partialType == plan_.problem.outType ? "/partials" : "/cast";
    }

    /// Whether an operand is copied into the plan's order once before it is broadcast (PopLibs
    /// poplin/Convolution.cpp, convolutionImpl): where rearranging it at every destination would
    /// cost more code and copies.
    /// `broadcast()`: the move if it is not; called only where it decides.
    template <class Move>
    [[nodiscard]] bool rearrangedFirst(std::int64_t destinations, const Move& broadcast) const {
        constexpr std::int64_t mostDestinations = 7; // inViewMaxBroadcastDests
        return plan_.problem.pass == TrainingPass::TrainingUpdate ||
               destinations > mostDestinations || plan_.problem.expanded ||
               !plan_.transform.outChanDims.empty() || broadcast().strided();
    }

    /// Slices in time of the input channels are slices of both operands. An operand with its
    /// channels on several tiles is arranged for the plan as a whole before the loop, and the copy
    /// lives beside the original until the loop ends (PopLibs poplin/Convolution.cpp,
    /// convolutionImpl, rearrangeIfSplitOverTiles). An unfolded input has channels that its tensor
    /// lacks.
    [[nodiscard]] bool slicesInput() const {
        return plan_.splits.inChansSerial > 1 && !operands_.inputUnfolded;
    }

    [[nodiscard]] bool isSlicedAsPlanned(const PlacedStorage& input) const {
        return slicesInput() &&
               (operands_.inputOwned ||
                isSplitOverTiles(input.storage.layout.blocking, operands_.input.inChans,
                                 input.storage.atomSizes));
    }

    [[nodiscard]] OperandMove moveOfInput(const PlacedStorage& placed, const Blocking& to) const {
        return operands_.inputUnfolded
                   ? planUnfold(placed, to, operands_.channelAtoms, plan_.grains.inChans)
                   : planMove(context_, placed, to, arrangedInputOrder(placed));
    }

    /// Order of an arranged input: padded to whole groups, except for transposed weights, which are
    /// a tensor of their own.
    [[nodiscard]] std::vector<OrderLevel> arrangedInputOrder(const PlacedStorage& placed) const {
        return isWeightTranspose()
                   ? storedInputOrder(operands_.input, plan_, placed.storage.atomSizes)
                   : inputOrder(operands_.input, plan_);
    }

    [[nodiscard]] OperandMove moveOfWeights(const PlacedStorage& placed, const Blocking& to) const {
        return operands_.weightsUnfolded
                   ? planUnfold(placed, to, operands_.channelAtoms, plan_.grains.inChans)
                   : planMove(context_, placed, to, weightsOrder(operands_.weights, plan_));
    }

    /// An operand that is the same in every step of a loop is arranged in front of it (PopLibs
    /// poplin preArrangeMatMulInputRHS, as popnn's loops use it).
    void arrangeOnce(PlacedStorage& input, PlacedStorage& weights) {
        const bool sameInput = context_.isSameInEveryStep(operands_.inputTensor);
        const bool sameWeights = context_.isSameInEveryStep(operands_.weightsTensor);
        if (sameInput || sameWeights)
            context_.beforeLoop(
                [&] { arrange(sameInput ? &input : nullptr, sameWeights ? &weights : nullptr); });
        made_.clear();
        if (!sameInput || !sameWeights)
            arrange(sameInput ? nullptr : &input, sameWeights ? nullptr : &weights);
    }

    /// Copies those operands into the plan's order that are rearranged before they are broadcast;
    /// weights of all serial steps. Null: another call's.
    void arrange(PlacedStorage* input, PlacedStorage* weights) {
        Arrangement arrangement(context_, prefix_);
        std::vector<std::pair<PlacedStorage*, std::size_t>> arranged;
        const ConvSplits& splits = plan_.splits;
        const bool asPlanned = input != nullptr && isSlicedAsPlanned(*input);
        if (input != nullptr &&
            (asPlanned || rearrangedFirst(splits.kernelParts() * splits.outChans, [&] {
                 return moveOfInput(*input, tiling_.inputNeed(operands_.input));
             }))) {
            Storage wanted = input->storage;
            wanted.layout.blocking =
                tiling_.inputStorage(operands_.input, asPlanned || !slicesInput());
            wanted.layout.order = arrangedInputOrder(*input);
            if (operands_.inputUnfolded)
                wanted.atomSizes = operands_.unfoldedSizes;
            const OperandMove move = moveOfInput(*input, wanted.layout.blocking);
            const std::int64_t padded = isWeightTranspose() ? 0 : paddedElements(plan_, move);
            inputPadded_ = padded > 0;
            arranged.emplace_back(input,
                                  arrangement.add({*input, move, padded, isWeightTranspose()},
                                                  "actsRearranged", wanted));
        }
        const bool sliced = splits.serialSteps() > 1 && !operands_.weightsOwned;
        if (weights != nullptr &&
            (sliced || rearrangedFirst(splits.fieldParts() * splits.batch, [&] {
                 return moveOfWeights(*weights, tiling_.weightsNeed(operands_.weights));
             }))) {
            Storage wanted = weights->storage;
            wanted.layout.blocking = tiling_.weightsStorage(operands_.weights, true);
            wanted.layout.order = weightsOrder(operands_.weights, plan_);
            if (operands_.weightsUnfolded)
                wanted.atomSizes = operands_.unfoldedSizes;
            const OperandMove move = moveOfWeights(*weights, wanted.layout.blocking);
            const std::int64_t padded = paddedElements(plan_, move);
            weightsPadded_ = padded > 0;
            arranged.emplace_back(
                weights, arrangement.add({*weights, move, padded}, "weightsRearranged", wanted));
        }
        estimate_.copies([&] { arrangement.emit(); });
        for (const auto& [operand, number] : arranged) {
            const VariableId before = operand->variable;
            *operand = arrangement.result(number);
            if (operand->variable != before)
                made_.push_back(operand->variable);
        }
    }

    /// The backward product of a dense layer transposes the weights first, where it has them as
    /// its input (PopLibs poplin/MatMul.cpp, matMulImpl).
    [[nodiscard]] bool isWeightTranspose() const {
        return plan_.problem.matMul && plan_.problem.pass == TrainingPass::TrainingBackward &&
               plan_.transform.swapOperands;
    }

    VariableId bringInput(OperandGather& gather, const PlacedStorage& placed) {
        const Blocking need = tiling_.inputNeed(operands_.input);
        // An operand that was unfolded has been arranged, and has atoms of its own since.
        OperandMove move = planMove(context_, placed, need, inputOrder(operands_.input, plan_));
        moved_.input = ConvEstimate::movedShare(move, placed.storage.elementBytes);
        const TileSeries padded =
            move.strided() ? TileSeries()
                           : padding_.inputBytes(!inputPadded_, move.isInOtherSequence());
        if (padded.empty())
            heldInput_ = inPlace(placed, need, inputRegions(operands_.input, plan_.grains), move);
        // Neighbours with different output channels need the same input.
        const bool shared = plan_.splits.sharesBus(context_.target());
        const VariableId input =
            estimate_.copies([&] { return gather.bring(placed, move, "actsRearranged", shared); });
        gather.join(input, "actsRearranged/padded", padded);
        return input;
    }

    /// The variable of an operand of which some regions are read in place. A copy that was made for
    /// these vertices is not: published dense layers would have 1.02 of their memory.
    [[nodiscard]] VariableId inPlace(const PlacedStorage& placed, const Blocking& need,
                                     const std::vector<RegionDim>& regions,
                                     OperandMove& move) const {
        const bool whole = plan_.transform.combinedGroups == 1 &&
                           std::count(made_.begin(), made_.end(), placed.variable) == 0 &&
                           leaveWholeRegions(placed, need, regions, move);
        return whole ? placed.variable : VariableId();
    }

    /// One step's slice of an operand: cut out on the tiles, then broadcast.
    void takeSlice(PlacedStorage& placed, const std::string& name, const TileSeries& elements) {
        const VariableId sliced = b_.variable(prefix_ + name, MemoryCategory::Variable,
                                              elements.scaled(placed.storage.elementBytes),
                                              std::string(toString(plan_.problem.inType)));
        sliceStep(prefix_ + name, "popops::DynamicSlice1D", elements,
                  {{placed.variable}, {sliced}});
        made_.push_back(placed.variable = sliced);
    }

    /// As planned, or where it is if its channels are not separated.
    void sliceInput(PlacedStorage& input, bool asPlanned) {
        if (asPlanned)
            input.storage.layout.blocking = tiling_.inputStorage(operands_.input, false);
        TileSeries elements = input.storage.layout.blocking.elements();
        if (!asPlanned)
            elements = elements.mapped(
                [&](std::int64_t n) { return ceilDiv(n, plan_.splits.inChansSerial); });
        takeSlice(input, "/inputSerialSlice", elements);
    }

    VariableId bringWeights(OperandGather& gather, PlacedStorage placed, std::int64_t steps) {
        if (steps > 1) {
            placed.storage.layout.blocking = tiling_.weightsStorage(operands_.weights, false);
            takeSlice(placed, "/weightsSerialSlice", placed.storage.layout.blocking.elements());
        }
        OperandMove move = planMove(context_, placed, tiling_.weightsNeed(operands_.weights),
                                    weightsOrder(operands_.weights, plan_));
        moved_.weights = ConvEstimate::movedShare(move, placed.storage.elementBytes);
        const TileSeries padded =
            move.strided() ? TileSeries()
                           : padding_.weightBytes(!weightsPadded_, move.isInOtherSequence());
        if (padded.empty())
            heldWeights_ = inPlace(placed, tiling_.weightsNeed(operands_.weights),
                                   weightRegions(operands_.weights, plan_.grains), move);
        if (const std::int64_t groups = plan_.transform.combinedGroups; groups > 1) {
            // Zeros go between the weights of the combined groups: each block of one group's
            // channels is copied to its place.
            move.runBytes = bytesOf(plan_.problem.inType) * plan_.problem.inChans / groups;
            move.bytes = move.bytes.scaled(groups);
        }
        const VariableId weights =
            estimate_.copies([&] { return gather.bring(placed, move, "weightsRearranged"); });
        gather.join(weights, "weightsRearranged/padded", padded);
        return weights;
    }

    void sliceStep(const std::string& name, std::string_view vertex, const TileSeries& elements,
                   Access access) {
        const DataType type = plan_.problem.inType;
        const TileSeries cycles = elements.mapped(
            [&](std::int64_t n) { return dynamicSliceCycles(context_.target(), n, type); });
        b_.execute(name, cycles, {{fmt::format("{}<{}>", vertex, toString(type)), elements.ones()}},
                   std::move(access));
    }

    VariableId convolve(std::vector<VariableId> operands) {
        const ConvProblem& p = plan_.problem;
        const ConvVertices vertices(context_.target(), plan_, pieces_);
        const TileSeries cycles = vertices.cycles();
        const VariableId input = operands[0], weights = operands[1];
        for (const VariableId held : {heldInput_, heldWeights_})
            if (held.valid())
                operands.push_back(held);
        operands.push_back(b_.constant(vertices.worklistContent(), prefix_ + "/worklists",
                                       vertices.worklistBytes(), "unsigned short"));
        const bool direct = plan_.splits.reductionDepth() == 1 && p.partialType == p.outType &&
                            plan_.splits.serialSteps() == 1;
        const VariableId partials =
            direct ? output_
                   : b_.variable(prefix_ + "/partials", MemoryCategory::Variable,
                                 context_.traffic()
                                     .elementsOf(tiling_.partials())
                                     .scaled(bytesOf(p.partialType)),
                                 std::string(toString(p.partialType)));
        vertices.constrain(b_, input, weights, partials);
        std::vector<VariableId> written{partials};
        if (TileSeries scratch = vertices.scratchBytes(); scratch.sum() > 0)
            written.push_back(b_.variable(prefix_ + "/outFieldBuffer", MemoryCategory::Variable,
                                          std::move(scratch),
                                          std::string(toString(p.partialType))));
        b_.execute(prefix_ + "/Convolve", cycles, vertices.uses(cycles),
                   {std::move(operands), std::move(written)});
        return partials;
    }

    /// Each stage: tiles of a group exchange so that each adds its share of the outputs.
    VariableId reduce(VariableId partials) {
        const ConvProblem& p = plan_.problem;
        const std::vector<std::int64_t> depths = plan_.reductionStages();
        if (depths.empty())
            return p.partialType == p.outType
                       ? partials
                       : castPartials(b_, plan_, tiling_, prefix_, partials, output_);
        const auto stages = reduceInStages(
            tiling_.outputStorage(operands_.output, plan_.resultGrain(), false), depths);
        VariableId from = partials;
        for (std::size_t i = 0; i < stages.size(); ++i)
            from = reduceStage(i, stages[i], from, i + 1 == stages.size());
        return from;
    }

    VariableId reduceStage(std::size_t number, const ReductionStage& stage, VariableId from,
                           bool last) {
        const std::string name = fmt::format("{}/Reduce{}", prefix_, number);
        const DataType type = plan_.problem.partialType;
        const DataType to = last ? plan_.problem.outType : type;
        const VariableId gathered =
            b_.variable(name + "/partials", MemoryCategory::Message,
                        stage.gathered.scaled(bytesOf(type)), std::string(toString(type)));
        Movement movement;
        movement.add(context_.target(), stage.traffic, bytesOf(type), 4 * bytesOf(type));
        b_.exchange(b_.names().exchangeName(name), std::move(movement), {{from}, {gathered}});
        const bool serial = plan_.splits.serialSteps() > 1;
        const VariableId result =
            last && !serial
                ? output_
                : b_.variable(prefix_ + "/partialReduceOut", MemoryCategory::Variable,
                              stage.results.scaled(bytesOf(to)), std::string(toString(to)));
        const TileSeries cycles = stage.results.mapped([&](std::int64_t n) {
            return reduceAddCycles(context_.target(), n, stage.depth, type, to);
        });
        b_.execute(name, cycles,
                   {{fmt::format("poplin::ReduceAdd<{},{},false>", toString(to), toString(type)),
                     stage.results.ones()}},
                   {{gathered}, {result}});
        return result;
    }

    /// Puts a serial step's result into the whole: a slice of the output channels, or a sum over
    /// slices of the input channels.
    void update(VariableId result) {
        const TileSeries elements = context_.traffic().elementsOf(
            tiling_.outputStorage(operands_.output, plan_.resultGrain(), false));
        const bool slices = plan_.splits.outChansSerial > 1;
        sliceStep(prefix_ + (slices ? "/serialUpdate" : "/serialAddInPlace"),
                  slices ? "popops::DynamicUpdateSlice1D" : "popops::BinaryOp1DInPlace", elements,
                  {{result, output_}, {output_}});
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    const Op& op_;
    const ConvPlan& plan_;
    ConvTiling tiling_;
    ConvPieces pieces_;
    ConvPadding padding_;
    std::string prefix_;
    ConvEstimate estimate_;
    MovedShares moved_;
    ConvOperands operands_;
    VariableId output_;                                ///< of the plan's steps
    VariableId result_;                                ///< of the operation
    VariableId heldInput_, heldWeights_;               ///< read beside what was brought
    std::vector<VariableId> made_;                     ///< copies for a single run of the vertices
    bool inputPadded_ = false, weightsPadded_ = false; ///< while they were arranged
};

} // namespace

void placeConvOperands(LoweringContext& context, OpId op) {
    const ConvPlan& plan = context.planOf(op);
    resolveOperands(context, context.graph().ops[op], plan, ConvTiling(plan));
}

void lowerConvolution(LoweringContext& context, const Op& op) {
    const OpId id = context.current();
    const std::vector<OpId> together = context.togetherWith(id);
    if (together.empty())
        return ConvLowering(context, op, context.planOf(id)).run();
    // Those that run at the same time are lowered with the last of them.
    if (id != together.back())
        return;
    ParallelSteps steps(context.builder(), "/Convolve");
    for (const OpId part : together) {
        steps.nextLane();
        ConvLowering(context, context.graph().ops[part], context.planOf(part)).run();
    }
    steps.merge();
}

} // namespace tilescope::sim
