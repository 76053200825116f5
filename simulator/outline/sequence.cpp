#include "simulator/outline/sequence.h"

#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "simulator/graph/elementwise_traits.h"
#include "simulator/graph/multi_conv_groups.h"
#include "simulator/schedule/reruns.h"
#include "simulator/training/autodiff.h"

namespace tilescope::sim {
namespace {

constexpr double highValue = 1000;
constexpr double lowValue = 0.1;

using TensorKey = std::tuple<Shape, DataType, TensorRole>;
using OpKey = std::tuple<Attributes, std::vector<TensorKey>, std::vector<TensorKey>, Pass, IpuId,
                         bool, std::optional<double>, std::optional<DataType>, std::string,
                         std::optional<MultiConv>>;

std::vector<TensorKey> keysOf(const Graph& graph, const std::vector<TensorId>& ids) {
    std::vector<TensorKey> keys;
    for (const TensorId id : ids) {
        const Tensor& t = graph.tensors[id];
        // The first layer reads an input where the others read an activation.
        keys.emplace_back(t.shape, t.type,
                          t.role == TensorRole::Input ? TensorRole::Activation : t.role);
    }
    return keys;
}

OpKey keyOf(const Graph& graph, const Op& op) {
    return {op.attributes, keysOf(graph, op.inputs), keysOf(graph, op.outputs), op.pass,
            graph.ipuOf(op.stage), op.recomputeGroup >= 0, op.availableMemory, op.partialsType,
            // Steps of an optimizer that compute alike, such as those of a weight and of its
            // momentum, are different ones.
            op.pass == Pass::Update ? op.type : "",
            op.multiConv ? std::optional(*op.multiConv) : std::nullopt};
}

/// The sum of squares of an optimizer's norm, or of several.
bool isNormOfUpdate(const Op& op) {
    const auto* reduce = std::get_if<ReduceAttributes>(&op.attributes);
    const auto* joint = std::get_if<JointReduceAttributes>(&op.attributes);
    return op.pass == Pass::Update &&
           ((reduce != nullptr && reduce->function == ReduceFunction::SquareAdd) ||
            (joint != nullptr && joint->functions.front() == ReduceFunction::SquareAdd));
}

/// Normalisations, which are one operation each way in the model and several here, and convolutions
/// that run together.
class Wholes {
public:
    explicit Wholes(const Graph& graph) {
        for (const Op& op : graph.ops)
            if (op.type.ends_with("Normalization"))
                norms_.insert(op.onnxNode);
        norms_.erase("");
        for (const Op& op : graph.ops)
            if (isPart(op))
                ++parts_[{op.onnxNode, op.pass}];
        for (const std::vector<OpId>& members : multiConvsOf(graph)) {
            for (const OpId id : members)
                together_[&graph.ops[id]] = static_cast<std::int32_t>(parts_.size() + groups_);
            ++groups_;
        }
    }

    /// OpSequence::values
    [[nodiscard]] double valueOf(const Op& op) const {
        if (isPlanned(op.attributes) || isNormOfUpdate(op))
            return highValue;
        const auto parts = partsOf(op);
        return parts == parts_.end() ? lowValue : highValue / parts->second;
    }

    /// OpSequence::wholes
    [[nodiscard]] std::int32_t wholeOf(const Op& op) const {
        if (const auto group = together_.find(&op); group != together_.end())
            return group->second;
        const auto parts = partsOf(op);
        return parts == parts_.end()
                   ? -1
                   : static_cast<std::int32_t>(std::distance(parts_.begin(), parts));
    }

private:
    using Parts = std::map<std::pair<std::string, Pass>, int>;

    /// The sum of gradients before the gradient of a normalisation is not a part of it.
    [[nodiscard]] bool isPart(const Op& op) const {
        return norms_.contains(op.onnxNode) && op.type != gradientSumType;
    }

    [[nodiscard]] Parts::const_iterator partsOf(const Op& op) const {
        return isPart(op) ? parts_.find({op.onnxNode, op.pass}) : parts_.end();
    }

