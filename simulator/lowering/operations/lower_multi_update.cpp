#include <algorithm>
#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "core/base/error.h"
#include "simulator/cost/elementwise_cycles.h"
#include "simulator/cost/reduce_cycles.h"
#include "simulator/cost/slice_cycles.h"
#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/operations/conv_reduction.h"
#include "simulator/lowering/operations/embedding_layout.h"
#include "simulator/lowering/operations/embedding_operands.h"
#include "simulator/lowering/operations/families.h"

namespace tilescope::sim {
namespace {

/// "multiUpdateAdd": PopLibs' name of the function.
std::string functionName(UpdateFunction function) {
    switch (function) {
    case UpdateFunction::Add:
        return "multiUpdateAdd";
    case UpdateFunction::Set:
        return "multiUpdate";
    case UpdateFunction::Multiply:
        return "multiUpdateMul"; // PopLibs has none: *assumed* to be as the addition
    case UpdateFunction::Max:
        return "multiUpdateMax";
    }
    throw InternalError("an update by no function");
}

/// "popops::MultiUpdateAdd<half>"
std::string updateVertex(UpdateFunction function, DataType type) {
    std::string name = functionName(function);
    name.front() = 'M';
    return fmt::format("popops::{}<{}>", name, toString(type));
}

/// Adds rows to a table as planned (PopLibs popops/DynamicSlice.cpp, multiUpdateAdd): in place, or,
/// where look-up parts share the table, to zeroed copies of its blocks that are then added up.
/// Other functions than addition are cut over the tiles alike.
class UpdateLowering {
public:
    UpdateLowering(LoweringContext& context, const Op& op, const EmbeddingPlan& plan)
        : context_(context)
        , b_(context.builder())
        , op_(op)
        , layout_(plan)
        , function_(std::get<MultiUpdateAttributes>(op.attributes).function)
        , axis_(static_cast<std::size_t>(std::get<MultiUpdateAttributes>(op.attributes).axis))
        , table_(op.inputs[0])
        , count_(context.tensor(op.inputs[1]).elements())
        , type_(context.tensor(table_).type)
        , partialType_(plan.partialType())
        , name_(op.name + "/" + functionName(function_)) {}

    void run() {
        ensureTable(context_, layout_, table_, axis_);
        shareTable(context_, layout_, table_, axis_);
        context_.ensurePlace(op_.inputs[1]);
        planned_ = context_.ensurePlace(op_.inputs[2], [&] {
            return std::pair(
                layout_.slices(count_, 1, bytesOf(context_.tensor(op_.inputs[2]).type)),
                ViewDims{{0}, {1, 2}});
        });
        // A table that lies otherwise than planned has no copies for the parts.
        inParts_ = layout_.plan().splits.lookups > 1 &&
                   context_.storageOf(table_).storage.layout.blocking.copyCount() > 1;
        if (inParts_)
            updatePartials();
        else
            updateInPlace();
        context_.makeView(op_.outputs[0], table_, context_.viewOf(table_));
    }

private:
    /// The rows to add, on every tile that has a part of the table's rows.
    VariableId bringDeltas(const PlacedStorage& placed, OperandGather& gather) {
        const Blocking need = layout_.wholeSlices(count_);
        if (planned_)
            return gather.bring(
                placed, planMove(context_, placed, need, placed.storage.layout.order), "slices");
        // Another layout: all needed elements come from where they are.
        OperandMove move;
        move.traffic.received = need.elements();
        move.traffic.total = move.traffic.received.sum();
        const TileSeries held = placed.storage.layout.blocking.elements();
        move.traffic.sent = shareOut(move.traffic.total, held);
        move.traffic.receivers = receiversOf(move.traffic.total, held.sum());
        const std::int64_t sources = held.tilesUsed() / layout_.plan().splits.unsliced + 1;
        move.traffic.messages = move.traffic.received.mapped(
            [&](std::int64_t n) { return std::min<std::int64_t>(n, sources); });
        move.bytes = move.traffic.received.scaled(placed.storage.elementBytes);
        move.runBytes = std::max<std::int64_t>(8, placed.storage.elementBytes);
        return gather.bring(placed, move, "slices");
    }

    [[nodiscard]] std::int64_t perPart() const {
        const std::int64_t parts = inParts_ ? layout_.plan().splits.lookups : 1;
        return std::max<std::int64_t>(1, ceilDiv(count_, parts));
    }

    void update(const TileSeries& tiles, const std::vector<VariableId>& reads, VariableId written) {
        // Rows that are overwritten are copied as a look-up copies them.
        const std::int64_t each =
            function_ == UpdateFunction::Set
                ? multiSliceCycles(context_.target(), perPart(), layout_.plan().columns())
                : multiUpdateCycles(context_.target(), perPart(), layout_.plan().columns(),
                                    partialType_);
        const TileSeries cycles = tiles.ones().scaled(each);
        std::vector<VariableId> all = reads;
        all.push_back(written);
        b_.execute(name_, cycles, {{updateVertex(function_, partialType_), tiles.ones()}},
                   {std::move(all), {written}});
    }

    void updateInPlace() {
        const PlacedStorage table = context_.storageOf(table_);
        OperandGather gather(context_, name_);
        const VariableId indices = bringIndices(context_, layout_, op_.inputs[1], gather);
        const VariableId deltas = bringDeltas(context_.storageOf(op_.inputs[2]), gather);
        gather.emit();
        preferApart(b_, {table.variable, indices, deltas});
        update(table.storage.layout.blocking.elements(), {indices, deltas}, table.variable);
    }

