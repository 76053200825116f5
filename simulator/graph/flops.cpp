// Floating-point operations of an op, counted on its shapes.
#include <numeric>

#include "simulator/graph/custom_amount.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

namespace {

double product(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), 1.0, std::multiplies<>());
}

struct Flops {
    const Graph& graph;
    const Op& op;

    [[nodiscard]] const Shape& input(std::size_t i) const {
        return graph.tensors[op.inputs.at(i)].shape;
    }
    [[nodiscard]] double outputElements() const {
        return product(graph.tensors[op.outputs.at(0)].shape);
    }

    double operator()(const ConvAttributes& conv) const {
        const double perOutput = static_cast<double>(input(1).at(1)) * product(conv.kernel);
        return 2 * outputElements() * perOutput;
    }
    // A gradient takes the products of the forward convolution once more.
    double operator()(const ConvGradInputAttributes& gradient) const {
        const Shape& weights = input(1);
        return 2 * product(input(0)) * static_cast<double>(weights.at(1)) *
               product(gradient.conv.kernel);
    }
    double operator()(const ConvGradWeightsAttributes& gradient) const {
        const std::int64_t channels = input(0).at(1) / gradient.conv.groups;
        return 2 * product(input(1)) * static_cast<double>(channels) *
               product(gradient.conv.kernel);
    }
    double operator()(const MatMulAttributes& matmul) const {
        const Shape& a = input(0);
        const auto inner = a.at(a.size() - (matmul.transposeA ? 2 : 1));
        return 2 * outputElements() * static_cast<double>(inner);
    }
    double operator()(const ElementwiseAttributes& elementwise) const {
        if (!traitsOf(elementwise.function).countsFlops)
            return 0;
        const std::size_t operands = op.inputs.size();
        return outputElements() * static_cast<double>(operands > 1 ? operands - 1 : 1);
    }
    double operator()(const ReduceAttributes& reduce) const {
        const bool twoSteps = reduce.function == ReduceFunction::SquareAdd ||
                              reduce.function == ReduceFunction::LogAdd;
        return product(input(0)) * (twoSteps ? 2 : 1);
    }
    double operator()(const JointReduceAttributes& joint) const {
        double sum = 0;
        for (const ReduceFunction function : joint.functions)
            sum += product(input(0)) * (function == ReduceFunction::SquareAdd ? 2 : 1);
        return sum;
    }
    // Sum, square and sum of squares, then centre, whiten, scale and shift.
    double operator()(const NormAttributes&) const { return product(input(0)) * 7; }
    double operator()(const PoolAttributes& pool) const {
        return outputElements() * product(pool.kernel);
    }
    // Square and window sum, then scale, offset, power and divide.
    double operator()(const LrnAttributes& lrn) const {
        return outputElements() * (static_cast<double>(lrn.size) + 5);
    }
    // Maximum, subtract, exponent, sum and divide.
    double operator()(const SoftmaxAttributes&) const { return outputElements() * 5; }
    double operator()(const CustomAttributes& custom) const {
        FormulaValues values{{"N", outputElements()}, {"n", outputElements()}};
        for (const char* name : {"workers", "tiles"})
            values[name] = 1;
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            values["IN" + std::to_string(i)] = product(input(i));
            values["in" + std::to_string(i)] = product(input(i));
        }
        return customAmount(op, "flops", custom.cost.flops, values);
    }
    template <class Kind> double operator()(const Kind&) const requires(!Kind::traits.countsFlops) {
        return 0;
    }
};

} // namespace

double flopsOf(const Graph& graph, const Op& op) {
    return std::visit(Flops{graph, op}, op.attributes);
}

} // namespace tilescope::sim
