// Counts of a graph for tests.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "simulator/graph/graph.h"

namespace tilescope::test {

using namespace sim;

inline int countKind(const Graph& graph, std::string_view kind) {
    return static_cast<int>(std::count_if(graph.ops.begin(), graph.ops.end(),
                                          [&](const Op& op) { return op.kind() == kind; }));
}

inline int countFunction(const Graph& graph, ElementwiseFunction function) {
    return static_cast<int>(std::count_if(graph.ops.begin(), graph.ops.end(), [&](const Op& op) {
        const auto* elementwise = std::get_if<ElementwiseAttributes>(&op.attributes);
        return elementwise != nullptr && elementwise->function == function;
    }));
}

inline const Op* findOp(const Graph& graph, std::string_view name) {
    const auto at = std::find_if(graph.ops.begin(), graph.ops.end(),
                                 [&](const Op& op) { return op.name == name; });
    return at == graph.ops.end() ? nullptr : &*at;
}

inline std::string outputShapes(const Graph& graph) {
    std::string text;
    for (const TensorId output : graph.outputs)
        text += toString(graph.tensors[output].shape);
    return text;
}

inline double totalFlops(const Graph& graph) {
    double sum = 0;
    for (const Op& op : graph.ops)
        sum += flopsOf(graph, op);
    return sum;
}

inline std::int64_t parameters(const Graph& graph) {
    std::int64_t sum = 0;
    for (const Tensor& tensor : graph.tensors)
        sum += tensor.role == TensorRole::Weight ? tensor.elements() : 0;
    return sum;
}

inline bool hasMessage(const Graph& graph, std::string_view part) {
    return std::any_of(graph.messages.begin(), graph.messages.end(), [&](const GraphMessage& m) {
        return m.text.find(part) != std::string::npos;
    });
}

} // namespace tilescope::test
