#include "simulator/frontend/resolve/evaluate.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>

#include "simulator/graph/shape_rules.h"
#include "simulator/graph/tensor_data.h"

namespace tilescope::sim {

namespace {

using Results = std::optional<std::vector<Constant>>;
using RealBinary = double (*)(double, double);
using IntBinary = std::int64_t (*)(std::int64_t, std::int64_t);
using Unary = double (*)(double);

struct Binary {
    RealBinary real;
    IntBinary integer;
    bool comparison = false;
};

// Two's complement wrapping, as in a model's runtime.
std::int64_t wrap(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}
std::uint64_t bits(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

std::int64_t divide(std::int64_t a, std::int64_t b) {
    if (b == 0)
        throw std::invalid_argument("it divides by 0");
    return b == -1 ? wrap(0 - bits(a)) : a / b;
}

std::int64_t remainderOfFloor(std::int64_t a, std::int64_t b) {
    if (b == 0)
        throw std::invalid_argument("it divides by 0");
    const std::int64_t rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::int64_t toInteger(double value) {
    constexpr double limit = 9.2e18;
    if (std::isnan(value))
        return 0;
    return static_cast<std::int64_t>(std::clamp(value, -limit, limit));
}

const std::unordered_map<std::string, Binary>& binaries() {
    using I = std::int64_t;
    static const std::unordered_map<std::string, Binary> table{
        {"Add",
         {[](double a, double b) { return a + b; },
          [](I a, I b) { return wrap(bits(a) + bits(b)); }}},
        {"Sub",
         {[](double a, double b) { return a - b; },
          [](I a, I b) { return wrap(bits(a) - bits(b)); }}},
        {"Mul",
         {[](double a, double b) { return a * b; },
          [](I a, I b) { return wrap(bits(a) * bits(b)); }}},
        {"Div", {[](double a, double b) { return a / b; }, divide}},
        {"Mod", {[](double a, double b) { return std::fmod(a, b); }, remainderOfFloor}},
        {"Pow",
         {[](double a, double b) { return std::pow(a, b); },
          [](I a, I b) {
              return toInteger(std::pow(static_cast<double>(a), static_cast<double>(b)));
          }}},
        {"Max",
         {[](double a, double b) { return std::max(a, b); },
          [](I a, I b) { return std::max(a, b); }}},
        {"Min",
         {[](double a, double b) { return std::min(a, b); },
          [](I a, I b) { return std::min(a, b); }}},
        {"Equal",
         {[](double a, double b) { return double(a == b); }, [](I a, I b) { return I{a == b}; },
          true}},
        {"Less",
         {[](double a, double b) { return double(a < b); }, [](I a, I b) { return I{a < b}; },
          true}},
        {"Greater",
         {[](double a, double b) { return double(a > b); }, [](I a, I b) { return I{a > b}; },
          true}},
        {"LessOrEqual",
         {[](double a, double b) { return double(a <= b); }, [](I a, I b) { return I{a <= b}; },
          true}},
        {"GreaterOrEqual",
         {[](double a, double b) { return double(a >= b); }, [](I a, I b) { return I{a >= b}; },
          true}},
        {"And",
         {[](double a, double b) { return double(a != 0 && b != 0); },
          [](I a, I b) { return I{a != 0 && b != 0}; }, true}},
        {"Or",
         {[](double a, double b) { return double(a != 0 || b != 0); },
          [](I a, I b) { return I{a != 0 || b != 0}; }, true}},
    };
    return table;
}

const std::unordered_map<std::string, Unary>& unaries() {
    static const std::unordered_map<std::string, Unary> table{
        {"Neg", [](double a) { return -a; }},
        {"Abs", [](double a) { return std::abs(a); }},
        {"Floor", [](double a) { return std::floor(a); }},
        {"Ceil", [](double a) { return std::ceil(a); }},
        {"Sqrt", [](double a) { return std::sqrt(a); }},
        {"Exp", [](double a) { return std::exp(a); }},
        {"Cos", [](double a) { return std::cos(a); }},
        {"Sin", [](double a) { return std::sin(a); }},
        {"Log", [](double a) { return std::log(a); }},
        {"Reciprocal", [](double a) { return 1 / a; }},
        {"Not", [](double a) { return double(a == 0); }},
    };
    return table;
}

Constant binary(const Binary& function, const Constant& a, const Constant& b, std::int64_t most) {
    const Shape shape = broadcastShapes(a.shape, b.shape);
    const Constant left = broadcastTo(a, shape, most);
    const Constant right = broadcastTo(b, shape, most);
    if (isReal(left.type) != isReal(right.type))
        throw std::invalid_argument("its operands differ in type");
    const bool real = isReal(left.type);
    Constant result{function.comparison ? ElementType::Bool : left.type, shape, {}, {}};
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (!real)
            result.ints.push_back(function.integer(left.ints[i], right.ints[i]));
        else if (function.comparison)
            result.ints.push_back(function.real(left.reals[i], right.reals[i]) != 0 ? 1 : 0);
        else
            result.reals.push_back(function.real(left.reals[i], right.reals[i]));
    }
    return result;
}

Constant unary(Unary function, const Constant& from) {
    Constant result{from.type, from.shape, {}, {}};
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (isReal(from.type))
            result.reals.push_back(function(from.reals[i]));
        else
            result.ints.push_back(toInteger(function(static_cast<double>(from.ints[i]))));
    }
    return result;
}

/// The low bits of a number, as an integer type stores them.
std::int64_t lowBitsOf(ElementType type, std::int64_t value) {
    switch (type) {
    case ElementType::Int8:
        return static_cast<std::int8_t>(value);
    case ElementType::UInt8:
        return static_cast<std::uint8_t>(value);
    case ElementType::Int16:
        return static_cast<std::int16_t>(value);
    case ElementType::UInt16:
        return static_cast<std::uint16_t>(value);
    case ElementType::Int32:
        return static_cast<std::int32_t>(value);
    case ElementType::UInt32:
        return static_cast<std::uint32_t>(value);
    default:
        return value;
    }
}

double roundedTo(ElementType type, double value) {
    if (type == ElementType::Double)
        return value;
    const auto single = static_cast<float>(value);
    return static_cast<double>(type == ElementType::Float16 ? roundedToHalf(single) : single);
}

Constant cast(const Constant& from, ElementType to) {
    Constant result{to, from.shape, {}, {}};
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (isReal(to))
            result.reals.push_back(roundedTo(to, from.real(i)));
        else if (to == ElementType::Bool)
            result.ints.push_back(from.real(i) != 0 ? 1 : 0);
        else
            result.ints.push_back(
                lowBitsOf(to, isReal(from.type) ? toInteger(from.reals[i]) : from.ints[i]));
    }
    return result;
}

Constant where(const Constant& condition, const Constant& a, const Constant& b, std::int64_t most) {
    const Shape shape = broadcastShapes(condition.shape, broadcastShapes(a.shape, b.shape));
    const Constant choice = broadcastTo(condition, shape, most);
    Constant result = broadcastTo(a, shape, most);
    const Constant other = broadcastTo(b, shape, most);
    for (std::size_t i = 0; i < choice.size(); ++i) {
        if (choice.real(i) != 0)
            continue;
        if (isReal(result.type))
            result.reals[i] = valueAt(other.reals, i);
        else
            result.ints[i] = valueAt(other.ints, i);
    }
    return result;
}

/// Reduction of everything to one value, the only one that shape computations need.
Results reduceAll(const Node& node, const Constant& from, const std::vector<std::int64_t>& axes) {
    if (!axes.empty() && axes.size() != from.shape.size())
        return std::nullopt;
    if (from.size() == 0 || (axes.empty() && node.integer("noop_with_empty_axes", 0) != 0))
        return std::nullopt;
    static const std::unordered_map<std::string, std::string> steps{
        {"ReduceProd", "Mul"}, {"ReduceSum", "Add"}, {"ReduceMax", "Max"}, {"ReduceMin", "Min"}};
    const Binary& step = binaries().at(steps.at(node.type));
    Constant result{from.type, {}, {}, {}};
    if (node.integer("keepdims", 1) != 0)
        result.shape.assign(from.shape.size(), 1);
    if (isReal(from.type)) {
        double value = from.reals[0];
        for (std::size_t i = 1; i < from.size(); ++i)
            value = step.real(value, from.reals[i]);
        result.reals = {value};
    } else {
        std::int64_t value = from.ints[0];
        for (std::size_t i = 1; i < from.size(); ++i)
            value = step.integer(value, from.ints[i]);
        result.ints = {value};
    }
    return std::vector{std::move(result)};
}

bool isReduction(const std::string& type) {
    return type == "ReduceProd" || type == "ReduceSum" || type == "ReduceMax" ||
           type == "ReduceMin";
}

} // namespace

