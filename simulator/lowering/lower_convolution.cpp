#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "simulator/cost/conv_cycles.h"
#include "simulator/cost/footprint.h"
#include "simulator/lowering/context.h"
#include "simulator/lowering/conv_operands.h"
#include "simulator/lowering/conv_reduction.h"
#include "simulator/lowering/conv_tiling.h"
#include "simulator/lowering/copies.h"

namespace tilescope::sim {
namespace {

/// Elements of 64 bits: mapped tensors are shared out in these.
std::int64_t vectorGrain(DataType type) {
    return std::max<std::int64_t>(1, 8 / bytesOf(type));
}

std::string convolveVertex(const Target& target, const ConvPlan& plan, bool oneByOne) {
    const ConvProblem& p = plan.problem;
    const auto types = fmt::format("{},{}", toString(p.inType), toString(p.partialType));
    const std::int64_t load =
        p.inType == DataType::Half ? target.convUnitLoadElemsHalf : target.convUnitLoadElemsFloat;
    switch (plan.method) {
    case ConvMethod::Amp:
        return fmt::format("poplin::{}<{},true,false,{},{},false>",
                           oneByOne ? "ConvPartial1x1Out" : "ConvPartialnx1", types, plan.convUnits,
                           load);
    case ConvMethod::Slic:
        // Window, chains of units and conv groups (PopLibs codelets, ConvPartial1xNSLIC).
        return fmt::format("poplin::ConvPartial1xNSLIC<{},{},true,4,{},{},false>", types,
                           p.field.back().stride, plan.convUnits, plan.grains.groups);
    case ConvMethod::Hmac:
        return fmt::format("poplin::ConvPartialHorizontalMac<{},true>", types);
    case ConvMethod::Vmac:
        return fmt::format("poplin::ConvPartialVerticalMac<{},true,{}>", types, plan.grains.groups);
    case ConvMethod::OuterProduct:
        return fmt::format("poplin::OuterProduct<{}>", toString(p.inType));
    }
    throw InternalError("unknown convolution method");
}

/// Emits the steps of one planned convolution.
class ConvLowering {
public:
    ConvLowering(LoweringContext& context, const Op& op, const ConvPlan& plan)
        : context_(context)
        , b_(context.builder())
        , op_(op)
        , plan_(plan)
        , tiling_(plan)
        , prefix_(op.name + "/" + convName(op))
        , operands_(resolveOperands(context, op, plan, tiling_)) {}

    void run() {
        const std::int64_t steps = plan_.splits.serialSteps();
        makeOutput();
        const PlacedStorage arranged = arrangedWeights(steps);
        if (steps > 1) {
            b_.writeUndef(prefix_ + "/serialOut", output_);
            b_.beginRepeat(prefix_ + "/serial", steps);
        }
        OperandGather gather(context_, prefix_ + "/Convolve", OperandGather::Regroup::Yes);
        const VariableId input = bringInput(gather);
        const VariableId weights = bringWeights(gather, arranged, steps);
        gather.emit();
        const VariableId partials = convolve(input, weights);
        const VariableId result = reduce(partials);
        if (steps > 1) {
            update(result);
            b_.end();
        }
    }

private:
    void makeOutput() {
        Storage storage;
        storage.atomSizes = operands_.outputAtomSizes;
        storage.elementBytes = bytesOf(context_.tensor(op_.outputs[0]).type);
        storage.layout.blocking =
            tiling_.outputStorage(operands_.output, vectorGrain(plan_.problem.outType), true);
        storage.layout.order = outputOrder(operands_.output, plan_);
        output_ = context_.makeResult(op_.outputs[0], op_.name + "/out", std::move(storage),
                                      operands_.outputView);
    }

    /// Whether an operand is copied into the plan's order once before it is broadcast (PopLibs
    /// poplin/Convolution.cpp, convolutionImpl): where rearranging it at every destination would
    /// cost more code and copies.
    [[nodiscard]] bool rearrangedFirst(const OperandMove& broadcast,
                                       std::int64_t destinations) const {
        constexpr std::int64_t mostDestinations = 7; // inViewMaxBroadcastDests
        return plan_.problem.pass == TrainingPass::TrainingUpdate ||
               destinations > mostDestinations || plan_.problem.expanded ||
               !plan_.transform.outChanDims.empty() || broadcast.strided();
    }

