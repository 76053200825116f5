#include "simulator/cost/elementwise_cycles.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/ceil_div.h"

namespace tilescope::sim {
namespace {

/// Inner loop: cycles for one pass over `elements` elements.
struct Loop {
    std::int64_t cycles, elements;
};

Loop unaryLoop(ElementwiseFunction f, bool half) {
    using F = ElementwiseFunction;
    switch (f) {
    case F::Relu:
    case F::LeakyRelu:
    case F::Clip:
        return half ? Loop{3, 4} : Loop{3, 2};
    case F::Zero:
        return half ? Loop{1, 4} : Loop{1, 2}; // popops::Fill: a 64-bit store a cycle
    case F::Dropout:
        return half ? Loop{5, 4} : Loop{5, 2}; // poprand::Dropout: urand, compare, multiply
    case F::Square:
    case F::Negate:
    case F::Copy:
    case F::OneHot:
        return half ? Loop{2, 4} : Loop{2, 2};
    case F::Exp:
        return half ? Loop{4, 4} : Loop{6, 2};
    case F::Log:
        return half ? Loop{4, 4} : Loop{12, 2};
    case F::Sqrt:
        return half ? Loop{23, 4} : Loop{10, 2};
    case F::Rsqrt:
        return half ? Loop{19, 4} : Loop{8, 2};
    case F::Inverse:
        return half ? Loop{15, 4} : Loop{6, 2};
    case F::Tanh:
        return half ? Loop{4, 4} : Loop{12, 2};
    case F::Sigmoid:
        return half ? Loop{6, 4} : Loop{12, 2};
    case F::Erf:
        return half ? Loop{16, 1} : Loop{22, 1};
    case F::Sin:
    case F::Cos:
    case F::Tan:
        return half ? Loop{25, 1} : Loop{2300, 1};
    case F::Abs:
        return {5, 1};
    case F::Cast:
        return half ? Loop{2, 4} : Loop{2, 2};
    case F::Softplus:
    case F::Elu:
    case F::HardSwish:
    case F::HardSigmoid:
        return half ? Loop{12, 4} : Loop{24, 2}; // composed of exp or clamp and arithmetic
    default:
        return {24, 1}; // C++ library functions: assumed
    }
}

Loop binaryLoop(ElementwiseFunction f, bool half) {
    using F = ElementwiseFunction;
    switch (f) {
    case F::Add:
    case F::Subtract:
    case F::Multiply:
        return half ? Loop{3, 4} : Loop{3, 2};
    case F::Max:
    case F::Min:
        return half ? Loop{4, 4} : Loop{3, 2};
    case F::Divide:
        return half ? Loop{21, 4} : Loop{10, 2};
    case F::Power:
        return half ? Loop{325, 1} : Loop{312, 1};
    case F::Equal:
    case F::Less:
    case F::Greater:
    case F::LessEqual:
    case F::GreaterEqual:
    case F::And:
    case F::Or:
    case F::Xor:
        return half ? Loop{9, 4} : Loop{14, 4};
    case F::PRelu:
        return half ? Loop{5, 4} : Loop{5, 2};
    case F::ReluGrad:
        return half ? Loop{3, 4} : Loop{3, 2};
    case F::SigmoidGrad:
    case F::TanhGrad:
        return half ? Loop{5, 4} : Loop{5, 2}; // popnn NonLinearityGrad
    case F::GeluGrad:
        return half ? Loop{12, 2} : Loop{28, 1}; // tanh and polynomial
    case F::CrossEntropy:
        return half ? Loop{12, 4} : Loop{16, 2}; // log and multiply
    default:
        return {270, 1}; // integer division and remainder
    }
}

Loop scalarLoop(ElementwiseFunction f, bool half) {
    using F = ElementwiseFunction;
    switch (f) {
    case F::Add:
    case F::Subtract:
    case F::Multiply:
        return half ? Loop{2, 4} : Loop{2, 2};
    case F::Divide:
        return half ? Loop{8, 2} : Loop{6, 2};
    default:
        return binaryLoop(f, half);
    }
}

std::string_view opClass(Operands operands) {
    return operands == Operands::Unary ? "Unary" : "Binary";
}

} // namespace

std::int64_t elementwiseCycles(const Target& target, ElementwiseFunction function,
                               Operands operands, bool inPlace, DataType type,
                               std::int64_t elements) {
    if (elements == 0)
        return 0;
    const bool half = type == DataType::Half;
    const std::int64_t perWorker = ceilDiv(elements, target.workers);
    if (updatesInPlace(function) && operands == Operands::Binary) {
        // popops::ScaledAddSupervisor: three cycles a vector of 64 bits, and a tail.
        const std::int64_t vectors = ceilDiv(perWorker, half ? 4 : 2);
        return 60 + target.workers *
                        (15 + 6 + 3 * std::max<std::int64_t>(0, vectors - 1) + 3 + (half ? 5 : 0));
    }
    if (function == ElementwiseFunction::Gelu) {
        // popnn::NonLinearity1D: the tanh approximation, so many cycles a vector of 64 bits.
        const std::int64_t cycles = half ? 5 : 10;
        const std::int64_t vectors = ceilDiv(perWorker, half ? 4 : 2);
        return 9 + target.workers * (20 + 2 + cycles + (vectors - 1) * cycles + 1 + cycles + 4);
    }
    if (function == ElementwiseFunction::InverseStdDeviation)
        return target.workers * (6 + 4 + 5 * ceilDiv(perWorker, 2));
    const auto loops = [&](Loop loop) { return ceilDiv(perWorker, loop.elements) * loop.cycles; };
    switch (operands) {
    case Operands::Unary:
        return 20 + target.workers * ((inPlace ? 55 : 17) + loops(unaryLoop(function, half)));
    case Operands::Binary:
        return 11 + target.workers * ((inPlace ? 58
                                       : half  ? 26
                                               : 29) +
                                      loops(binaryLoop(function, half)));
    case Operands::BroadcastScalar:
        return 11 + target.workers * (20 + loops(scalarLoop(function, half)));
    case Operands::BroadcastInner:
        // As the bias add of popops::BroadcastVectorInner1D, one slice of channels a row.
        return 13 + target.workers * ((half ? 19 : 17) + 17 + loops(binaryLoop(function, half)));
    case Operands::Ternary:
        if (function == ElementwiseFunction::AdamUpdater)
            // A generated codelet of popops::map: square root and division of two lanes at a time.
            return 11 + target.workers * (20 + 20 * ceilDiv(perWorker, half ? 4 : 2));
        return 11 + target.workers * (20 + 5 * perWorker);
    }
    return 0;
}

std::string elementwiseVertex(ElementwiseFunction function, Operands operands, bool inPlace,
                              DataType in, DataType out) {
    const std::string_view place = inPlace ? "InPlace" : "";
    if (updatesInPlace(function) && operands != Operands::Unary)
        return fmt::format("popops::ScaledAddSupervisor<{0},{0},{0},true>", toString(in));
    if (function == ElementwiseFunction::Gelu)
        return fmt::format("popnn::NonLinearity1D{}<{},popnn::NonLinearityType::GELU>", place,
                           toString(in));
    if (function == ElementwiseFunction::InverseStdDeviation)
        return fmt::format("poplin::InverseStdDeviation<{0},{0},{0}>", toString(in));
    if (function == ElementwiseFunction::Cast)
        return fmt::format("popops::Cast1D<{},{}>", toString(in), toString(out));
    switch (operands) {
    case Operands::Ternary:
        return fmt::format("popops::TernaryOp1D{}<popops::expr::TernaryOpType::{},{}>", place,
                           toString(function), toString(in));
    case Operands::BroadcastScalar:
        return fmt::format("popops::BroadcastScalar1D{}<popops::expr::BinaryOpType::{},{}>", place,
                           toString(function), toString(in));
    case Operands::BroadcastInner:
        return fmt::format("popops::BroadcastVectorInner1D{}<popops::expr::BinaryOpType::{},{}>",
                           place, toString(function), toString(in));
    default:
        return fmt::format("popops::{0}Op1D{1}<popops::expr::{0}OpType::{2},{3}>",
                           opClass(operands), place, toString(function), toString(in));
    }
}

std::int64_t poolCycles(const Target& target, PoolKind kind, std::int64_t outputs,
                        std::int64_t window, DataType type) {
    if (outputs == 0)
        return 0;
    const std::int64_t vector = type == DataType::Half ? 4 : 2;
    const std::int64_t perWorker = ceilDiv(ceilDiv(outputs, vector), target.workers);
    const std::int64_t item = kind == PoolKind::Max ? 4 + 3 * window : 5 + 3 * window;
    return 13 + target.workers * (27 + 15 + 24 + perWorker * (3 + item));
}

std::string poolVertex(PoolKind kind, DataType type) {
    return fmt::format("popnn::{}<{}>", kind == PoolKind::Max ? "MaxPooling" : "SumPooling",
                       toString(type));
}

std::int64_t transposeCycles(const Target& target, std::int64_t elements, std::int64_t rows,
                             std::int64_t columns, bool half) {
    if (elements == 0)
        return 0;
    const std::int64_t grain = half ? 4 : 2;
    const std::int64_t cyclesPerBlock = half ? 4 : 3;
    const std::int64_t blockRows = std::max<std::int64_t>(1, rows / grain);
    const std::int64_t blockColumns = std::max<std::int64_t>(1, columns / grain);
    const std::int64_t transposes = ceilDiv(ceilDiv(elements, rows * columns), target.workers);
    std::int64_t worker = 0;
    if (blockRows == 1 && blockColumns == 1)
        worker = transposes == 1 ? 29 : 37 + (transposes - 2) * cyclesPerBlock;
    else if (blockColumns == 1)
        worker = 27 + transposes * (35 + cyclesPerBlock * (blockRows - 2));
    else
        worker = 29 + transposes * (18 + blockRows * (12 + cyclesPerBlock * (blockColumns - 2)));
    return 7 + target.workers * worker;
}

} // namespace tilescope::sim
