#include "core/export/graph_dot.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <ostream>
#include <set>

#include "core/base/printable.h"
#include "core/base/units.h"

namespace tilescope {
namespace {

/// A string of the DOT language. Renderers do not accept control characters either.
std::string dotText(std::string_view text) {
    std::string made = "\"";
    for (const char c : printable(text, Lines::Keep)) {
        if (c == '"' || c == '\\')
            made += '\\';
        if (c == '\n')
            made += "\\n";
        else
            made += c;
    }
    return made + '"';
}

class DotWriter {
public:
    DotWriter(std::ostream& out, const DotInput& in)
        : out_(out)
        , in_(in)
        , sums_(scopeCosts(in.tree, in.costs)) {
        for (std::size_t i = 0; i < in.visible.items.size(); ++i)
            numbers_[in.visible.items[i]] = i;
        for (const GraphItem& item : in.visible.items)
            most_ = std::max(most_, cyclesOf(item));
    }

    void write() {
        out_ << "digraph " << dotText(in_.name) << " {\n"
             << "  graph [rankdir=TB, fontname=\"sans-serif\"];\n"
             << "  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n"
             << "  edge [fontname=\"sans-serif\", fontsize=9];\n";
        writeScope(in_.tree.root(), "  ");
        for (const VisibleEdge& edge : in_.visible.edges)
            out_ << fmt::format("  n{} -> n{} [label={}];\n", edge.from, edge.to,
                                dotText(edgeLabel(edge)));
        out_ << "}\n";
    }

private:
    [[nodiscard]] std::int64_t cyclesOf(const GraphItem& item) const {
        return item.isScope() ? sums_[item.scope].cycles : in_.costs[item.node].cycles;
    }

    void writeScope(GraphScopeId scope, const std::string& indent) {
        for (const GraphItem& child : in_.tree[scope].children) {
            if (child.isScope() && in_.expansion.isExpanded(child.scope)) {
                out_ << indent << "subgraph " << dotText("cluster_" + in_.tree[child.scope].path)
                     << " {\n"
                     << indent << "  label=" << dotText(in_.tree[child.scope].label) << ";\n";
                writeScope(child.scope, indent + "  ");
                out_ << indent << "}\n";
            } else {
                writeItem(child, indent);
            }
        }
    }

    void writeItem(const GraphItem& item, const std::string& indent) {
        const std::int64_t cycles = cyclesOf(item);
        std::string label = in_.tree.labelOf(item);
        if (item.isScope())
            label += fmt::format("\n{} operations", in_.tree[item.scope].operations);
        else if (!in_.graph.nodes[item.node].type.empty())
            label += '\n' + in_.graph.nodes[item.node].type;
        label += '\n' + formatCycles(cycles);
        const double share =
            most_ > 0 ? static_cast<double>(cycles) / static_cast<double>(most_) : 0;
        // Hue, saturation, value: from white to a blue.
        constexpr double hue = 0.57;
        out_ << indent
             << fmt::format("n{} [label={}, tooltip={}, fillcolor=\"{:.2f} {:.3f} 1.000\"{}];\n",
                            numbers_.at(item), dotText(label),
                            dotText(item.isScope() ? in_.tree[item.scope].path
                                                   : in_.graph.nodes[item.node].name),
                            hue, 0.75 * share, item.isScope() ? ", peripheries=2" : "");
    }

    [[nodiscard]] std::string edgeLabel(const VisibleEdge& edge) const {
        std::set<ModelTensorId> tensors;
        for (const std::size_t member : edge.members)
            tensors.insert(in_.edges[member].tensor);
        if (tensors.size() > 1)
            return fmt::format("{} tensors", tensors.size());
        const ModelTensor& tensor = in_.graph.tensors[*tensors.begin()];
        return tensor.shape + ' ' + tensor.type;
    }

    std::ostream& out_;
    const DotInput& in_;
    ScopeCosts sums_;
    std::map<GraphItem, std::size_t> numbers_;
    std::int64_t most_ = 0;
};

} // namespace

void writeDot(std::ostream& out, const DotInput& input) {
    DotWriter(out, input).write();
}

} // namespace tilescope
