#include "simulator/cost/elementwise_cycles.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/ceil_div.h"
#include "core/base/error.h"
#include "simulator/cost/broadcast_cycles.h"
#include "simulator/graph/elementwise_traits.h"

namespace tilescope::sim {
std::int64_t elementwiseCycles(const Target& target, ElementwiseFunction function,
                               Operands operands, bool inPlace, DataType type,
                               std::int64_t elements, std::int64_t run) {
    if (elements == 0)
        return 0;
    const bool half = type == DataType::Half;
    const std::int64_t perWorker = ceilDiv(elements, target.workers);
    const ElementwiseTraits traits = traitsOf(function);
    if (traits.updatesInPlace && operands == Operands::Binary) {
        // popops::ScaledAddSupervisor: three cycles a vector of 64 bits, and a tail.
        const std::int64_t vectors = ceilDiv(perWorker, half ? 4 : 2);
        return 60 + target.workers *
                        (15 + 6 + 3 * std::max<std::int64_t>(0, vectors - 1) + 3 + (half ? 5 : 0));
    }
    const auto loop = [half](const InnerLoops& loops) { return half ? loops.half : loops.single; };
    const auto passes = [&](const InnerLoops& loops) {
        return ceilDiv(perWorker, loop(loops).elements);
    };
    const auto cycles = [&](const InnerLoops& loops) { return passes(loops) * loop(loops).cycles; };
    if (function == ElementwiseFunction::RandomUniform ||
        function == ElementwiseFunction::RandomNormal)
        return 4 + 24 * target.workers +
               loop(traits.loops).cycles * ceilDiv(elements, loop(traits.loops).elements);
    if (function == ElementwiseFunction::Gelu || function == ElementwiseFunction::Swish) {
        const std::int64_t each = loop(traits.loops).cycles;
        return 9 +
               target.workers * (20 + 2 + each + (passes(traits.loops) - 1) * each + 1 + each + 4);
    }
    if (function == ElementwiseFunction::InverseStdDeviation)
        return target.workers * (6 + 4 + cycles(traits.loops));
    const auto binary = [&] {
        return 11 + target.workers * ((inPlace ? 58 : half ? 26 : 29) + cycles(traits.loops));
    };
    switch (operands) {
    case Operands::Unary:
        return 20 + target.workers *
                        (inPlace ? 55 + cycles(traits.loopsInPlace) : 17 + cycles(traits.loops));
    case Operands::Binary:
        return binary();
    case Operands::BroadcastScalar:
        return 11 + target.workers * (20 + cycles(traits.scalarLoops));
    case Operands::BroadcastInner:
        return half && function != ElementwiseFunction::Divide
                   ? vectorInnerCycles(target, function, inPlace, elements, run)
                   : binary();
    case Operands::BroadcastOuter:
        return vectorOuterCycles(target, type, elements, run);
    case Operands::Ternary:
        return 11 + target.workers * (20 + cycles(traits.loops));
    }
    return 0;
}

std::string elementwiseVertex(ElementwiseFunction function, Operands operands, bool inPlace,
                              DataType in, DataType out) {
    const std::string_view place = inPlace ? "InPlace" : "";
    const ElementwiseTraits traits = traitsOf(function);
    if (traits.updatesInPlace && operands != Operands::Unary)
        return fmt::format("popops::ScaledAddSupervisor<{0},{0},{0},true>", toString(in));
    if (function == ElementwiseFunction::Gelu || function == ElementwiseFunction::Swish)
        return fmt::format("popnn::NonLinearity1D{}<{},popnn::NonLinearityType::{}>", place,
                           toString(in), traits.name);
    if (function == ElementwiseFunction::RandomUniform ||
        function == ElementwiseFunction::RandomNormal)
        return fmt::format("poprand::{}<{}>",
                           function == ElementwiseFunction::RandomNormal ? "Normal" : "Uniform",
                           toString(out));
    if (function == ElementwiseFunction::InverseStdDeviation)
        return fmt::format("poplin::InverseStdDeviation<{0},{0},{0}>", toString(in));
    if (function == ElementwiseFunction::Cast)
        return fmt::format("popops::Cast1D<{},{}>", toString(in), toString(out));
    switch (operands) {
    case Operands::Unary:
    case Operands::Binary:
        return fmt::format("popops::{0}Op1D{1}<popops::expr::{0}OpType::{2},{3}>",
                           operands == Operands::Unary ? "Unary" : "Binary", place, traits.name,
                           toString(in));
    case Operands::Ternary:
        return fmt::format("popops::TernaryOp1D{}<popops::expr::TernaryOpType::{},{}>", place,
                           traits.name, toString(in));
    case Operands::BroadcastScalar:
        return fmt::format("popops::BroadcastScalar1D{}<popops::expr::BinaryOpType::{},{}>", place,
                           traits.name, toString(in));
    case Operands::BroadcastInner:
    case Operands::BroadcastOuter:
        return fmt::format("popops::BroadcastVector{}{}<popops::expr::BinaryOpType::{},{}>",
                           operands == Operands::BroadcastInner ? "Inner1D" : "OuterByRow1D", place,
                           traits.name, toString(in));
    }
    throw InternalError("unknown operands of an elementwise codelet");
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
    if (rows % grain != 0 || columns % grain != 0)
        worker = half ? 15 + transposes * (8 + columns * (5 + rows * 5 / 2))
                      : 13 + transposes * (8 + columns * (5 + rows * 2));
    else if (blockRows == 1 && blockColumns == 1)
        worker = transposes == 1 ? 29 : 37 + (transposes - 2) * cyclesPerBlock;
    else if (blockColumns == 1)
        worker = 27 + transposes * (35 + cyclesPerBlock * (blockRows - 2));
    else
        worker = 29 + transposes * (18 + blockRows * (12 + cyclesPerBlock * (blockColumns - 2)));
    return 7 + target.workers * worker;
}

std::int64_t castCycles(const Target& target, std::int64_t elements, DataType from, DataType to) {
    const std::int64_t perWorker = ceilDiv(elements, target.workers);
    const bool floats = (from == DataType::Float || from == DataType::Half) &&
                        (to == DataType::Float || to == DataType::Half);
    // Four floats in interleaved memory, where partials lie, are one load; other conversions
    // between float and half move as many in two cycles. The rest is C++ code of about two cycles
    // an element.
    const std::int64_t vector = from == DataType::Float && to == DataType::Half ? 1 : 2;
    const std::int64_t loop = floats ? vector * ceilDiv(perWorker, 4) : 2 * perWorker;
    return 12 + target.workers * (18 + 19 + loop + 4);
}

} // namespace tilescope::sim
