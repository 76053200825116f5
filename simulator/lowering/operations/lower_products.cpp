#include "simulator/cost/elementwise_cycles.h"
#include "simulator/lowering/operations/like_result.h"

namespace tilescope::sim {

bool overwritesState(LoweringContext& context, TensorId result, OpId last) {
    const TensorId state = context.tensor(result).layoutOf;
    return context.isLoopBody() && state.valid() && context.hasPlace(state) &&
           context.tensor(state).role == TensorRole::Input &&
           context.tensor(state).shape == context.tensor(result).shape &&
           !context.isReadAfter(state, last);
}

namespace {

/// The other operand, if this is a product of tensors of one shape of which `factor` is one.
TensorId otherFactor(LoweringContext& context, const Op& op, TensorId factor) {
    const auto* attributes = std::get_if<ElementwiseAttributes>(&op.attributes);
    if (!attributes || attributes->function != ElementwiseFunction::Multiply ||
        op.inputs.size() != 2)
        return {};
    const Shape& shape = context.tensor(op.outputs[0]).shape;
    if (context.tensor(op.inputs[0]).shape != shape || context.tensor(op.inputs[1]).shape != shape)
        return {};
    return op.inputs[0] == factor   ? op.inputs[1]
           : op.inputs[1] == factor ? op.inputs[0]
                                    : TensorId();
}

struct Product {
    TensorId base, other, result;
};

/// Products of one tensor with several, one after the other in a step of a loop: popnn multiplies
/// it with their concatenation (popnn/Lstm.cpp and Gru.cpp, backwardStepImpl).
std::vector<Product> productsWith(LoweringContext& context, TensorId factor) {
    const Graph& graph = context.graph();
    std::vector<Product> products;
    for (std::size_t i = context.current().index(); i < graph.ops.size(); ++i) {
        const Op& next = graph.ops[OpId(i)];
        const TensorId other = otherFactor(context, next, factor);
        if (!other.valid() || !context.hasPlace(other) ||
            !(context.heldElements(other) == context.heldElements(factor)))
            break;
        products.push_back({factor, other, next.outputs[0]});
    }
    return products;
}

/// Two products that the next operation adds: popnn multiplies concatenations (popnn/Lstm.cpp,
/// basicLstmCellForwardPass, {Forget + Input}Gate).
std::vector<Product> productsOfSum(LoweringContext& context) {
    const Graph& graph = context.graph();
    const std::size_t first = context.current().index();
    if (first + 2 >= graph.ops.size())
        return {};
    std::vector<Product> products;
    for (std::size_t i = first; i < first + 2; ++i) {
        const Op& op = graph.ops[OpId(i)];
        const TensorId other =
            op.inputs.empty() ? TensorId() : otherFactor(context, op, op.inputs[0]);
        if (!other.valid() || !context.hasPlace(other) || !context.hasPlace(op.inputs[0]) ||
            !(context.heldElements(other) == context.heldElements(op.inputs[0])))
            return {};
        products.push_back({op.inputs[0], other, op.outputs[0]});
    }
    const Op& sum = graph.ops[OpId(first + 2)];
    const auto* attributes = std::get_if<ElementwiseAttributes>(&sum.attributes);
    const std::vector<TensorId> made{products[0].result, products[1].result};
    const bool adds = attributes && attributes->function == ElementwiseFunction::Add;
    const bool isAlike =
        context.heldElements(products[0].base) == context.heldElements(products[1].base);
    return adds && isAlike && sum.inputs == made ? products : std::vector<Product>();
}

/// True if the result is where one of the operands is.
bool placeProduct(LoweringContext& context, const Product& product, bool shared, OpId last) {
    const auto& [base, other, result] = product;
    if (overwritesState(context, result, last)) {
        const TensorId state = context.tensor(result).layoutOf;
        context.makeView(result, state, context.viewOf(state));
        return state == base || state == other;
    }
    const PlacedStorage& placed = context.storageOf(base);
    if (!shared && placed.role == TensorRole::Activation && !placed.parts &&
        !context.isReadAfter(base, last)) {
        context.makeView(result, base, context.viewOf(base));
        return true;
    }
    context.makeResult(result, context.tensor(result).name + "/out", placed.storage,
                       context.viewOf(base));
    return false;
}

/// Makes several products in one compute set; those of one tensor do not overwrite it.
void multiplyAll(LoweringContext& context, const Op& op, const std::vector<Product>& products) {
    const std::string name = computeSetName(op, ElementwiseFunction::Multiply);
    const DataType type = context.tensor(products.front().base).type;
    const OpId last(context.current().index() + products.size() - 1);
    OperandGather gather(context, name);
    Access access;
    TileSeries elements;
    const bool shared = products[0].base == products[1].base;
    bool inPlace = true;
    for (std::size_t i = 0; i < products.size(); ++i) {
        const auto& [base, other, result] = products[i];
        if (i == 0 || base != products[i - 1].base)
            access.reads.push_back(context.variableOf(base));
        inPlace = placeProduct(context, products[i], shared, last) && inPlace;
        access.writes.push_back(context.variableOf(result));
        access.reads.push_back(
            bringLike(context, gather, result, other, i + 1, CopyCause::OtherOperand));
        elements += context.heldElements(result);
    }
    gather.emit();
    const TileSeries cycles = elements.mapped([&](std::int64_t n) {
        return elementwiseCycles(context.target(), ElementwiseFunction::Multiply, Operands::Binary,
                                 inPlace, type, n);
    });
    context.builder().execute(
        name, cycles,
        {{elementwiseVertex(ElementwiseFunction::Multiply, Operands::Binary, inPlace, type, type),
          elements.ones()}},
        std::move(access));
}

} // namespace

bool multiplyTogether(LoweringContext& context, const Op& op) {
    for (const TensorId factor : op.inputs)
        if (context.hasPlace(factor))
            if (const auto products = productsWith(context, factor); products.size() > 1) {
                multiplyAll(context, op, products);
                return true;
            }
    const std::vector<Product> products = productsOfSum(context);
    if (!products.empty())
        multiplyAll(context, op, products);
    return !products.empty();
}

} // namespace tilescope::sim
