// Evaluation of the operators that move, make or rename values; arithmetic has its own file.
#include "simulator/frontend/resolve/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>

#include "simulator/frontend/resolve/index_rules.h"
#include "simulator/graph/shape_rules.h"

namespace tilescope::sim {

namespace {

using Results = std::optional<std::vector<Constant>>;
using Evaluator = Results (*)(const Node&, const ConstantOperands&);

const Constant& operand(const ConstantOperands& operands, std::size_t i) {
    if (i >= operands.size() || operands[i] == nullptr)
        throw std::invalid_argument(fmt::format("operand {} is missing", i));
    return *operands[i];
}

bool present(const ConstantOperands& operands, std::size_t i) {
    return i < operands.size() && operands[i] != nullptr;
}

/// A list that was an attribute in older operator sets and is an operand in newer ones.
std::vector<std::int64_t> list(const Node& node, const std::string& attribute,
                               const ConstantOperands& operands, std::size_t position) {
    return present(operands, position) ? operands[position]->ints : node.integers(attribute);
}

bool tooLarge(const Shape& shape, const ConstantOperands& operands) {
    double elements = 1;
    for (const std::int64_t size : shape) {
        if (size < 0)
            throw std::invalid_argument(fmt::format("shape {} is impossible", toString(shape)));
        elements *= static_cast<double>(size);
    }
    return elements > static_cast<double>(operands.most);
}

/// The elements of `from` that `source` names for each element of the result's shape.
template <class Source> Constant rearranged(const Constant& from, Shape shape, Source source) {
    Constant result{from.type, std::move(shape), {}, {}};
    const std::int64_t count = elementsOf(result.shape);
    std::vector<std::int64_t> position(result.shape.size(), 0);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(source(position));
        if (isReal(from.type))
            result.reals.push_back(valueAt(from.reals, at));
        else
            result.ints.push_back(valueAt(from.ints, at));
        for (std::size_t d = position.size(); d-- > 0;) {
            if (++position[d] < result.shape[d])
                break;
            position[d] = 0;
        }
    }
    return result;
}

std::int64_t linear(const Shape& shape, const std::vector<std::int64_t>& position) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
        at = at * shape[d] + position[d];
    return at;
}

Results renamed(const Constant& from, Shape shape) {
    Constant result = from;
    result.shape = std::move(shape);
    return std::vector{std::move(result)};
}

Results identity(const Node&, const ConstantOperands& operands) {
    return std::vector{operand(operands, 0)};
}

Results constant(const Node& node, const ConstantOperands&) {
    const auto scalar = [](ElementType type, auto value) {
        Constant result{type, {}, {}, {}};
        if (isReal(type))
            result.reals.push_back(static_cast<double>(value));
        else
            result.ints.push_back(static_cast<std::int64_t>(value));
        return std::vector{std::move(result)};
    };
    if (const auto at = node.attributes.find("value"); at != node.attributes.end())
        return std::vector{std::get<Constant>(at->second)};
    if (node.has("value_int"))
        return scalar(ElementType::Int64, node.integer("value_int", 0));
    if (node.has("value_float"))
        return scalar(ElementType::Float, node.real("value_float", 0));
    if (node.has("value_ints"))
        return std::vector{intConstant(node.integers("value_ints"))};
    if (const auto at = node.attributes.find("value_floats"); at != node.attributes.end()) {
        const auto& values = std::get<std::vector<double>>(at->second);
        const auto size = static_cast<std::int64_t>(values.size());
        return std::vector{Constant{ElementType::Float, {size}, {}, values}};
    }
    throw std::invalid_argument("its value is neither a number nor a dense tensor of numbers");
}

Results constantOfShape(const Node& node, const ConstantOperands& operands) {
    Constant value{ElementType::Float, {1}, {}, {0.0}};
    if (const auto at = node.attributes.find("value"); at != node.attributes.end())
        value = std::get<Constant>(at->second);
    Shape shape = operand(operands, 0).ints;
    if (tooLarge(shape, operands) || value.size() != 1)
        return std::nullopt;
    return std::vector{rearranged(value, std::move(shape), [](const auto&) { return 0; })};
}

