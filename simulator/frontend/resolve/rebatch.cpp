#include "simulator/frontend/resolve/rebatch.h"

#include <algorithm>

#include <fmt/format.h>

namespace tilescope::sim {

namespace {

std::vector<std::int64_t> constantTarget(const Node& node,
                                         const std::unordered_map<std::string, Value>& values) {
    if (node.inputs.size() < 2)
        return node.integers("shape");
    const Value& value = values.at(node.inputs[1]);
    return value.data ? value.data->ints : std::vector<std::int64_t>();
}

bool isImpossible(const std::vector<std::int64_t>& target) {
    constexpr std::int64_t limit = std::int64_t{1} << 31;
    return std::any_of(target.begin(), target.end(),
                       [](std::int64_t size) { return size < -1 || size > limit; });
}

/// Elements of the target without its open dimension (-1); a 0 copies the input's dimension.
double knownElements(const std::vector<std::int64_t>& target, const Shape& input) {
    double result = 1;
    for (std::size_t i = 0; i < target.size(); ++i) {
        const bool copied = target[i] == 0 && i < input.size();
        if (target[i] != -1)
            result *= static_cast<double>(copied ? input[i] : target[i]);
    }
    return result;
}

} // namespace

std::optional<std::vector<std::int64_t>>
Rebatch::target(const Node& node, const std::unordered_map<std::string, Value>& values) {
    if (!change_ || node.type != "Reshape" || node.inputs.empty())
        return std::nullopt;
    const Value& input = values.at(node.inputs[0]);
    auto target = constantTarget(node, values);
    const bool moves = input.role == TensorRole::Activation || input.role == TensorRole::Input;
    if (!moves || target.empty() || target[0] <= 0 || isImpossible(target) ||
        target[0] % change_->before != 0)
        return std::nullopt;
    const auto elements = static_cast<double>(elementsOf(input.shape));
    const double known = knownElements(target, input.shape);
    const double growth = static_cast<double>(change_->now) / static_cast<double>(change_->before);
    const bool open = std::find(target.begin(), target.end(), -1) != target.end();
    // With an open dimension the old target may fit by chance and would absorb the batch.
    const bool carriesBatch = open && !input.shape.empty() && target[0] == change_->before &&
                              input.shape[0] % change_->now == 0;
    if (!carriesBatch && (open || known == elements || known * growth != elements))
        return std::nullopt;
    target[0] = target[0] / change_->before * change_->now;
    changed_.push_back(node.name);
    return target;
}

std::optional<GraphMessage> Rebatch::message() const {
    if (changed_.empty())
        return std::nullopt;
    return GraphMessage{
        Severity::Info,
        fmt::format("batch size {} is written into {} Reshape node{} and was replaced "
                    "by {}, first in node '{}'",
                    change_->before, changed_.size(), changed_.size() == 1 ? "" : "s", change_->now,
                    changed_[0])};
}

std::string Rebatch::remedy() const {
    if (!change_)
        return "";
    return fmt::format("; perhaps batch size {} is built into the model: export it with a symbolic "
                       "batch dimension, or run it with --batch-size {}",
                       change_->before, change_->before);
}

} // namespace tilescope::sim