    std::set<std::string> norms_; ///< nodes of the model
    Parts parts_;
    std::map<const Op*, std::int32_t> together_; ///< convolutions that run at the same time
    std::size_t groups_ = 0;
};

/// The statistics that replicas share are a part of their normalisation.
bool isOfStatistics(const Op& op) {
    const auto* collective = std::get_if<CollectiveAttributes>(&op.attributes);
    return collective != nullptr && collective->kind == CollectiveKind::AllReduce &&
           !collective->inPlace;
}

bool staysOutside(const Op& op) {
    if (!op.mayOutline)
        return true;
    if (op.pass == Pass::Update)
        return !std::holds_alternative<ElementwiseAttributes>(op.attributes) &&
               !std::holds_alternative<ReduceAttributes>(op.attributes);
    return overwritesOperand(op) || !(traitsOf(op.attributes).isOutlined || isOfStatistics(op));
}

/// Only copies to remote buffers, which wait for their operands, may move between the steps of an
/// optimizer: others could read a weight before instead of after its update, or load state that
/// would then be live for longer.
bool endsUpdate(const Op& op) {
    return op.pass == Pass::Update && staysOutside(op) &&
           !std::holds_alternative<RemoteStoreAttributes>(op.attributes);
}

/// Operations that a function cannot extend across, since they restore values that an earlier call
/// would need as well and keep live for longer: a restore (popart op/restore.hpp, isOutlineable),
/// and recomputed operations, which in a pipeline have one before them.
class Returns {
public:
    explicit Returns(const Graph& graph)
        : reruns_(graph) {}

    /// To be called for all operations in order.
    bool isBefore(const Op& op) {
        bool brings = std::holds_alternative<RestoreAttributes>(op.attributes);
        if (op.pass != Pass::Backward)
            return brings;
        for (const TensorId in : op.inputs)
            if (const std::int32_t group = reruns_.groupOf(in); group >= 0)
                brings = seen_.insert(group).second || brings;
        return brings;
    }

private:
    const Reruns reruns_;
    std::set<std::int32_t> seen_; ///< groups that have run again
};

bool isNamed(const Op& op, const PlanningOptions& options) {
    const auto& named = options.availableMemoryProportionByOperation;
    return named.contains(op.name) || named.contains(op.onnxNode);
}

} // namespace

bool overwritesOperand(const Op& op) {
    if (const auto* elementwise = std::get_if<ElementwiseAttributes>(&op.attributes))
        return traitsOf(elementwise->function).updatesInPlace;
    if (const auto* collective = std::get_if<CollectiveAttributes>(&op.attributes))
        return collective->kind != CollectiveKind::ReduceScatter && collective->inPlace;
    return std::holds_alternative<MultiUpdateAttributes>(op.attributes) ||
           (std::holds_alternative<RemoteLoadAttributes>(op.attributes) && !op.inputs.empty()) ||
           (std::holds_alternative<RestoreAttributes>(op.attributes) && op.inputs.size() > 1);
}

double OpSequence::valueOf(std::int32_t start, std::int32_t length) const {
    return std::accumulate(values.begin() + start, values.begin() + start + length, 0.0);
}

bool OpSequence::canCut(std::int32_t position) const {
    const auto at = static_cast<std::size_t>(position);
    return at == 0 || at == size() || wholes[at] < 0 || wholes[at] != wholes[at - 1];
}

OpSequence opSequence(const Graph& graph, const PlanningOptions& options) {
    OpSequence sequence;
    std::map<OpKey, std::int32_t> letters;
    const Wholes wholes(graph);
    Returns returns(graph);
    std::int32_t run = 0;
    const Op* last = nullptr;
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
        const Op& op = graph.ops[OpId(i)];
        if (returns.isBefore(op) || endsUpdate(op))
            ++run;
        if (staysOutside(op) || isNamed(op, options))
            continue;
        if (last != nullptr && (last->pass != op.pass || last->stage != op.stage ||
                                last->executionPhase != op.executionPhase ||
                                last->recomputeGroup != op.recomputeGroup))
            ++run;
        last = &op;
        const auto next = static_cast<std::int32_t>(letters.size());
        sequence.ops.emplace_back(i);
        sequence.letters.push_back(letters.emplace(keyOf(graph, op), next).first->second);
        sequence.cuts.push_back(run);
        sequence.wholes.push_back(wholes.wholeOf(op));
        sequence.values.push_back(wholes.valueOf(op));
    }
    return sequence;
}

TensorUses::TensorUses(const Graph& graph)
    : producers_(graph.producers())
    , readers_(graph.consumers())
    , results_(graph.tensors.size(), false) {
    for (const TensorId id : graph.outputs)
        results_[id.index()] = true;
}

} // namespace tilescope::sim
