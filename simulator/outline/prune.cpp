#include "simulator/outline/matches.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tilescope::sim {
namespace {

/// The worth of consecutive operations, added one after the other.
class GrowingPart {
public:
    GrowingPart(const Graph& graph, const TensorUses& uses)
        : graph_(graph)
        , uses_(uses) {}

    void add(OpId id, double value) {
        const Op& op = graph_.ops[id];
        double bytesRead = 0;
        const std::set<TensorId> operands(op.inputs.begin(), op.inputs.end());
        for (const TensorId in : operands) {
            bytesRead += static_cast<double>(graph_.tensors[in].bytes());
            const auto made = readersOutside_.find(in);
            if (made == readersOutside_.end()) {
                if (entered_.insert(in).second)
                    worth_ -= costOf(in);
            } else if (--made->second == 0) {
                worth_ += costOf(in);
            }
        }
        for (const TensorId out : op.outputs) {
            const std::size_t readers = uses_.readers(out).size() + (uses_.isResult(out) ? 1 : 0);
            readersOutside_[out] = readers;
            if (readers > 0)
                worth_ -= costOf(out);
        }
        worth_ += value * std::sqrt(bytesRead);
    }

    [[nodiscard]] double worth() const { return worth_; }

private:
    [[nodiscard]] double costOf(TensorId id) const {
        return std::sqrt(static_cast<double>(graph_.tensors[id].bytes()));
    }

    const Graph& graph_;
    const TensorUses& uses_;
    std::map<TensorId, std::size_t> readersOutside_; ///< of tensors made inside
    std::set<TensorId> entered_;
    double worth_ = 0;
};

struct Part {
    std::int32_t first = 0, end = 0; ///< offsets within the match
};

/// Offsets within a match at which neither a match within it nor an indivisible group is cut.
std::vector<bool> allowedCuts(const OpSequence& sequence, const OutlineMatch& match,
                              const std::vector<OutlineMatch>& within) {
    const std::int32_t begin = match.starts.front();
    std::vector<bool> allowed;
    for (std::int32_t i = 0; i <= match.length; ++i)
        allowed.push_back(sequence.canCut(begin + i));
    for (const OutlineMatch& inner : within)
        for (auto start = std::lower_bound(inner.starts.begin(), inner.starts.end(), begin);
             start != inner.starts.end() && *start < begin + match.length; ++start)
            std::fill_n(allowed.begin() + (*start - begin) + 1, inner.length - 1, false);
    return allowed;
}

Part bestPart(const Graph& graph, const OpSequence& sequence, const TensorUses& uses,
              const OutlineMatch& match, const std::vector<bool>& allowed) {
    Part best;
    double most = 0;
    for (std::int32_t first = 0; first < match.length; ++first) {
        if (!allowed[static_cast<std::size_t>(first)])
            continue;
        GrowingPart part(graph, uses);
        for (std::int32_t i = first; i < match.length; ++i) {
            const auto at = static_cast<std::size_t>(match.starts.front() + i);
            part.add(sequence.ops[at], sequence.values[at]);
            if (part.worth() > most && allowed[static_cast<std::size_t>(i) + 1]) {
                most = part.worth();
                best = {first, i + 1};
            }
        }
    }
    return best;
}

} // namespace

void pruneByCopyCost(const Graph& graph, const OpSequence& sequence, const TensorUses& uses,
                     std::vector<OutlineMatch>& matches) {
    std::stable_sort(
        matches.begin(), matches.end(),
        [](const OutlineMatch& a, const OutlineMatch& b) { return a.length < b.length; });
    std::vector<OutlineMatch> kept;
    for (OutlineMatch& match : matches) {
        const Part part =
            bestPart(graph, sequence, uses, match, allowedCuts(sequence, match, kept));
        match.length = part.end - part.first;
        if (match.length == 0)
            continue;
        for (std::int32_t& start : match.starts)
            start += part.first;
        match.value = sequence.valueOf(match.starts.front(), match.length);
        const bool same = std::any_of(kept.begin(), kept.end(), [&](const OutlineMatch& inner) {
            return inner.length == match.length &&
                   std::binary_search(inner.starts.begin(), inner.starts.end(),
                                      match.starts.front());
        });
        if (!same)
            kept.push_back(std::move(match));
    }
    matches = std::move(kept);
}

} // namespace tilescope::sim
