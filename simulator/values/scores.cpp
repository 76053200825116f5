#include "simulator/values/scores.h"

#include <cmath>
#include <limits>

namespace tilescope::sim {
namespace {

/// A tensor as [outer, classes, inner].
struct Split {
    std::int64_t outer = 1, classes = 1, inner = 1;
    [[nodiscard]] std::int64_t at(std::int64_t o, std::int64_t c, std::int64_t i) const {
        return (o * classes + c) * inner + i;
    }
};

Split splitAt(const Shape& shape, std::size_t axis) {
    const auto d = static_cast<std::ptrdiff_t>(axis);
    return {elementsOf({shape.begin(), shape.begin() + d}), shape[axis],
            elementsOf({shape.begin() + d + 1, shape.end()})};
}

bool addsUpToOne(const TensorData& wanted, const Split& split) {
    constexpr double tolerance = 1e-2; // of halves
    for (std::int64_t o = 0; o < split.outer; ++o)
        for (std::int64_t i = 0; i < split.inner; ++i) {
            double sum = 0;
            for (std::int64_t c = 0; c < split.classes; ++c)
                sum += wanted.number(split.at(o, c, i));
            if (std::fabs(sum - 1) > tolerance)
                return false;
        }
    return true;
}

Split classesOf(const TensorData& wanted) {
    const Shape& shape = wanted.shape();
    for (std::size_t d = shape.size(); d-- > 0;)
        if (shape[d] > 1 && addsUpToOne(wanted, splitAt(shape, d)))
            return splitAt(shape, d);
    return {wanted.elements(), 1, 1};
}

/// The product of logarithms and encoded labels to which ONNX's and PopART's losses are converted.
bool isLogLikelihood(const Op& op, const ElementwiseAttributes& function) {
    const bool isLoss = op.type == "NegativeLogLikelihoodLoss" ||
                        op.type == "SoftmaxCrossEntropyLoss" || op.type == "Nll";
    return isLoss && op.pass == Pass::Forward &&
           function.function == ElementwiseFunction::Multiply && op.name.ends_with("/nll");
}

} // namespace

ScoreCount countScores(const TensorData& probabilities, const TensorData& wanted, bool logarithms) {
    ScoreCount count;
    const Split split = classesOf(wanted);
    if (logarithms && split.classes == 1)
        return count;
    for (std::int64_t o = 0; o < split.outer; ++o)
        for (std::int64_t i = 0; i < split.inner; ++i) {
            std::int64_t best = 0;
            std::int64_t right = 0;
            for (std::int64_t c = 1; c < split.classes; ++c) {
                if (probabilities.number(split.at(o, c, i)) >
                    probabilities.number(split.at(o, best, i)))
                    best = c;
                if (wanted.number(split.at(o, c, i)) > wanted.number(split.at(o, right, i)))
                    right = c;
            }
            count.right += best == right ? 1 : 0;
            ++count.of;
            const double score = probabilities.number(split.at(o, right, i));
            count.loss -=
                logarithms ? score
                           : std::log(std::max(score, double{std::numeric_limits<float>::min()}));
        }
    return count;
}

ScoreWatch::ScoreWatch(const Graph& prepared) {
    const auto search = [&](const Graph& graph) {
        for (const Op& op : graph.ops)
            if (const auto* function = std::get_if<ElementwiseAttributes>(&op.attributes))
                if (function->function == ElementwiseFunction::CrossEntropy ||
                    isLogLikelihood(op, *function))
                    operands_.push_back({&graph, op.inputs[0], op.inputs[1],
                                         function->function == ElementwiseFunction::Multiply});
    };
    search(prepared);
    for (const Graph& function : prepared.functions)
        search(function);
}

void ScoreWatch::see(const Graph& graph, TensorId tensor, std::int64_t replica,
                     const TensorData& value) {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
        const Operands& operands = operands_[i];
        if (operands.graph != &graph ||
            (tensor != operands.probabilities && tensor != operands.wanted))
            continue;
        const std::pair key(i, replica);
        (tensor == operands.probabilities ? probabilities_ : wanted_)[key] = value;
        if (!probabilities_.contains(key) || !wanted_.contains(key))
            continue;
        const ScoreCount one =
            countScores(probabilities_.at(key), wanted_.at(key), operands.logarithms);
        count_.right += one.right;
        count_.of += one.of;
        count_.loss += one.loss;
        probabilities_.erase(key);
        wanted_.erase(key);
    }
}

} // namespace tilescope::sim