Results reshape(const Node& node, const ConstantOperands& operands) {
    const Constant& from = operand(operands, 0);
    const auto target = list(node, "shape", operands, 1);
    return renamed(from, reshapedShape(from.shape, target, node.integer("allowzero", 0) != 0));
}

Results flatten(const Node& node, const ConstantOperands& operands) {
    const Constant& from = operand(operands, 0);
    std::int64_t axis = node.integer("axis", 1);
    const auto rank = static_cast<std::int64_t>(from.shape.size());
    axis = axis < 0 ? axis + rank : axis;
    if (axis < 0 || axis > rank)
        throw std::invalid_argument(fmt::format("axis {} lies outside of the rank", axis));
    const std::int64_t rows = elementsOf({from.shape.begin(), from.shape.begin() + axis});
    const std::int64_t columns = elementsOf({from.shape.begin() + axis, from.shape.end()});
    return renamed(from, {rows, columns});
}

Results squeeze(const Node& node, const ConstantOperands& operands) {
    const Constant& from = operand(operands, 0);
    std::vector<bool> dropped(from.shape.size());
    const auto axes = list(node, "axes", operands, 1);
    for (const std::int64_t axis : axes)
        dropped[normalizedAxis(axis, from.shape.size())] = true;
    Shape shape;
    for (std::size_t d = 0; d < from.shape.size(); ++d) {
        const bool drop = axes.empty() ? from.shape[d] == 1 : dropped[d];
        if (drop && from.shape[d] != 1)
            throw std::invalid_argument(fmt::format("dimension {} is not 1", d));
        if (!drop)
            shape.push_back(from.shape[d]);
    }
    return renamed(from, std::move(shape));
}

Results unsqueeze(const Node& node, const ConstantOperands& operands) {
    const Constant& from = operand(operands, 0);
    const auto axes = list(node, "axes", operands, 1);
    const std::size_t rank = from.shape.size() + axes.size();
    std::vector<bool> added(rank);
    for (const std::int64_t axis : axes) {
        const std::size_t at = normalizedAxis(axis, rank);
        if (added[at])
            throw std::invalid_argument(fmt::format("axis {} is named twice", axis));
        added[at] = true;
    }
    Shape shape;
    auto next = from.shape.begin();
    for (std::size_t d = 0; d < rank; ++d)
        shape.push_back(added[d] ? 1 : *next++);
    return renamed(from, std::move(shape));
}

Results transpose(const Node& node, const ConstantOperands& operands) {
    const Constant& from = operand(operands, 0);
    auto permutation = node.integers("perm");
    if (permutation.empty()) {
        permutation.resize(from.shape.size());
        std::iota(permutation.rbegin(), permutation.rend(), 0);
    }
    Shape shape = *outputShape(TransposeAttributes{permutation}, {from.shape});
    return std::vector{rearranged(from, std::move(shape), [&](const auto& position) {
        std::vector<std::int64_t> source(position.size());
        for (std::size_t d = 0; d < position.size(); ++d)
            source[static_cast<std::size_t>(permutation[d])] = position[d];
        return linear(from.shape, source);
    })};
}

Results expand(const Node&, const ConstantOperands& operands) {
    const Constant& from = operand(operands, 0);
    Shape shape = broadcastShapes(from.shape, operand(operands, 1).ints);
    if (tooLarge(shape, operands))
        return std::nullopt;
    return std::vector{broadcastTo(from, shape, operands.most)};
}

Results tile(const Node&, const ConstantOperands& operands) {
    const Constant& from = operand(operands, 0);
    const auto& repeats = operand(operands, 1).ints;
    if (repeats.size() != from.shape.size())
        throw std::invalid_argument("its repeats do not have the rank of its input");
    Shape shape = from.shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (repeats[d] < 0 || repeats[d] > operands.most)
            return std::nullopt;
        shape[d] *= repeats[d];
    }
    if (tooLarge(shape, operands))
        return std::nullopt;
    return std::vector{rearranged(from, std::move(shape), [&](auto position) {
        for (std::size_t d = 0; d < position.size(); ++d)
            position[d] %= from.shape[d];
        return linear(from.shape, position);
    })};
}

