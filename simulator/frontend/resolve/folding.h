// Which nodes of a model are removed before it runs, because all their operands are known.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/frontend/onnx_types/import_types.h"
#include "simulator/frontend/resolve/node.h"

namespace onnx {
class GraphProto;
} // namespace onnx

namespace tilescope::sim {

/// A result of a node that was computed.
struct FoldedResult {
    Constant constant;
    TensorRole role = TensorRole::Constant;
};

/// Reads the values that a resolver has so far.
class Folding {
public:
    /// `parameters` are the names of parameters, if the exporter gives them.
    Folding(const std::unordered_map<std::string, Value>& values, NameSet parameters,
            bool keepsValues);

    /// How often each name is read, and the parameters of layers, which exporters need not name.
    void see(const onnx::GraphProto& graph);
    [[nodiscard]] bool isRead(const std::string& name) const { return readers_.contains(name); }
    [[nodiscard]] bool isParameter(const std::string& name) const {
        return parameters_.contains(name);
    }

    /// The results of a node, one for each output; none if it stays, or if too much is to be
    /// computed.
    std::optional<std::vector<FoldedResult>> results(const Node& node);
    /// Results of a node whose operands are too large to compute with, or have no values here:
    /// constants stay constants, and views of weights weights. None if the node stays.
    [[nodiscard]] std::optional<TensorRole> roleWithoutData(const Node& node);

private:
    [[nodiscard]] std::optional<TensorRole> roleOfOperands(const Node& node) const;
    [[nodiscard]] bool isFoldable(const Node& node, TensorRole role) const;
    [[nodiscard]] bool isTransposeOfView(const Node& node) const;
    void noteView(const Node& node, TensorRole role);
    [[nodiscard]] bool isWeight(const Node& node, const std::string& name,
                                const Constant& made) const;

    const std::unordered_map<std::string, Value>& values_;
    NameSet parameters_; ///< and views of them
    NameSet views_;      ///< views of weights in another shape or order
    bool saysParameters_;
    bool keepsValues_;
    std::unordered_map<std::string, int> readers_;
};

} // namespace tilescope::sim
