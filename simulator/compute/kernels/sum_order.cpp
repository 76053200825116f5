#include <algorithm>

#include "core/base/ceil_div.h"
#include "simulator/compute/kernels/partial_sums.h"

namespace tilescope::sim {
namespace {

struct IndexRange {
    std::int64_t begin = 0, end = 0;
};

/// The n-th part, of ceil(size / parts) elements each.
IndexRange partOf(std::int64_t size, std::int64_t parts, std::int64_t n) {
    const std::int64_t each = ceilDiv(size, parts);
    return {std::min(n * each, size), std::min((n + 1) * each, size)};
}

/// Calls visit(index) for every index of a box, the last dimension fastest.
template <class Visit>
void forEachIndex(const std::vector<IndexRange>& box, const std::vector<std::int64_t>& steps,
                  const Visit& visit) {
    std::vector<std::int64_t> index;
    for (const IndexRange& range : box) {
        if (range.begin >= range.end)
            return;
        index.push_back(range.begin);
    }
    for (;;) {
        visit(index);
        std::size_t d = box.size();
        for (; d > 0; --d) {
            index[d - 1] += steps[d - 1];
            if (index[d - 1] < box[d - 1].end)
                break;
            index[d - 1] = box[d - 1].begin;
        }
        if (d == 0)
            return;
    }
}

class OrderBuilder {
public:
    OrderBuilder(const PartialSums& sums, std::int64_t channels,
                 const std::vector<std::int64_t>& kernel)
        : sums_(sums)
        , channels_(channels)
        , kernel_(kernel)
        , own_(kernel)
        , joined_(channels)
        , ones_(kernel.size(), 1) {
        for (const int d : sums.expanded) {
            own_[static_cast<std::size_t>(d)] = 1;
            joined_ *= kernel[static_cast<std::size_t>(d)];
        }
        passes_ = ones_;
        if (!passes_.empty()) {
            passes_.front() = sums.passRows;
            passes_.back() = std::max(passes_.back(), sums.passColumns);
        }
    }

    SumOrder run() {
        const std::int64_t group = std::clamp<std::int64_t>(sums_.group, 1, joined_);
        for (std::int64_t s = 0; s < sums_.serialParts; ++s) {
            const IndexRange step = partOf(joined_, sums_.serialParts, s);
            const std::int64_t groups = ceilDiv(step.end - step.begin, group);
            for (std::int64_t c = 0; c < sums_.channelParts; ++c) {
                const IndexRange own = partOf(groups, sums_.channelParts, c);
                addKernelParts({step.begin + own.begin * group,
                                std::min(step.begin + own.end * group, step.end)},
                               group);
            }
            order_.stepEnds.push_back(order_.partEnds.size());
        }
        return std::move(order_);
    }

private:
    void addKernelParts(IndexRange joined, std::int64_t group) {
        std::vector<IndexRange> parts;
        for (std::size_t d = 0; d < own_.size(); ++d)
            parts.push_back({0, d < sums_.kernelParts.size() ? sums_.kernelParts[d] : 1});
        forEachIndex(parts, ones_, [&](const std::vector<std::int64_t>& part) {
            std::vector<IndexRange> box;
            for (std::size_t d = 0; d < own_.size(); ++d)
                box.push_back(partOf(own_[d], parts[d].end, part[d]));
            addPart(joined, group, box);
        });
    }

    void addPart(IndexRange joined, std::int64_t group, const std::vector<IndexRange>& box) {
        const std::size_t before = order_.passEnds.size();
        for (std::int64_t first = joined.begin; first < joined.end; first += group)
            forEachIndex(box, passes_, [&](const std::vector<std::int64_t>& at) {
                std::vector<IndexRange> pass;
                for (std::size_t d = 0; d < box.size(); ++d)
                    pass.push_back({at[d], std::min(at[d] + passes_[d], box[d].end)});
                forEachIndex(pass, ones_, [&](const std::vector<std::int64_t>& position) {
                    for (std::int64_t j = first; j < std::min(first + group, joined.end); ++j)
                        order_.terms.push_back(termOf(j, position));
                });
                order_.passEnds.push_back(order_.terms.size());
            });
        if (order_.passEnds.size() > before)
            order_.partEnds.push_back(order_.passEnds.size());
    }

    /// Kernel dimensions join the channels one after the other, each outside of those before
    /// (PopLibs poplin/ConvTransforms.cpp, expandSpatialDim).
    SumOrder::Term termOf(std::int64_t joined, const std::vector<std::int64_t>& position) {
        position_ = position;
        const std::int64_t channel = joined % channels_;
        std::int64_t rest = joined / channels_;
        for (const int d : sums_.expanded) {
            const auto at = static_cast<std::size_t>(d);
            position_[at] = rest % kernel_[at];
            rest /= kernel_[at];
        }
        std::int64_t tap = 0;
        for (std::size_t d = 0; d < kernel_.size(); ++d)
            tap = tap * kernel_[d] + position_[d];
        return {channel, tap};
    }

    const PartialSums& sums_;
    const std::int64_t channels_;
    const std::vector<std::int64_t>& kernel_;
    std::vector<std::int64_t> own_; ///< kernel dimensions that are not made channels
    std::int64_t joined_;           ///< channels with the kernel dimensions made channels
    std::vector<std::int64_t> ones_, passes_, position_;
    SumOrder order_;
};

} // namespace

SumOrder sumOrder(const PartialSums& sums, std::int64_t channels,
                  const std::vector<std::int64_t>& kernel, bool turned) {
    SumOrder order = OrderBuilder(sums, channels, kernel).run();
    std::int64_t taps = 1;
    for (const std::int64_t size : kernel)
        taps *= size;
    if (turned)
        for (SumOrder::Term& term : order.terms)
            term.tap = taps - 1 - term.tap;
    return order;
}

const SumOrder& SumOrders::of(const PartialSums& sums, std::int64_t channels,
                              const std::vector<std::int64_t>& kernel, bool turned) {
    for (const Known& known : known_)
        if (known.channels == channels && known.turned == turned && known.kernel == kernel &&
            known.sums == sums)
            return known.order;
    known_.push_back({sums, channels, kernel, turned, sumOrder(sums, channels, kernel, turned)});
    return known_.back().order;
}

} // namespace tilescope::sim
