// Reshape targets with a batch size that an exporter has fixed, and checks of a node before the
// shape inference of libonnx, which trusts some attributes and indexes or divides by them.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/frontend/onnx_types/import_types.h"
#include "simulator/frontend/resolve/node.h"

namespace tilescope::sim {

class Rebatch {
public:
    explicit Rebatch(std::optional<BatchChange> change)
        : change_(change) {}

    /// The target that a Reshape needs after the change of the batch size, if it differs.
    std::optional<std::vector<std::int64_t>>
    target(const Node& node, const std::unordered_map<std::string, Value>& values);

    /// A message to the user about the replaced targets.
    [[nodiscard]] std::optional<GraphMessage> message() const;
    /// An addition to errors after a change.
    [[nodiscard]] std::string remedy() const;

private:
    std::optional<BatchChange> change_;
    std::vector<std::string> changed_;
};

/// Operands by position; null where an optional one is absent.
using OperandValues = std::vector<const Value*>;

/// Throws std::invalid_argument naming the attribute or operand.
void guardInference(const Node& node, const OperandValues& operands);

} // namespace tilescope::sim
