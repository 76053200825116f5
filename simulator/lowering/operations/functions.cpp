#include "simulator/lowering/operations/functions.h"

#include "core/base/error.h"
#include "simulator/lowering/movement/call_copies.h"
#include "simulator/lowering/operations/lower_op.h"

namespace tilescope::sim {

LoweredFunctions::LoweredFunctions(const Graph& graph, const LoweringOptions& options,
                                   const PlanTable& plans, ProgramBuilder& builder,
                                   TrafficTable& traffic)
    : graph_(graph)
    , options_(options)
    , plans_(plans)
    , builder_(builder)
    , traffic_(traffic)
    , functions_(graph.functions.size()) {}

LoweredFunction& LoweredFunctions::get(FunctionIndex index,
                                       const std::function<void(LoweringContext&)>& placeInputs) {
    LoweredFunction& made = functions_.at(index.index());
    if (made.context)
        return made;
    const Graph& graph = graph_.functions[index.index()];
    made.context = std::make_unique<LoweringContext>(graph, options_, plans_, builder_, traffic_,
                                                     *this, index);
    made.overwrites = overwritesOf(graph, graph_.functions);
    placeInputs(*made.context);
    made.program = builder_.beginFunction(graph.name);
    for (std::size_t i = 0; i < graph.ops.size(); ++i)
        lowerOp(*made.context, OpId(i));
    builder_.end();
    return made;
}

LoweringContext& LoweredFunctions::bodyOf(FunctionIndex index) {
    LoweredFunction& made = functions_.at(index.index());
    if (made.context)
        throw InternalError("a loop's body is lowered twice");
    made.context = std::make_unique<LoweringContext>(graph_.functions[index.index()], options_,
                                                     plans_, builder_, traffic_, *this, index);
    return *made.context;
}

namespace {

class CallLowering {
public:
    CallLowering(LoweringContext& context, const Op& op)
        : context_(context)
        , b_(context.builder())
        , op_(op)
        , operation_(b_.operation())
        , ipu_(b_.ipu())
        , function_(lowered())
        , inside_(*function_.context) {
        b_.setOperation(operation_);
        b_.setIpu(ipu_);
    }

    void run() {
        copyIn();
        const ProgramId call = b_.call(op_.name, function_.program);
        for (const TensorId output : inside_.graph().outputs)
            if (!inside_.storageOf(output).source.valid())
                b_.lowered().kills.emplace(call, inside_.variableOf(output));
        copyOut();
    }

private:
    LoweredFunction& lowered() {
        return context_.functions().get(
            FunctionIndex(std::get<CallAttributes>(op_.attributes).function),
            [&](LoweringContext& inside) {
                for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
                    const TensorId operand = op_.inputs[i];
                    const TensorId like = context_.tensor(operand).layoutOf;
                    if (like.valid() && context_.hasPlace(like))
                        context_.ensurePlace(operand);
                    if (context_.hasPlace(operand))
                        inside.ensurePlace(inside.graph().inputs[i], [&] {
                            return std::pair(context_.storageOf(operand).storage,
                                             context_.viewOf(operand));
                        });
                }
            });
    }

    void copyIn() {
        CallCopies copies(context_, op_.name + "/callInputs");
        for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
            const PlacedStorage* input = inside_.arrivalOf(inside_.graph().inputs[i]);
            if (input == nullptr)
                continue; // the function never reads it
            context_.ensurePlace(op_.inputs[i],
                                 [&] { return std::pair(input->storage, input->sourceView); });
            copies.add(op_.inputs[i], *input, input->sourceView);
        }
        copies.emit();
    }

    void copyOut() {
        CallCopies copies(context_, op_.name + "/callOutputs");
        for (std::size_t i = 0; i < op_.outputs.size(); ++i) {
            const TensorId from = inside_.graph().outputs[i];
            const TensorId to = op_.outputs[i];
            // Another call of the function may need a result that this one does not.
            if (!context_.isRead(to))
                continue;
            if (const std::int32_t input = function_.overwrites.outputs[i]; input >= 0) {
                const TensorId operand = op_.inputs[static_cast<std::size_t>(input)];
                context_.makeView(to, operand, context_.viewOf(operand));
                continue;
            }
            context_.makeResult(to, context_.tensor(to).name, inside_.storageOf(from).storage,
                                inside_.viewOf(from));
            copies.addAlike(inside_.variableOf(from), context_.storageOf(to));
        }
        copies.emit();
        copyBack();
    }

    void copyBack() {
        CallCopies copies(context_, op_.name + "/callModified");
        for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
            const TensorId operand = op_.inputs[i];
            if (!function_.overwrites.inputs[i] || context_.isLastUse(operand))
                continue;
            const PlacedStorage& input = *inside_.arrivalOf(inside_.graph().inputs[i]);
            copies.addBack(operand, input, input.sourceView);
        }
        copies.emit();
    }

    LoweringContext& context_;
    ProgramBuilder& b_;
    const Op& op_;
    OperationId operation_;
    IpuId ipu_;
    LoweredFunction& function_;
    LoweringContext& inside_;
};

} // namespace

void lowerCall(LoweringContext& context, const Op& op) {
    CallLowering(context, op).run();
}

} // namespace tilescope::sim
