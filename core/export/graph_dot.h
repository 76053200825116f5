// A model's graph for Graphviz.
#pragma once

#include <iosfwd>
#include <string>

#include "core/analysis/model_graph/costs.h"
#include "core/analysis/model_graph/visible_graph.h"

namespace tilescope {

struct DotInput {
    std::string name; ///< of the model
    const ModelGraph& graph;
    const ScopeTree& tree;
    const Expansion& expansion;
    const VisibleGraph& visible;
    const std::vector<ModelEdge>& edges; ///< that `visible` was made from
    const NodeCosts& costs;
};

/// A digraph in the DOT language: expanded scopes as clusters, boxes with their estimated cycles
/// and coloured by their share of the largest, edges with the tensor's shape and type or the number
/// of tensors.
void writeDot(std::ostream& out, const DotInput& input);

} // namespace tilescope
