// Operations that a user has declared: results are laid out like the first operand of their shape;
// cycles and bytes of each tile follow from its elements.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "simulator/graph/custom_amount.h"
#include "simulator/lowering/movement/views.h"
#include "simulator/lowering/operations/families.h"
#include "simulator/lowering/operations/like_result.h"

namespace tilescope::sim {
namespace {

class CustomLowering {
public:
    CustomLowering(LoweringContext& context, const Op& op)
        : context_(context)
        , op_(op)
        , custom_(std::get<CustomAttributes>(op.attributes))
        , name_(fmt::format("{}/{}", op.name,
                            custom_.cost.vertex.substr(0, custom_.cost.vertex.find('<')))) {}

    void run() {
        placeResult();
        ProgramBuilder& b = context_.builder();
        OperandGather gather(context_, name_);
        Access access;
        for (std::size_t i = 0; i < op_.inputs.size(); ++i)
            access.reads.push_back(bring(i, gather));
        gather.emit();
        const TileSeries elements = resultElements();
        const TileSeries temporary = each(elements, custom_.cost.temporaryBytes, "temporaryBytes");
        access.writes.push_back(context_.variableOf(op_.outputs[0]));
        if (temporary.sum() > 0) {
            const VariableId scratch =
                b.variable(name_ + "/temporary", MemoryCategory::Variable, temporary);
            b.writeUndef(name_ + "/temporary", scratch);
            access.reads.push_back(scratch);
            access.writes.push_back(scratch);
        }
        VertexUse use{custom_.cost.vertex, elements.ones()};
        use.instanceBytes = each(elements, custom_.cost.stateBytes, "stateBytes");
        use.codeBytes = custom_.cost.codeBytes;
        b.execute(name_, each(elements, custom_.cost.cycles, "cycles"), {use}, std::move(access));
    }

private:
    [[nodiscard]] TileSeries resultElements() {
        return context_.storageOf(op_.outputs[0]).storage.layout.blocking.elements();
    }

    void placeResult() {
        const TensorId out = op_.outputs[0];
        const Tensor& t = context_.tensor(out);
        for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
            if (custom_.inputs[i] != CustomLayout::LikeResult ||
                context_.tensor(op_.inputs[i]).shape != t.shape)
                continue;
            context_.ensurePlace(op_.inputs[i]);
            Storage storage = context_.storageOf(op_.inputs[i]).storage;
            storage.elementBytes = bytesOf(t.type);
            context_.makeResult(out, op_.name + "/out", std::move(storage),
                                context_.viewOf(op_.inputs[i]));
            return;
        }
        context_.makeResult(out, op_.name + "/out",
                            linearStorage(t.shape, bytesOf(t.type), context_.target().tilesPerIpu),
                            identityView(t.shape.size()));
    }

    VariableId bring(std::size_t i, OperandGather& gather) {
        const TensorId operand = op_.inputs[i];
        if (custom_.inputs[i] == CustomLayout::LikeResult)
            return bringLike(context_, gather, op_.outputs[0], operand, i, CopyCause::OtherOperand);
        context_.ensurePlace(operand);
        if (custom_.inputs[i] == CustomLayout::Linear) {
            rearrangeToLinear(context_, operand);
            return context_.variableOf(operand);
        }
        // All of it on every tile that makes a part of the result.
        const PlacedStorage placed = context_.storageOf(operand);
        const TileSeries held = placed.storage.layout.blocking.elements();
        const std::int64_t all = context_.tensor(operand).elements();
        OperandMove move;
        move.traffic.received = resultElements().ones().scaled(all);
        move.traffic.total = move.traffic.received.sum();
        move.traffic.sent = shareOut(move.traffic.total, held);
        move.traffic.receivers = receiversOf(move.traffic.total, held.sum());
        move.traffic.messages = resultElements().ones().scaled(held.tilesUsed());
        move.bytes = move.traffic.received.scaled(placed.storage.elementBytes);
        move.runBytes = std::max<std::int64_t>(8, placed.storage.elementBytes);
        return gather.bring(placed, move, fmt::format("in{}", i));
    }

    /// A formula for each tile that has elements of the result.
    [[nodiscard]] TileSeries each(const TileSeries& elements, const std::string& formula,
                                  const char* key) {
        const auto all = static_cast<double>(context_.tensor(op_.outputs[0]).elements());
        FormulaValues values{{"N", all},
                             {"workers", context_.target().workers},
                             {"tiles", context_.target().tilesPerIpu}};
        return elements.mapped([&](std::int64_t n) {
            values["n"] = static_cast<double>(n);
            for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
                const auto whole = static_cast<double>(context_.tensor(op_.inputs[i]).elements());
                values[fmt::format("IN{}", i)] = whole;
                values[fmt::format("in{}", i)] = shareOf(custom_.inputs[i], whole, n, all);
            }
            return static_cast<std::int64_t>(std::ceil(customAmount(op_, key, formula, values)));
        });
    }

    [[nodiscard]] double shareOf(CustomLayout layout, double whole, std::int64_t n,
                                 double all) const {
        switch (layout) {
        case CustomLayout::LikeResult:
            return std::min(whole, static_cast<double>(n) * std::max(1.0, whole / all));
        case CustomLayout::Linear:
            return std::ceil(whole / context_.target().tilesPerIpu);
        case CustomLayout::Everywhere:
            return whole;
        }
        return whole;
    }

    LoweringContext& context_;
    const Op& op_;
    const CustomAttributes& custom_;
    std::string name_;
};

} // namespace

void lowerCustom(LoweringContext& context, const Op& op) {
    CustomLowering(context, op).run();
}

} // namespace tilescope::sim
