// How often the class with the highest score is the right one.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "simulator/graph/graph.h"
#include "simulator/graph/tensor_data.h"

namespace tilescope::sim {

struct ScoreCount {
    std::int64_t right = 0, of = 0;
    double loss = 0; ///< sum of -log(score of the right class)
    /// The difference to an earlier count.
    [[nodiscard]] ScoreCount since(const ScoreCount& before) const {
        return {right - before.right, of - before.of, loss - before.loss};
    }
};

/// Counts for probabilities and the wanted distribution, both [..., classes, ...] of one shape: the
/// classes are the dimension along which the wanted values add up to one. `logarithms`: of
/// probabilities; where labels are weighted or left out nothing is counted.
ScoreCount countScores(const TensorData& probabilities, const TensorData& wanted,
                       bool logarithms = false);

/// Watches the operands of a graph's cross-entropy, or of its negative log likelihood, wherever
/// outlining has put it.
class ScoreWatch {
public:
    explicit ScoreWatch(const Graph& prepared);
    /// To be called with every value that is made (HostPort::watch).
    void see(const Graph& graph, TensorId tensor, std::int64_t replica, const TensorData& value);
    [[nodiscard]] bool isEmpty() const { return operands_.empty(); }
    [[nodiscard]] const ScoreCount& count() const { return count_; }
    void reset() { count_ = {}; }

private:
    struct Operands {
        const Graph* graph;
        TensorId probabilities, wanted;
        bool logarithms = false;
    };
    std::vector<Operands> operands_;
    std::map<std::pair<std::size_t, std::int64_t>, TensorData> probabilities_, wanted_;
    ScoreCount count_;
};

} // namespace tilescope::sim