    VariableId bringInput(OperandGather& gather) {
        PlacedStorage placed = context_.storageOf(operands_.inputTensor);
        const ConvSplits& splits = plan_.splits;
        const Blocking need = tiling_.inputNeed(operands_.input);
        const auto order = inputOrder(operands_.input, plan_);
        const auto moveTo = [&](const Blocking& blocking) {
            return operands_.inputUnfolded
                       ? planUnfold(placed, blocking, operands_.channelAtoms, plan_.grains.inChans)
                       : planMove(placed, blocking, order);
        };
        OperandMove move = moveTo(need);
        if (rearrangedFirst(move, splits.kernelParts() * splits.outChans)) {
            Storage wanted = placed.storage;
            wanted.layout.blocking =
                tiling_.inputStorage(operands_.input, vectorGrain(plan_.problem.inType));
            wanted.layout.order = order;
            if (operands_.inputUnfolded)
                wanted.atomSizes = operands_.unfoldedSizes;
            const OperandMove once = moveTo(wanted.layout.blocking);
            placed = rearrangeOnce(context_, prefix_, "actsRearranged", placed, once, wanted);
            move = planMove(placed, need, order);
        }
        // Neighbours with different output channels want the same input.
        const bool shared = splits.outChans % b_.target().tilesPerSharedBus == 0;
        return gather.bring(placed, move, "actsRearranged", shared);
    }

    /// The weights in the plan's order, of all serial steps if there are several.
    PlacedStorage arrangedWeights(std::int64_t steps) {
        const PlacedStorage placed = context_.storageOf(operands_.weightsTensor);
        const auto order = weightsOrder(operands_.weights, plan_);
        const auto moveTo = [&](const Blocking& blocking) {
            return operands_.weightsUnfolded
                       ? planUnfold(placed, blocking, operands_.channelAtoms, plan_.grains.inChans)
                       : planMove(placed, blocking, order);
        };
        const ConvSplits& splits = plan_.splits;
        const bool sliced = steps > 1 && !operands_.weightsOwned;
        if (!sliced && !rearrangedFirst(moveTo(tiling_.weightsNeed(operands_.weights)),
                                        splits.fieldParts() * splits.batch))
            return placed;
        Storage wanted = placed.storage;
        wanted.layout.blocking =
            tiling_.weightsStorage(operands_.weights, vectorGrain(plan_.problem.inType), true);
        wanted.layout.order = order;
        if (operands_.weightsUnfolded)
            wanted.atomSizes = operands_.unfoldedSizes;
        const OperandMove once = moveTo(wanted.layout.blocking);
        return rearrangeOnce(context_, prefix_, "weightsRearranged", placed, once, wanted);
    }

    VariableId bringWeights(OperandGather& gather, PlacedStorage placed, std::int64_t steps) {
        if (steps > 1) {
            // One step's slice of the weights: cut out on the tile, then broadcast.
            const Blocking slice =
                tiling_.weightsStorage(operands_.weights, vectorGrain(plan_.problem.inType), false);
            const TileSeries elements = slice.elements();
            const VariableId sliced =
                b_.variable(prefix_ + "/weightsSerialSlice", MemoryCategory::Variable,
                            elements.scaled(placed.storage.elementBytes),
                            std::string(toString(plan_.problem.inType)));
            sliceStep(prefix_ + "/weightsSerialSlice", "popops::DynamicSlice1D", elements,
                      {{placed.variable}, {sliced}});
            placed.variable = sliced;
            placed.storage.layout.blocking = slice;
        }
        OperandMove move = planMove(placed, tiling_.weightsNeed(operands_.weights),
                                    weightsOrder(operands_.weights, plan_));
        if (const std::int64_t groups = plan_.transform.combinedGroups; groups > 1) {
            // Zeros go between the weights of the combined groups: each block of one group's
            // channels is copied to its place.
            move.runBytes = bytesOf(plan_.problem.inType) * plan_.problem.inChans / groups;
            move.bytes = move.bytes.scaled(groups);
        }
        return gather.bring(placed, move, "weightsRearranged");
    }

    void sliceStep(const std::string& name, std::string_view vertex, const TileSeries& elements,
                   Access access) {
        const DataType type = plan_.problem.inType;
        const TileSeries cycles = TileSeries::zip(elements, {}, [&](std::int64_t n, std::int64_t) {
            return dynamicSliceCycles(b_.target(), n, type);
        });
        b_.execute(name, cycles, {{fmt::format("{}<{}>", vertex, toString(type)), ones(elements)}},
                   std::move(access));
    }

    static TileSeries ones(const TileSeries& series) {
        return TileSeries::zip(series, {}, [](std::int64_t, std::int64_t) { return 1; });
    }