Results gather(const Node& node, const ConstantOperands& operands) {
    const Constant& from = operand(operands, 0);
    const Constant& rows = operand(operands, 1);
    const std::size_t axis = normalizedAxis(node.integer("axis", 0), from.shape.size());
    Shape shape(from.shape.begin(), from.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    shape.insert(shape.end(), rows.shape.begin(), rows.shape.end());
    shape.insert(shape.end(), from.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                 from.shape.end());
    if (tooLarge(shape, operands))
        return std::nullopt;
    return std::vector{rearranged(from, std::move(shape), [&](const auto& position) {
        const auto begin = position.begin() + static_cast<std::ptrdiff_t>(axis);
        const auto end = begin + static_cast<std::ptrdiff_t>(rows.shape.size());
        std::int64_t row =
            valueAt(rows.ints, static_cast<std::size_t>(linear(rows.shape, {begin, end})));
        row = row < 0 ? row + from.shape[axis] : row;
        if (row < 0 || row >= from.shape[axis])
            throw std::invalid_argument(fmt::format("index {} lies outside of its input", row));
        std::vector<std::int64_t> source(position.begin(), begin);
        source.push_back(row);
        source.insert(source.end(), end, position.end());
        return linear(from.shape, source);
    })};
}

Results slice(const Node& node, const ConstantOperands& operands) {
    const Constant& from = operand(operands, 0);
    const auto starts = list(node, "starts", operands, 1);
    const auto ends = list(node, "ends", operands, 2);
    const auto axes = list(node, "axes", operands, 3);
    const auto steps = list(node, "steps", operands, 4);
    if (ends.size() != starts.size() || (!axes.empty() && axes.size() != starts.size()) ||
        (!steps.empty() && steps.size() != starts.size()))
        throw std::invalid_argument("starts, ends, axes and steps differ in length");
    std::vector<SliceRange> ranges;
    Shape shape = from.shape;
    for (const std::int64_t size : from.shape)
        ranges.push_back({0, 1, size});
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const auto axis = normalizedAxis(axes.empty() ? static_cast<std::int64_t>(i) : axes[i],
                                         from.shape.size());
        ranges[axis] =
            sliceRange(from.shape[axis], starts[i], ends[i], steps.empty() ? 1 : steps[i]);
        shape[axis] = ranges[axis].count;
    }
    return std::vector{rearranged(from, std::move(shape), [&](auto position) {
        for (std::size_t d = 0; d < position.size(); ++d)
            position[d] = ranges[d].start + position[d] * ranges[d].step;
        return linear(from.shape, position);
    })};
}

Results concat(const Node& node, const ConstantOperands& operands) {
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < operands.size(); ++i)
        shapes.push_back(operand(operands, i).shape);
    if (shapes.empty())
        throw std::invalid_argument("it has no operands");
    const std::size_t axis = normalizedAxis(node.integer("axis", 0), shapes[0].size());
    const Shape shape = *outputShape(ConcatAttributes{static_cast<std::int64_t>(axis)}, shapes);
    if (tooLarge(shape, operands))
        return std::nullopt;
    Constant joined{operands[0]->type, shape, {}, {}};
    for (const Constant* part : operands)
        if (isReal(part->type) != isReal(joined.type))
            throw std::invalid_argument("its operands differ in type");
    const std::int64_t outer =
        elementsOf({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)});
    for (std::int64_t row = 0; row < outer; ++row) {
        for (const Constant* part : operands) {
            const auto length = static_cast<std::ptrdiff_t>(part->size()) / outer;
            const auto copyRow = [&](const auto& from, auto& to) {
                to.insert(to.end(), from.begin() + row * length, from.begin() + (row + 1) * length);
            };
            if (isReal(joined.type))
                copyRow(part->reals, joined.reals);
            else
                copyRow(part->ints, joined.ints);
        }
    }
    return std::vector{std::move(joined)};
}