    VariableId variable(const std::string& suffix, const TileSeries& elements, DataType type) {
        return b_.variable(name_ + suffix, MemoryCategory::Variable, elements.scaled(bytesOf(type)),
                           std::string(toString(type)));
    }

    void cast(const std::string& name, const TileSeries& elements, DataType from, DataType to,
              VariableId source, VariableId target) {
        const TileSeries cycles = elements.mapped([&](std::int64_t n) {
            return elementwiseCycles(context_.target(), ElementwiseFunction::Cast, Operands::Unary,
                                     false, to, n);
        });
        b_.execute(name, cycles,
                   {{elementwiseVertex(ElementwiseFunction::Cast, Operands::Unary, false, from, to),
                     elements.ones()}},
                   {{source}, {target}});
    }

    void updatePartials() {
        const PlacedStorage table = context_.storageOf(table_);
        const TileSeries stored = table.storage.layout.blocking.elements();
        Blocking blocks = table.storage.layout.blocking;
        blocks.copiesShare = false;
        const TileSeries whole = blocks.elements();

        PlacedStorage deltas = context_.storageOf(op_.inputs[2]);
        if (type_ != partialType_) {
            const TileSeries held = deltas.storage.layout.blocking.elements();
            const VariableId wide = variable("/CastSlices/out", held, partialType_);
            b_.keepApart(wide, deltas.variable);
            cast(name_ + "/CastSlices", held, type_, partialType_, deltas.variable, wide);
            deltas.variable = wide;
            deltas.storage.elementBytes = bytesOf(partialType_);
        }
        const VariableId partials = variable("/gathered", whole, partialType_);
        const TileSeries fill = whole.mapped(
            [&](std::int64_t n) { return fillCycles(context_.target(), n, partialType_); });
        b_.execute(name_ + "/zeroPartials", fill,
                   {{fmt::format("popops::Fill<{}>", toString(partialType_)), whole.ones()}},
                   {{}, {partials}});
        OperandGather gather(context_, name_);
        const VariableId indices = bringIndices(context_, layout_, op_.inputs[1], gather);
        const VariableId rows = bringDeltas(deltas, gather);
        gather.emit();
        preferApart(b_, {partials, indices, rows});
        update(whole, {indices, rows}, partials);
        addToTable(table, stored, sumPartials(table.storage.layout.blocking, partials));
    }

    /// Each tile adds up the look-up parts' changes of its share of a block.
    VariableId sumPartials(const Blocking& table, VariableId partials) {
        const std::string name = name_ + "/Reduce/ReduceFinalStage/IntermediateToOutput/Reduce";
        const std::vector<ReductionStage> stages =
            reduceInStages(table, {layout_.plan().splits.lookups});
        const ReductionStage& stage = stages.front();
        const std::int64_t bytes = bytesOf(partialType_);
        const VariableId gathered =
            b_.variable(name + "/partials", MemoryCategory::Message, stage.gathered.scaled(bytes),
                        std::string(toString(partialType_)));
        Movement movement;
        movement.add(context_.target(), stage.traffic, bytes, bytes * layout_.plan().columns());
        b_.exchange(b_.names().exchangeName(name), std::move(movement), {{partials}, {gathered}});
        const VariableId sums = variable("/opUpdates", stage.results, partialType_);
        const TileSeries cycles = stage.results.mapped([&](std::int64_t n) {
            return balancedReduceCycles(context_.target(), n, stage.depth, partialType_);
        });
        b_.execute(
            name, cycles,
            {{reduceVertex(ReduceFunction::Add, partialType_, partialType_), stage.results.ones()}},
            {{gathered}, {sums}});
        return sums;
    }

    void addToTable(const PlacedStorage& table, const TileSeries& stored, VariableId sums) {
        VariableId base = table.variable;
        if (type_ != partialType_) {
            base = variable("/castBase/out", stored, partialType_);
            b_.keepApart(base, table.variable);
            cast(name_ + "/castBase", stored, type_, partialType_, table.variable, base);
        }
        const TileSeries cycles = stored.mapped([&](std::int64_t n) {
            return elementwiseCycles(context_.target(), ElementwiseFunction::ScaledAdd,
                                     Operands::Binary, true, partialType_, n);
        });
        b_.execute(name_ + "/updateBase/AddTo", cycles,
                   {{elementwiseVertex(ElementwiseFunction::ScaledAdd, Operands::Binary, true,
                                       partialType_, partialType_),
                     stored.ones()}},
                   {{base, sums}, {base}});
        if (type_ != partialType_)
            cast(name_ + "/castBaseBack", stored, partialType_, type_, base, table.variable);
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    const Op& op_;
    EmbeddingLayout layout_;
    UpdateFunction function_;
    std::size_t axis_;
    TensorId table_;
    std::int64_t count_;
    DataType type_, partialType_;
    std::string name_;
    bool planned_ = false; ///< the rows to add lie as planned
    bool inParts_ = false; ///< each look-up part adds to a copy of the table's block
};

} // namespace

void lowerMultiUpdate(LoweringContext& context, const Op& op) {
    UpdateLowering(context, op, context.embeddingPlanOf(context.current())).run();
}

} // namespace tilescope::sim