Constant broadcastTo(const Constant& from, const Shape& shape, std::int64_t most) {
    if (from.shape == shape)
        return from;
    const std::int64_t count = elementsOf(shape);
    if (count > most)
        throw std::invalid_argument(fmt::format("shape {} is too large", toString(shape)));
    Constant result{from.type, shape, {}, {}};
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t rest = i;
        std::int64_t at = 0;
        std::int64_t stride = 1;
        for (std::size_t d = shape.size(), s = from.shape.size(); s-- > 0;) {
            --d;
            at += from.shape[s] == 1 ? 0 : rest % shape[d] * stride;
            stride *= from.shape[s];
            rest /= shape[d];
        }
        if (isReal(from.type))
            result.reals.push_back(valueAt(from.reals, static_cast<std::size_t>(at)));
        else
            result.ints.push_back(valueAt(from.ints, static_cast<std::size_t>(at)));
    }
    return result;
}

bool isArithmetic(const std::string& type) {
    return binaries().contains(type) || unaries().contains(type) || isReduction(type) ||
           type == "Cast" || type == "Where";
}

std::optional<std::vector<Constant>> evaluateArithmetic(const Node& node,
                                                        const ConstantOperands& operands) {
    if (operands.empty() || std::find(operands.begin(), operands.end(), nullptr) != operands.end())
        return std::nullopt;
    const Constant& first = *operands[0];
    // Old operator sets broadcast along an axis attribute, which is not worth folding.
    if (node.has("broadcast") && node.integer("broadcast", 0) != 0)
        return std::nullopt;
    if (node.type == "Cast") {
        // The first operator sets name the type with a string.
        const std::int64_t to = node.integer("to", 0);
        return to == 0 ? Results() : std::vector{cast(first, static_cast<ElementType>(to))};
    }
    if (node.type == "Where" && operands.size() == 3)
        return std::vector{where(first, *operands[1], *operands[2], operands.most)};
    if (isReduction(node.type))
        return reduceAll(node, first,
                         operands.size() > 1 ? operands[1]->ints : node.integers("axes"));
    if (const auto found = unaries().find(node.type); found != unaries().end())
        return std::vector{unary(found->second, first)};
    const auto found = binaries().find(node.type);
    if (found == binaries().end())
        return std::nullopt;
    if (node.type == "Mod" && node.integer("fmod", 0) != 0 && !isReal(first.type))
        return std::nullopt; // towards zero, unlike the one above
    // ONNX lets a power's operands differ in type.
    if (node.type == "Pow" && operands.size() > 1 &&
        isReal(first.type) != isReal(operands[1]->type))
        return std::nullopt;
    Constant result = first;
    for (std::size_t i = 1; i < operands.size(); ++i)
        result = binary(found->second, result, *operands[i], operands.most);
    return std::vector{std::move(result)};
}

} // namespace tilescope::sim
