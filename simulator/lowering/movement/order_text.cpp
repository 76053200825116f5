#include "simulator/lowering/movement/order_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/ceil_div.h"

namespace tilescope::sim {
namespace {

/// Part of a dimension's index: (index / inner) % size, of a dimension of `whole` indices.
struct Part {
    std::size_t dim = 0;
    std::int64_t inner = 1;
    std::int64_t size = 1;
    std::int64_t whole = 1;
    bool group = false; ///< the innermost indices, of which an outer level counts the groups

    [[nodiscard]] bool isWhole() const { return size == whole; }
};

/// Where each atom is in its dimension.
std::vector<Part> partsOfAtoms(const ViewDims& view, const Storage& storage) {
    std::vector<Part> parts(storage.atomSizes.size());
    for (std::size_t d = 0; d < view.size(); ++d) {
        std::int64_t inner = 1;
        for (auto atom = view[d].rbegin(); atom != view[d].rend(); ++atom) {
            const std::int64_t size = storage.atomSizes[static_cast<std::size_t>(*atom)];
            parts[static_cast<std::size_t>(*atom)] = {d, inner, size, sizeOf(view[d], storage)};
            inner *= size;
        }
    }
    return parts;
}

std::vector<Part> partsOfLevels(const std::vector<OrderLevel>& order, const ViewDims& view,
                                const Storage& storage) {
    const std::vector<Part> atoms = partsOfAtoms(view, storage);
    std::vector<std::int64_t> counted(atoms.size(), 1);
    std::vector<Part> parts;
    for (auto level = order.rbegin(); level != order.rend(); ++level) {
        const auto at = static_cast<std::size_t>(level->atom);
        Part part = atoms[at];
        const std::int64_t left = ceilDiv(part.size, counted[at]);
        const std::int64_t size = level->extent == 0 ? left : std::min(level->extent, left);
        part.group = size < left && part.inner == 1 && counted[at] == 1;
        part.inner *= counted[at];
        part.size = size;
        counted[at] *= size;
        if (size > 1)
            parts.push_back(part);
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
}

/// Neighbours that are the outer and inner part of one index become one level.
std::vector<Part> joined(const std::vector<Part>& parts) {
    std::vector<Part> result;
    for (const Part& part : parts) {
        if (!result.empty() && result.back().dim == part.dim &&
            result.back().inner == part.inner * part.size) {
            result.back().inner = part.inner;
            result.back().size *= part.size;
            result.back().group = false;
        } else {
            result.push_back(part);
        }
    }
    return result;
}

std::string partText(const Part& part, const std::vector<std::string>& names, bool oneGroup) {
    const std::string& name = names.at(part.dim);
    if (part.isWhole())
        return name;
    if (part.group)
        return oneGroup ? fmt::format("{}", part.size) : fmt::format("{}{}", part.size, name);
    std::string text = name;
    if (part.inner > 1)
        text += fmt::format("/{}", part.inner);
    if (part.inner * part.size < part.whole)
        text += fmt::format("%{}", part.size);
    return text;
}

} // namespace

std::vector<std::string> dimensionNames(const Op& op, std::size_t operand, std::size_t rank) {
    const bool convolution = std::holds_alternative<ConvAttributes>(op.attributes) ||
                             std::holds_alternative<ConvGradInputAttributes>(op.attributes) ||
                             std::holds_alternative<ConvGradWeightsAttributes>(op.attributes);
    const bool field = convolution || std::holds_alternative<PoolAttributes>(op.attributes);
    std::vector<std::string> names;
    if (field && rank >= 3 && rank <= 5) {
        const bool weights =
            operand == 1 && !std::holds_alternative<ConvGradWeightsAttributes>(op.attributes);
        names = weights ? std::vector<std::string>{"O", "I", "Z", "Y", "X"}
                        : std::vector<std::string>{"N", "C", "D", "H", "W"};
        names.erase(names.begin() + 2, names.end() - static_cast<std::ptrdiff_t>(rank - 2));
        return names;
    }
    for (std::size_t d = 0; d < rank; ++d)
        names.push_back(fmt::format("d{}", d));
    return names;
}

std::string orderText(const std::vector<OrderLevel>& order, const ViewDims& view,
                      const Storage& storage, const std::vector<std::string>& names) {
    const std::vector<Part> parts = joined(partsOfLevels(order, view, storage));
    const auto groups =
        std::count_if(parts.begin(), parts.end(), [](const Part& p) { return p.group; });
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        // Neighbouring field dimensions are one: "[HW]".
        const bool continues = i > 0 && parts[i].isWhole() && parts[i - 1].isWhole() &&
                               parts[i].dim == parts[i - 1].dim + 1 && parts[i - 1].dim >= 2 &&
                               names.at(parts[i].dim).size() == 1;
        if (continues)
            text.pop_back();
        else
            text += '[';
        text += partText(parts[i], names, groups == 1) + ']';
    }
    return text.empty() ? "[1]" : text;
}

} // namespace tilescope::sim
