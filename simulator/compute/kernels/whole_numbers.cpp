// Functions of whole numbers and truth values.
#include "simulator/compute/kernels/elementwise_loops.h"

#include <bit>
#include <cstdlib>

namespace tilescope::sim {
namespace {

using enum ElementwiseFunction;

/// An element as a whole number of twice its bits, in which only products can overflow.
std::int64_t widened(std::int32_t value, bool isUnsigned) {
    return isUnsigned ? static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(value))
                      : static_cast<std::int64_t>(value);
}

/// The low bits of a whole number, as its type stores them.
std::int32_t lowBits(DataType type, std::int64_t value) {
    switch (type) {
    case DataType::Bool:
        return value != 0 ? 1 : 0;
    case DataType::Int8:
        return static_cast<std::int8_t>(value);
    case DataType::UInt8:
        return static_cast<std::uint8_t>(value);
    default:
        return static_cast<std::int32_t>(value);
    }
}

template <class Function>
void mapWhole(const Function& function, const TensorData& x, TensorData& y) {
    const bool isUnsigned = x.type() == DataType::UInt32;
    const DataType type = y.type();
    const std::int32_t* from = x.ints().data();
    std::int32_t* to = y.ints().data();
    inBlocks(y.elements(), computeBlock, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            to[i] = lowBits(type, function(widened(from[i], isUnsigned)));
    });
}

template <class Function>
void mapWholePairs(const Function& function, const TensorData& a, const TensorData& b,
                   TensorData& result) {
    const bool unsignedA = a.type() == DataType::UInt32;
    const bool unsignedB = b.type() == DataType::UInt32;
    const DataType type = result.type();
    const auto one = [&](std::int32_t x, std::int32_t y) {
        return lowBits(type, function(widened(x, unsignedA), widened(y, unsignedB)));
    };
    mapPairs<std::int32_t, std::int32_t>(one, result.shape(), a.ints().data(), a.shape(),
                                         b.ints().data(), b.shape(), result.ints().data());
}

std::int64_t flooredRest(std::int64_t a, std::int64_t b) {
    if (b == 0)
        return 0;
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::int64_t wholePower(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0)
        return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    std::uint64_t result = 1;
    auto factor = static_cast<std::uint64_t>(base);
    for (auto rest = static_cast<std::uint64_t>(exponent); rest > 0; rest >>= 1U) {
        if ((rest & 1U) != 0)
            result *= factor;
        factor *= factor;
    }
    return static_cast<std::int64_t>(result);
}

/// Shifts beyond the type's bits leave zero, or the sign.
std::int64_t shifted(std::int64_t value, std::int64_t by, bool left) {
    constexpr std::int64_t widest = 32;
    if (by < 0 || by >= widest)
        return left || value >= 0 ? 0 : -1;
    return left ? static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << by) : value >> by;
}

bool compareWhole(ElementwiseFunction function, const TensorData& a, const TensorData& b,
                  TensorData& result) {
    const auto map = [&](const auto& one) {
        mapWholePairs(one, a, b, result);
        return true;
    };
    switch (function) {
    case Equal:
        return map([](std::int64_t x, std::int64_t y) { return x == y ? 1 : 0; });
    case Less:
        return map([](std::int64_t x, std::int64_t y) { return x < y ? 1 : 0; });
    case Greater:
        return map([](std::int64_t x, std::int64_t y) { return x > y ? 1 : 0; });
    case LessEqual:
        return map([](std::int64_t x, std::int64_t y) { return x <= y ? 1 : 0; });
    case GreaterEqual:
        return map([](std::int64_t x, std::int64_t y) { return x >= y ? 1 : 0; });
    case And:
        return map([](std::int64_t x, std::int64_t y) { return x != 0 && y != 0 ? 1 : 0; });
    case Or:
        return map([](std::int64_t x, std::int64_t y) { return x != 0 || y != 0 ? 1 : 0; });
    case Xor:
        return map([](std::int64_t x, std::int64_t y) { return (x != 0) != (y != 0) ? 1 : 0; });
    default:
        return false;
    }
}

