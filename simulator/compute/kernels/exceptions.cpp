#include "simulator/compute/kernels/exceptions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace tilescope::sim {
namespace {

/// From here on the nearest half would be 2^16.
constexpr float beyondHalves = 65520.0F;

std::vector<std::int64_t> positionOf(const Shape& shape, std::int64_t n) {
    std::vector<std::int64_t> position(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) {
        position[d] = n % shape[d];
        n /= shape[d];
    }
    return position;
}

/// Operations whose infinities come from a pole.
bool divides(const Op& op) {
    using enum ElementwiseFunction;
    const auto* e = std::get_if<ElementwiseAttributes>(&op.attributes);
    if (e == nullptr)
        return std::holds_alternative<SoftmaxAttributes>(op.attributes);
    switch (e->function) {
    case Divide:
    case Inverse:
    case Rsqrt:
    case Log:
    case Log1p:
    case Power:
    case Remainder:
    case CrossEntropy:
    case Atanh:
        return true;
    default:
        return false;
    }
}

/// Operations that compute no new number: they move elements or write a constant of the model.
bool onlyMoves(const Op& op) {
    return isView(op.attributes) || std::holds_alternative<FillAttributes>(op.attributes) ||
           std::holds_alternative<PadAttributes>(op.attributes);
}

struct Raised {
    const char* name;   ///< as in the option
    const char* reason; ///< what the value means
};

/// The sign of NaN has no meaning and is not printed.
std::string plainNumber(double value) {
    return std::isnan(value) ? std::string("nan") : fmt::format("{}", value);
}

[[noreturn]] void raise(const Graph& graph, const Op& op, TensorId tensor, const TensorData& data,
                        std::int64_t at, const Raised& raised) {
    throw UserError(fmt::format(
        "{}: '{}' ({}): {} in tensor '{}': element [{}] is {}{}; change the model or its data, "
        "choose another --loss-scaling or type, or leave '{}' out of --fp-exceptions",
        graph.name, op.name, op.kind(), raised.name, graph.tensors[tensor].name,
        fmt::join(positionOf(data.shape(), at), ","), plainNumber(data.number(at)), raised.reason,
        raised.name));
}

template <class Question> std::int64_t firstOf(const TensorData& data, const Question& question) {
    const auto values = data.reals();
    const auto found = std::find_if(values.begin(), values.end(), question);
    return found == values.end() ? -1 : found - values.begin();
}

void checkOverflow(const Graph& graph, const Op& op, TensorId tensor, const TensorData& data) {
    constexpr Raised tooLarge{"overflow", ", which is beyond the largest half, 65504"};
    constexpr Raised infinite{"overflow", ""};
    const bool isHalf = data.type() == DataType::Half;
    const std::int64_t at = firstOf(
        data, [isHalf](float x) { return isHalf ? std::fabs(x) >= beyondHalves : std::isinf(x); });
    if (at >= 0)
        raise(graph, op, tensor, data, at, std::isinf(data.number(at)) ? infinite : tooLarge);
}

} // namespace

bool allFinite(const TensorData& data) {
    return firstOf(data, [](float x) { return !std::isfinite(x); }) < 0;
}

OperandCheck::OperandCheck(const KernelCall& call)
    : wanted_(call.context.exceptions.stops() && !onlyMoves(call.op)) {
    if (!wanted_)
        return;
    for (const TensorData& input : call.inputs)
        if (input.isReal() && !input.isEmpty()) {
            hasNan_ = hasNan_ || firstOf(input, [](float x) { return std::isnan(x); }) >= 0;
            hasInfinity_ =
                hasInfinity_ || firstOf(input, [](float x) { return std::isinf(x); }) >= 0;
        }
}

void OperandCheck::results(const KernelCall& call) const {
    if (!wanted_)
        return;
    const FpExceptions& exceptions = call.context.exceptions;
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        const TensorData& data = call.outputs[i];
        const TensorId tensor = call.op.outputs[i];
        if (data.isEmpty() || !data.isReal())
            continue;
        if (!hasNan_) {
            const std::int64_t at = firstOf(data, [](float x) { return std::isnan(x); });
            // With half partials, finite operands give NaN only where a partial sum was too large.
            const bool ofPartials = call.partials != nullptr && !hasInfinity_;
            if (at >= 0 && ofPartials && exceptions.overflow)
                raise(call.graph, call.op, tensor, data, at,
                      {"overflow", ": a partial sum was beyond the largest half, 65504"});
            if (at >= 0 && !ofPartials && exceptions.invalid)
                raise(call.graph, call.op, tensor, data, at, {"invalid", ""});
        }
        if (hasInfinity_)
            continue;
        if (divides(call.op)) {
            const std::int64_t at = firstOf(data, [](float x) { return std::isinf(x); });
            if (at >= 0 && exceptions.division)
                raise(call.graph, call.op, tensor, data, at, {"division", ""});
            if (at >= 0)
                continue;
        }
        if (exceptions.overflow)
            checkOverflow(call.graph, call.op, tensor, data);
    }
}

void checkSum(const FpExceptions& exceptions, const Graph& graph, const Op& op, TensorId tensor,
              const TensorData& sum, bool finite) {
    if (exceptions.overflow && finite)
        checkOverflow(graph, op, tensor, sum);
}

} // namespace tilescope::sim