// Two's complement, as in a model's runtime.
/// The lower or upper triangle of the last two dimensions, zeros elsewhere.
Results trilu(const Node& node, const ConstantOperands& operands) {
    Constant result = operand(operands, 0);
    const std::size_t rank = result.shape.size();
    if (rank < 2 || tooLarge(result.shape, operands))
        return std::nullopt;
    const bool upper = node.integer("upper", 1) != 0;
    const std::int64_t diagonal =
        operands.size() > 1 && operands[1] != nullptr ? valueAt(operands[1]->ints, 0) : 0;
    const std::int64_t rows = result.shape[rank - 2];
    const std::int64_t columns = result.shape[rank - 1];
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t above = at % columns - at / columns % rows;
        if (upper ? above >= diagonal : above <= diagonal)
            continue;
        if (isReal(result.type))
            result.reals[i] = 0;
        else
            result.ints[i] = 0;
    }
    return std::vector{std::move(result)};
}

std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrappingProduct(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

Results range(const Node&, const ConstantOperands& operands) {
    const Constant& start = operand(operands, 0);
    const Constant& limit = operand(operands, 1);
    const Constant& delta = operand(operands, 2);
    const double step = delta.real(0);
    if (step == 0)
        throw std::invalid_argument("its step is 0");
    const double count = std::max(0.0, std::ceil((limit.real(0) - start.real(0)) / step));
    if (!(count <= static_cast<double>(operands.most)))
        return std::nullopt;
    Constant result{start.type, {static_cast<std::int64_t>(count)}, {}, {}};
    for (std::int64_t i = 0; i < result.shape[0]; ++i) {
        if (isReal(start.type))
            result.reals.push_back(valueAt(start.reals, 0) + static_cast<double>(i) * step);
        else
            result.ints.push_back(
                wrappingSum(valueAt(start.ints, 0), wrappingProduct(i, valueAt(delta.ints, 0))));
    }
    return std::vector{std::move(result)};
}

Results nonZero(const Node&, const ConstantOperands& operands) {
    const Constant& from = operand(operands, 0);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from.real(i) != 0)
            found.push_back(i);
    }
    const auto rank = static_cast<std::int64_t>(from.shape.size());
    Constant result{ElementType::Int64, {rank, static_cast<std::int64_t>(found.size())}, {}, {}};
    std::int64_t inner = elementsOf(from.shape);
    for (const std::int64_t size : from.shape) {
        inner /= std::max<std::int64_t>(size, 1);
        for (const std::size_t i : found)
            result.ints.push_back(static_cast<std::int64_t>(i) / inner % size);
    }
    return std::vector{std::move(result)};
}

const std::unordered_map<std::string, Evaluator>& evaluators() {
    static const std::unordered_map<std::string, Evaluator> table{
        {"Identity", identity},   {"Constant", constant}, {"ConstantOfShape", constantOfShape},
        {"Reshape", reshape},     {"Flatten", flatten},   {"Squeeze", squeeze},
        {"Unsqueeze", unsqueeze}, {"Expand", expand},     {"Transpose", transpose},
        {"Tile", tile},           {"Gather", gather},     {"Slice", slice},
        {"Concat", concat},       {"Range", range},       {"NonZero", nonZero},
        {"Trilu", trilu},
    };
    return table;
}

} // namespace

std::optional<std::vector<Constant>> evaluate(const Node& node, const ConstantOperands& operands) {
    try {
        if (const auto found = evaluators().find(node.type); found != evaluators().end())
            return found->second(node, operands);
        return evaluateArithmetic(node, operands);
    } catch (const std::bad_variant_access&) {
        throw std::invalid_argument("an attribute has the wrong type");
    }
}

bool isEvaluable(const std::string& type) {
    return evaluators().contains(type) || isArithmetic(type);
}

} // namespace tilescope::sim
