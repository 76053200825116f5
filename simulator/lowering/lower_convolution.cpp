#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "simulator/cost/conv_cycles.h"
#include "simulator/cost/footprint.h"
#include "simulator/lowering/context.h"
#include "simulator/lowering/conv_operands.h"
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
    ConvLowering(LoweringContext& context, const Op& op, const ConvPlan& plan,
                 const ConvMapping& mapping)
        : context_(context)
        , b_(context.builder())
        , op_(op)
        , plan_(plan)
        , tiling_(plan)
        , prefix_(op.name + "/" + convName(op))
        , operands_(resolveOperands(context, op, plan, mapping, tiling_)) {}

    void run() {
        const std::int64_t steps = plan_.splits.serialSteps();
        makeOutput();
        if (steps > 1) {
            b_.writeUndef(prefix_ + "/serialOut", output_);
            b_.beginRepeat(prefix_ + "/serial", steps);
        }
        OperandGather gather(context_, prefix_ + "/Convolve");
        const VariableId input = bringInput(gather);
        const VariableId weights = bringWeights(gather, steps);
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
        storage.layout.order = outputOrder(operands_.output, plan_.grains.outChans);
        output_ = context_.makeResult(op_.outputs[0], op_.name + "/out", std::move(storage),
                                      operands_.outputView);
    }

    VariableId bringInput(OperandGather& gather) {
        const PlacedStorage placed = context_.storageOf(operands_.inputTensor);
        const OperandMove move = planMove(placed, tiling_.inputNeed(operands_.input),
                                          inputOrder(operands_.input, plan_.grains.inChans));
        // Neighbours with different output channels want the same input.
        const bool shared = plan_.splits.outChans % b_.target().tilesPerSharedBus == 0;
        return gather.bring(placed, move, "actsRearranged", shared);
    }

    VariableId bringWeights(OperandGather& gather, std::int64_t steps) {
        PlacedStorage placed = context_.storageOf(operands_.weightsTensor);
        if (steps > 1 && operands_.weightsOwned) {
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
        const OperandMove move = planMove(placed, tiling_.weightsNeed(operands_.weights),
                                          weightsOrder(operands_.weights, plan_.grains));
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
                                 std::string(toString(p.partialType)), {}, {true});
        b_.execute(prefix_ + "/Convolve", series,
                   {{convolveVertex(b_.target(), plan_, oneByOne), ones(series)}},
                   {{input, weights, lists}, {partials}});
        return partials;
    }

    /// Each stage: tiles of a group exchange so that each adds its share of the outputs.
    VariableId reduce(VariableId partials) {
        const ConvProblem& p = plan_.problem;
        const std::vector<std::int64_t> stages = plan_.reductionStages();
        if (stages.empty())
            return p.partialType == p.outType ? partials : cast(partials);
        const std::int64_t depth = plan_.splits.reductionDepth();
        const Blocking whole = tiling_.partials();
        const std::vector<std::int64_t> blocks = whole.elements().toDense(b_.target().totalTiles());
        std::vector<std::int64_t> held = blocks;
        std::int64_t reach = 1;
        std::int64_t copies = depth;
        VariableId from = partials;
        DataType type = p.partialType;
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            const bool last = stage + 1 == stages.size();
            reach = last ? depth : reach * stages[stage];
            const std::int64_t left = last ? 1 : (depth + reach - 1) / reach;
            const auto share = sharesAfter(blocks, reach);
            from = reduceStage(static_cast<int>(stage), held, share, (copies + left - 1) / left,
                               from, type, last);
            type = last ? p.outType : type;
            held = share;
            copies = left;
        }
        return from;
    }

    /// Elements of its output block that each tile adds when groups of `reach` tiles share.
    [[nodiscard]] std::vector<std::int64_t> sharesAfter(const std::vector<std::int64_t>& blocks,
                                                        std::int64_t reach) const {
        const std::int64_t depth = plan_.splits.reductionDepth();
        std::vector<std::int64_t> shares(blocks.size(), 0);
        for (std::int32_t nth = 0; nth < tiling_.tiles(); ++nth) {
            const auto tile = static_cast<std::size_t>(tiling_.tileOf(nth));
            const std::int64_t index = tiling_.reductionIndex(nth);
            const std::int64_t first = index / reach * reach;
            const std::int64_t sharers = std::min(reach, depth - first);
            const std::int64_t at = index - first;
            shares[tile] = (at + 1) * blocks[tile] / sharers - at * blocks[tile] / sharers;
        }
        return shares;
    }

    VariableId reduceStage(int stage, const std::vector<std::int64_t>& held,
                           const std::vector<std::int64_t>& share, std::int64_t copies,
                           VariableId from, DataType type, bool last) {
        const std::string name = fmt::format("{}/Reduce{}", prefix_, stage);
        const TileSeries before = TileSeries::fromDense(held);
        const TileSeries after = TileSeries::fromDense(share);
        Traffic traffic;
        traffic.sent = before - after;
        traffic.total = traffic.sent.sum();
        traffic.received = shareOut(traffic.total, after);
        traffic.messages =
            TileSeries::zip(after, {}, [&](std::int64_t, std::int64_t) { return copies - 1; });
        const TileSeries gatheredElements = traffic.received + after;
        const VariableId gathered =
            b_.variable(name + "/partials", MemoryCategory::Message,
                        gatheredElements.scaled(bytesOf(type)), std::string(toString(type)));
        Movement movement;
        movement.add(b_.target(), traffic, bytesOf(type), 4 * bytesOf(type));
        b_.exchange(b_.exchangeName(name), std::move(movement), {{from}, {gathered}});
        const DataType to = last ? plan_.problem.outType : type;
        const bool serial = plan_.splits.serialSteps() > 1;
        const VariableId result =
            last && !serial ? output_
                            : b_.variable(prefix_ + "/partialReduceOut", MemoryCategory::Variable,
                                          after.scaled(bytesOf(to)), std::string(toString(to)));
        const TileSeries cycles = TileSeries::zip(after, {}, [&](std::int64_t n, std::int64_t) {
            return reduceAddCycles(b_.target(), n, copies, type, to);
        });
        b_.execute(name, cycles,
                   {{fmt::format("poplin::ReduceAdd<{},{},false>", toString(to), toString(type)),
                     ones(after)}},
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
    ConvLowering(context, op, context.plans().planOf(id), context.plans().mappingOf(id)).run();
}

} // namespace tilescope::sim
