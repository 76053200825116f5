#include "simulator/pipeline/stages.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "core/base/error.h"
#include "core/base/suggest.h"

namespace tilescope::sim {
namespace {

[[noreturn]] void refuseSplit(const Graph& graph, const std::string& name) {
    std::vector<std::string> known;
    for (const Op& op : graph.ops)
        for (std::size_t end = op.name.find('/');; end = op.name.find('/', end + 1)) {
            const std::string scope = op.name.substr(0, end);
            if (known.empty() || known.back() != scope)
                known.push_back(scope);
            if (end == std::string::npos)
                break;
        }
    // Outermost scopes, which is where models are usually cut.
    constexpr std::size_t shown = 8;
    std::vector<std::string> outer;
    for (const std::string& scope : known)
        if (!scope.empty() && scope.find('/') == std::string::npos && outer.size() <= shown &&
            (outer.empty() || outer.back() != scope))
            outer.push_back(outer.size() == shown ? "..." : scope);
    throw UserError(fmt::format("option split (--split): the model has no operation or scope "
                                "'{}'{}; it has {}",
                                name, didYouMean(name, known), fmt::join(outer, ", ")));
}

class CopyInserter {
public:
    explicit CopyInserter(Graph& graph)
        : graph_(graph)
        , home_(graph.tensors.size(), -1)
        , phase_(graph.tensors.size(), Phase::Forward) {}

    void run() {
        for (const Op& op : graph_.ops)
            for (const TensorId in : op.inputs)
                if (graph_.tensors[in].role != TensorRole::Activation && home_[in.index()] < 0)
                    home_[in.index()] = op.stage;
        IdVector<OpId, Op> ops;
        for (Op& op : graph_.ops) {
            executionPhase_ = op.executionPhase;
            for (TensorId& in : op.inputs)
                in = local(in, op.stage, ops);
            for (const TensorId out : op.outputs) {
                home_[out.index()] = op.stage;
                phase_[out.index()] = op.phase;
            }
            ops.add(std::move(op));
        }
        graph_.ops = std::move(ops);
    }

private:
    TensorId local(TensorId id, std::int32_t stage, IdVector<OpId, Op>& ops) {
        const std::int32_t home = home_[id.index()];
        if (home == stage)
            return id;
        if (const auto known = copies_.find({id, stage}); known != copies_.end())
            return known->second;
        TensorId made;
        if (graph_.tensors[id].role == TensorRole::Constant) {
            made = added(graph_.tensors[id], stage, phase_[id.index()]);
        } else {
            const std::int32_t before = stage > home ? stage - 1 : stage + 1;
            const TensorId from = local(id, before, ops);
            Tensor copy = graph_.tensors[from];
            copy.role = TensorRole::Activation;
            copy.name = fmt::format("{}_c{}", graph_.tensors[id].name, stage);
            const Phase phase = phase_[id.index()];
            made = added(std::move(copy), stage, phase);
            Op op;
            op.name = graph_.tensors[made].name + "/ipuCopy";
            op.onnxType = "IpuCopy";
            op.onnxNode = graph_.tensors[id].name;
            op.attributes = IpuCopyAttributes{before, stage};
            op.inputs = {from};
            op.outputs = {made};
            op.phase = phase;
            op.stage = before;
            op.executionPhase = executionPhase_;
            ops.add(std::move(op));
        }
        copies_[{id, stage}] = made;
        return made;
    }

    TensorId added(Tensor tensor, std::int32_t stage, Phase phase) {
        const TensorId id = graph_.tensors.add(std::move(tensor));
        home_.push_back(stage);
        phase_.push_back(phase);
        return id;
    }

    Graph& graph_;
    std::int32_t executionPhase_ = -1; ///< of the operation that reads
    std::vector<std::int32_t> home_;
    std::vector<Phase> phase_;
    std::map<std::pair<TensorId, std::int32_t>, TensorId> copies_;
};

/// True if the costs can be cut in `stages` runs of at most `most` each.
bool fits(const std::vector<double>& costs, std::int32_t stages, double most) {
    std::int32_t used = 1;
    double sum = 0;
    for (const double cost : costs) {
        if (sum + cost > most && sum > 0) {
            ++used;
            sum = 0;
        }
        sum += cost;
    }
    return used <= stages;
}

} // namespace

bool isInScope(const std::string& op, const std::string& scope) {
    return op == scope ||
           (op.size() > scope.size() && op.starts_with(scope) && op[scope.size()] == '/');
}

void splitAt(Graph& graph, const std::vector<std::string>& splits) {
    std::int32_t stage = 0;
    std::size_t next = 0;
    for (Op& op : graph.ops) {
        while (next < splits.size() && isInScope(op.name, splits[next])) {
            ++next;
            ++stage;
        }
        op.stage = stage;
    }
    if (next == splits.size())
        return;
    const bool exists = std::any_of(graph.ops.begin(), graph.ops.end(),
                                    [&](const Op& op) { return isInScope(op.name, splits[next]); });
    if (!exists)
        refuseSplit(graph, splits[next]);
    throw UserError(fmt::format("option split (--split): '{}' does not come after '{}'; name the "
                                "splits in the order of the model",
                                splits[next], splits[next - 1]));
}

std::vector<std::int32_t> evenParts(const std::vector<double>& costs, std::int32_t parts) {
    double low = 0;
    double high = 0;
    for (const double cost : costs) {
        low = std::max(low, cost);
        high += cost;
    }
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (fits(costs, parts, middle) ? high : low) = middle;
    }
    std::vector<std::int32_t> result;
    std::int32_t part = 0;
    std::size_t first = 0; // item of the part
    double sum = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        // Every part gets an item, even where the costs would let the last go empty.
        const bool mustCut =
            static_cast<std::int64_t>(costs.size() - i) <= parts - 1 - part && i > first;
        if (((sum + costs[i] > high && sum > 0) || mustCut) && part + 1 < parts) {
            ++part;
            first = i;
            sum = 0;
        }
        sum += costs[i];
        result.push_back(part);
    }
    return result;
}

void splitEvenly(Graph& graph, std::int32_t stages, const std::vector<double>& costs) {
    const std::vector<std::int32_t> parts = evenParts(costs, stages);
    for (std::size_t i = 0; i < graph.ops.size(); ++i)
        graph.ops[OpId(i)].stage = parts[i];
}

void insertIpuCopies(Graph& graph) {
    CopyInserter(graph).run();
}

} // namespace tilescope::sim