bool combineBits(ElementwiseFunction function, const TensorData& a, const TensorData& b,
                 TensorData& result) {
    const auto map = [&](const auto& one) {
        mapWholePairs(one, a, b, result);
        return true;
    };
    switch (function) {
    case ShiftLeft:
        return map([](std::int64_t x, std::int64_t y) { return shifted(x, y, true); });
    case ShiftRight:
        return map([](std::int64_t x, std::int64_t y) { return shifted(x, y, false); });
    case BitwiseAnd:
        return map([](std::int64_t x, std::int64_t y) { return x & y; });
    case BitwiseOr:
        return map([](std::int64_t x, std::int64_t y) { return x | y; });
    case BitwiseXor:
        return map([](std::int64_t x, std::int64_t y) { return x ^ y; });
    case BitwiseXnor:
        return map([](std::int64_t x, std::int64_t y) { return ~(x ^ y); });
    default:
        return false;
    }
}

} // namespace

bool computeWholeUnary(const ElementwiseAttributes& elementwise, const TensorData& operand,
                       TensorData& result) {
    const auto map = [&](const auto& function) {
        mapWhole(function, operand, result);
        return true;
    };
    const double least = elementwise.alpha;
    const double most = elementwise.beta;
    switch (elementwise.function) {
    case Relu:
        return map([](std::int64_t v) { return std::max<std::int64_t>(v, 0); });
    case Abs:
        return map([](std::int64_t v) { return std::abs(v); });
    case Negate:
        return map([](std::int64_t v) { return -v; });
    case Square:
        return map([](std::int64_t v) {
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(v) *
                                             static_cast<std::uint64_t>(v));
        });
    case Sign:
        return map([](std::int64_t v) { return v > 0 ? 1 : v < 0 ? -1 : 0; });
    case Not:
        return map([](std::int64_t v) { return v == 0 ? 1 : 0; });
    case BitwiseNot:
        return map([](std::int64_t v) { return ~v; });
    case Floor:
    case Ceil:
    case Round:
        return map([](std::int64_t v) { return v; });
    case Clip:
        return map([least, most](std::int64_t v) {
            const auto number = static_cast<double>(v);
            return number < least  ? static_cast<std::int64_t>(least)
                   : number > most ? static_cast<std::int64_t>(most)
                                   : v;
        });
    default:
        return false;
    }
}

bool computeWholeBinary(const ElementwiseAttributes& elementwise, const TensorData& a,
                        const TensorData& b, TensorData& result) {
    const auto map = [&](const auto& function) {
        mapWholePairs(function, a, b, result);
        return true;
    };
    const bool towardsZero = elementwise.alpha != 0;
    switch (elementwise.function) {
    case Add:
        return map([](std::int64_t x, std::int64_t y) { return x + y; });
    case Subtract:
        return map([](std::int64_t x, std::int64_t y) { return x - y; });
    case Multiply:
        return map([](std::int64_t x, std::int64_t y) {
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) *
                                             static_cast<std::uint64_t>(y));
        });
    case Divide: // towards zero; by zero gives 0, since the device does not stop either
        return map([](std::int64_t x, std::int64_t y) { return y == 0 ? 0 : x / y; });
    case Remainder:
        return map([towardsZero](std::int64_t x, std::int64_t y) {
            return towardsZero && y != 0 ? x % y : flooredRest(x, y);
        });
    case Power:
        return map([](std::int64_t x, std::int64_t y) { return wholePower(x, y); });
    case Max:
        return map([](std::int64_t x, std::int64_t y) { return std::max(x, y); });
    case Min:
        return map([](std::int64_t x, std::int64_t y) { return std::min(x, y); });
    default:
        return compareWhole(elementwise.function, a, b, result) ||
               combineBits(elementwise.function, a, b, result);
    }
}

} // namespace tilescope::sim
