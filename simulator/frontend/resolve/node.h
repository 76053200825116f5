// The model with every shape known, free of protocol buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "simulator/frontend/onnx_types/constant.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                                    std::vector<double>, std::vector<std::string>, Constant>;

/// An ONNX node. Absent optional operands have an empty name.
struct Node {
    std::string type;
    std::string domain; ///< empty for ONNX's own
    std::string name;   ///< never empty: the first output's name where the file gives none
    int opset = 0;      ///< version of the default operator set
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::unordered_map<std::string, AttributeValue> attributes;
    SourceFrameId source; ///< the line that its documentation names, in ResolvedModel::source

    [[nodiscard]] bool has(const std::string& attribute) const {
        return attributes.contains(attribute);
    }
    /// The operator with its domain, if that is not ONNX's own: "ai.graphcore.Scale".
    [[nodiscard]] std::string key() const { return domain.empty() ? type : domain + "." + type; }
    /// The attribute's value; the fallback where it is absent or of another type.
    [[nodiscard]] std::int64_t integer(const std::string& attribute, std::int64_t fallback) const;
    [[nodiscard]] double real(const std::string& attribute, double fallback) const;
    [[nodiscard]] std::string text(const std::string& attribute, const std::string& fallback) const;
    [[nodiscard]] std::vector<std::int64_t> integers(const std::string& attribute) const;
    [[nodiscard]] std::vector<double> reals(const std::string& attribute) const;
    [[nodiscard]] std::vector<std::string> texts(const std::string& attribute) const;
};

/// A value that flows between nodes.
struct Value {
    ElementType type = ElementType::Undefined;
    Shape shape;
    TensorRole role = TensorRole::Activation;
    std::optional<Constant> data; ///< of small weights and constants
    /// Of larger ones, if values were asked for.
    std::shared_ptr<const TensorData> large = {};
    std::string maker; ///< "node 'n' (Add)"; empty if no node makes it
    int uses = 0;      ///< by nodes that run on the device, and as a model output
};

struct ResolvedModel {
    std::string origin; ///< file name for messages
    std::string name;
    std::vector<Node> nodes; ///< those that run on the device, in order
    std::unordered_map<std::string, Value> values;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<GraphMessage> messages;
    SourceCode source;
};

} // namespace tilescope::sim
