#include "simulator/compute/kernels/broadcast.h"

namespace tilescope::sim {
namespace {

/// Strides of an operand along each dimension of the result.
std::vector<std::int64_t> broadcastStrides(const Shape& result, const Shape& operand) {
    std::vector<std::int64_t> strides(result.size(), 0);
    const std::size_t lead = result.size() - operand.size();
    std::int64_t step = 1;
    for (std::size_t d = operand.size(); d-- > 0;) {
        strides[lead + d] = operand[d] == 1 ? 0 : step;
        step *= operand[d];
    }
    return strides;
}

} // namespace

Broadcast broadcastOver(const Shape& result, const std::vector<Shape>& operands) {
    std::vector<std::vector<std::int64_t>> all;
    for (const Shape& operand : operands)
        all.push_back(broadcastStrides(result, operand));
    Broadcast over;
    over.strides.resize(operands.size());
    over.elements = elementsOf(result);
    for (std::size_t d = 0; d < result.size(); ++d) {
        if (result[d] == 1)
            continue;
        bool joins = !over.sizes.empty();
        for (std::size_t k = 0; joins && k < all.size(); ++k)
            joins = over.strides[k].back() == all[k][d] * result[d];
        if (joins)
            over.sizes.back() *= result[d];
        else
            over.sizes.push_back(result[d]);
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (joins)
                over.strides[k].back() = all[k][d];
            else
                over.strides[k].push_back(all[k][d]);
        }
    }
    if (over.sizes.empty()) {
        over.sizes = {1};
        for (auto& strides : over.strides)
            strides = {0};
    }
    return over;
}

} // namespace tilescope::sim