    VariableId convolve(VariableId input, VariableId weights) {
        const ConvProblem& p = plan_.problem;
        const std::int32_t tiles = tiling_.tiles();
        std::vector<std::int64_t> cycles;
        std::vector<std::int64_t> worklists;
        bool oneByOne = true;
        for (std::int32_t nth = 0; nth < tiles; ++nth) {
            const ConvTileSizes sizes = tiling_.sizesOf(nth);
            oneByOne = oneByOne && sizes.kernelElements() == 1;
            const bool idle = sizes.partialElements() == 0 || sizes.inChans == 0;
            cycles.push_back(idle ? 0
                                  : convolveCycles(b_.target(), plan_.method, plan_.convUnits,
                                                   plan_.grains, sizes, p.inType, p.partialType));
            worklists.push_back(idle ? 0 : b_.target().workers * worklistBytesPerPartition);
        }
        const TileSeries series = TileSeries::fromDense(cycles);
        const VariableId lists = b_.alwaysLive(prefix_ + "/worklists", MemoryCategory::Constant,
                                               TileSeries::fromDense(worklists), "unsigned short");
        const bool direct = plan_.splits.reductionDepth() == 1 && p.partialType == p.outType &&
                            plan_.splits.serialSteps() == 1;
        const VariableId partials =
            direct ? output_
                   : b_.variable(prefix_ + "/partials", MemoryCategory::Variable,
                                 tiling_.partials().elements().scaled(bytesOf(p.partialType)),
                                 std::string(toString(p.partialType)), {}, {true, {}});
        b_.execute(prefix_ + "/Convolve", series,
                   {{convolveVertex(b_.target(), plan_, oneByOne), ones(series)}},
                   {{input, weights, lists}, {partials}});
        return partials;
    }

    /// Each stage: tiles of a group exchange so that each adds its share of the outputs.
    VariableId reduce(VariableId partials) {
        const ConvProblem& p = plan_.problem;
        const std::vector<std::int64_t> depths = plan_.reductionStages();
        if (depths.empty())
            return p.partialType == p.outType ? partials : cast(partials);
        const auto stages = reduceInStages(
            tiling_.outputStorage(operands_.output, vectorGrain(p.outType), false), depths);
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
        movement.add(b_.target(), stage.traffic, bytesOf(type), 4 * bytesOf(type));
        b_.exchange(b_.exchangeName(name), std::move(movement), {{from}, {gathered}});
        const bool serial = plan_.splits.serialSteps() > 1;
        const VariableId result =
            last && !serial
                ? output_
                : b_.variable(prefix_ + "/partialReduceOut", MemoryCategory::Variable,
                              stage.results.scaled(bytesOf(to)), std::string(toString(to)));
        const TileSeries cycles =
            TileSeries::zip(stage.results, {}, [&](std::int64_t n, std::int64_t) {
                return reduceAddCycles(b_.target(), n, stage.depth, type, to);
            });
        b_.execute(name, cycles,
                   {{fmt::format("poplin::ReduceAdd<{},{},false>", toString(to), toString(type)),
                     ones(stage.results)}},
                   {{gathered}, {result}});
        return result;
    }

    VariableId cast(VariableId partials) {
        const ConvProblem& p = plan_.problem;
        const TileSeries elements = tiling_.partials().elements();
        const bool serial = plan_.splits.serialSteps() > 1;
        const VariableId result = serial ? b_.variable(prefix_ + "/cast", MemoryCategory::Variable,
                                                       elements.scaled(bytesOf(p.outType)),
                                                       std::string(toString(p.outType)))
                                         : output_;
        const TileSeries cycles = TileSeries::zip(elements, {}, [&](std::int64_t n, std::int64_t) {
            return castCycles(b_.target(), n, p.partialType, p.outType);
        });
        b_.execute(
            prefix_ + "/Cast", cycles,
            {{fmt::format("popops::Cast1D<{},{}>", toString(p.partialType), toString(p.outType)),
              ones(elements)}},
            {{partials}, {result}});
        return result;
    }

    /// Puts a serial step's result into the whole: a slice of the output channels, or a sum over
    /// slices of the input channels.
    void update(VariableId result) {
        const TileSeries elements =
            tiling_.outputStorage(operands_.output, vectorGrain(plan_.problem.outType), false)
                .elements();
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
    std::string prefix_;
    ConvOperands operands_;
    VariableId output_;
};

} // namespace

void lowerConvolution(LoweringContext& context, const Op& op) {
    const OpId id = context.current();
    ConvLowering(context, op, context.plans().planOf(id)).run();
}

} // namespace tilescope::sim
