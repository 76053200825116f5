#include <algorithm>
#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/cost/slice_cycles.h"
#include "simulator/lowering/movement/copies.h"
#include "simulator/lowering/operations/embedding_layout.h"
#include "simulator/lowering/operations/embedding_operands.h"
#include "simulator/lowering/operations/families.h"

namespace tilescope::sim {
namespace {

/// Looks rows up as planned: every row part of a look-up part makes all its rows, also those that
/// it does not have, and a second stage picks the right ones.
class GatherLowering {
public:
    GatherLowering(LoweringContext& context, const Op& op, const EmbeddingPlan& plan)
        : context_(context)
        , b_(context.builder())
        , op_(op)
        , layout_(plan)
        , axis_(static_cast<std::size_t>(std::get<GatherAttributes>(op.attributes).axis))
        , count_(context.tensor(op.inputs[1]).elements())
        , type_(context.tensor(op.inputs[0]).type)
        , name_(op.name + "/multiSlice")
        , vertex_(fmt::format("popops::MultiSlice<{}>", toString(type_))) {}

    void run() {
        ensureTable(context_, layout_, op_.inputs[0], axis_);
        context_.ensurePlace(op_.inputs[1]);
        OperandGather gather(context_, name_);
        const VariableId table = bringTable(context_, layout_, op_.inputs[0], axis_, gather);
        const VariableId indices = bringIndices(context_, layout_, op_.inputs[1], gather);
        gather.emit();

        Storage storage = layout_.slices(count_, rowsBefore(), bytesOf(resultType()));
        const TileSeries picked = storage.layout.blocking.elements();
        const TileSeries partials = layout_.wholeSlices(count_).elements();
        // In the result's own shape, the looked-up dimensions are between those of the row.
        auto view =
            reshapeView({{1}, {0}, {2}}, context_.tensor(op_.outputs[0]).shape, storage, {});
        if (!view) {
            const Shape& shape = context_.tensor(op_.outputs[0]).shape;
            storage = linearStorage(shape, storage.elementBytes, context_.target().tilesPerIpu);
            view = identityView(shape.size());
        }
        if (layout_.plan().splits.sliced == 1) {
            const VariableId made = context_.makeResult(op_.outputs[0], op_.name + "/out",
                                                        std::move(storage), *std::move(view));
            preferApart(b_, {table, indices, made});
            slice(name_, partials, perPart(), {table, indices}, made);
            return;
        }
        const VariableId partial = partialVariable("/partials", partials);
        preferApart(b_, {table, indices, partial});
        slice(name_, partials, perPart(), {table, indices}, partial);
        const VariableId gathered = secondStageInput(partial, partials, picked);
        const VariableId made = context_.makeResult(op_.outputs[0], op_.name + "/out",
                                                    std::move(storage), *std::move(view));
        const std::int64_t sliced = layout_.plan().splits.sliced;
        slice(name_ + "/secondStage", picked, ceilDiv(perPart(), sliced), {gathered}, made);
    }

private:
    [[nodiscard]] DataType resultType() const { return context_.tensor(op_.outputs[0]).type; }

    [[nodiscard]] std::int64_t rowsBefore() const {
        const Shape& shape = context_.tensor(op_.inputs[0]).shape;
        std::int64_t before = 1;
        for (std::size_t d = 0; d < axis_; ++d)
            before *= shape[d];
        return std::max<std::int64_t>(1, before);
    }

    /// Indices of a look-up part.
    [[nodiscard]] std::int64_t perPart() const {
        const std::int64_t parts = layout_.plan().splits.lookups;
        return std::max<std::int64_t>(1, ceilDiv(count_, parts));
    }

    VariableId partialVariable(const std::string& suffix, const TileSeries& elements) {
        return b_.variable(name_ + suffix, MemoryCategory::Variable,
                           elements.scaled(bytesOf(resultType())),
                           std::string(toString(resultType())));
    }

    /// `made`: elements of the rows that each tile makes, for `indices` indices.
    void slice(const std::string& name, const TileSeries& made, std::int64_t indices,
               std::vector<VariableId> reads, VariableId result) {
        const TileSeries cycles = made.mapped([&](std::int64_t n) {
            return multiSliceCycles(context_.target(), indices, ceilDiv(n, indices));
        });
        b_.execute(name, cycles, {{vertex_, made.ones()}}, {std::move(reads), {result}});
    }

    /// All row parts' results for the rows that a tile has to pick.
    VariableId secondStageInput(VariableId partial, const TileSeries& partials,
                                const TileSeries& picked) {
        const std::int64_t sliced = layout_.plan().splits.sliced;
        Traffic traffic;
        traffic.received = picked.scaled(sliced - 1);
        traffic.total = traffic.received.sum();
        traffic.sent = shareOut(traffic.total, partials);
        traffic.messages = picked.ones().scaled(sliced - 1);
        const std::int64_t bytes = bytesOf(resultType());
        const VariableId gathered =
            b_.variable(name_ + "/secondStage/baseT", MemoryCategory::Message,
                        picked.scaled(sliced * bytes), std::string(toString(resultType())));
        Movement movement;
        movement.add(context_.target(), traffic, bytes, layout_.plan().columns() * bytes);
        b_.exchange(b_.names().exchangeName(name_ + "/secondStage"), std::move(movement),
                    {{partial}, {gathered}});
        return gathered;
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    const Op& op_;
    EmbeddingLayout layout_;
    std::size_t axis_;
    std::int64_t count_;
    DataType type_;
    std::string name_, vertex_;
};

} // namespace

void lowerGather(LoweringContext& context, const Op& op) {
    GatherLowering(context, op, context.embeddingPlanOf(context.current())).run();
}

} // namespace tilescope::sim
