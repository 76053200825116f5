#include "app/cli/report/graph_section.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/analysis/model_graph/costs.h"
#include "core/analysis/model_graph/visible_graph.h"
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/export/graph_dot.h"
#include "core/trace/trace_index.h"

namespace tilescope::cli {
namespace {

const ModelGraph& recordedGraph(const ProfileView& profile) {
    const ModelGraph& graph = *profile.modelGraph();
    if (!profile.info().has(ProfilePart::Graph))
        throw UserError(fmt::format("'{}' has no graph to show: {}", profile.file().string(),
                                    profile.info().coverage.why(ProfilePart::Graph)));
    if (!graph.recorded())
        throw UserError(fmt::format("'{}' does not record the model's graph, which profiles have "
                                    "since schema version 5: run the model again",
                                    profile.file().string()));
    return graph;
}

Expansion expansionFor(const ScopeTree& tree, const std::vector<std::string>& expand) {
    if (expand.empty())
        return startingExpansion(tree);
    Expansion expansion(tree);
    for (const std::string& path : expand) {
        if (path == "all") {
            expansion.setAll(true);
            continue;
        }
        const GraphScopeId scope = tree.find(path);
        if (!scope.valid()) {
            std::vector<std::string> paths;
            for (const GraphScope& one : tree.scopes())
                paths.push_back(one.path);
            throw UserError(fmt::format("option --expand: the graph has no scope '{}'.{}", path,
                                        didYouMean(path, paths)));
        }
        expansion.set(scope, true);
        expansion.reveal(tree, GraphItem::of(scope));
    }
    return expansion;
}

/// The graph and the part of it that is shown.
struct ShownGraph {
    const ModelGraph& graph;
    ScopeTree tree;
    Expansion expansion;
    std::vector<ModelEdge> edges;
    VisibleGraph visible;
    NodeCosts costs;
    ScopeCosts sums;

    ShownGraph(const ProfileView& profile, const std::vector<std::string>& expand)
        : graph(recordedGraph(profile))
        , tree(graph, usualGrouping(graph))
        , expansion(expansionFor(tree, expand))
        , edges(modelEdges(graph))
        , visible(visibleGraph(tree, expansion, edges))
        , costs(nodeCosts(graph, costRows(profile, *accountingOf(profile), CostLayer::Place)))
        , sums(scopeCosts(tree, costs)) {}

    [[nodiscard]] std::string pathOf(const GraphItem& item) const {
        if (item.isScope())
            return tree[item.scope].path;
        const std::string& scope = tree[tree.parentOf(item)].path;
        return scope.empty() ? tree.labelOf(item) : scope + '/' + tree.labelOf(item);
    }
    [[nodiscard]] const GraphCosts& costsOf(const GraphItem& item) const {
        return item.isScope() ? sums[item.scope] : costs[item.node];
    }
};

class GraphTables {
public:
    GraphTables(const ShownGraph& shown, bool forPeople)
        : shown_(shown)
        , forPeople_(forPeople)
        , readsFrom_(shown.visible.items.size()) {
        for (const VisibleEdge& edge : shown.visible.edges)
            readsFrom_[edge.to].push_back(edge.from);
        for (std::size_t i = 0; i < shown.visible.items.size(); ++i)
            numbers_[shown.visible.items[i]] = i;
    }

    Table items() {
        table_ = {"items",
                  "Scopes and operations",
                  {{"item", "Id"},
                   {"path", forPeople_ ? "Operation or scope" : "Path"},
                   {"type", "Type"},
                   {"operations", "Operations"},
                   {"estimatedCycles", "Estimated, once", Unit::Cycles},
                   {"measuredCycles", "Measured", Unit::Cycles},
                   {"flops", "Work", Unit::Flops},
                   {"utilisation", "FLOP use", Unit::Share},
                   {"codeBytes", "Code", Unit::Bytes},
                   {"temporaryBytes", "At the peak", Unit::Bytes},
                   {"variableBytes", "Variables", Unit::Bytes},
                   in(Shown::Text, {"readsFrom", "Reads from"})},
                  {}};
        addScope(shown_.tree.root());
        return std::move(table_);
    }

    [[nodiscard]] Table edges() const {
        Table table{"edges",
                    "Edges",
                    {{"from", "From"},
                     {"to", "To"},
                     {"tensors", "Tensors"},
                     {"bytes", "Bytes", Unit::Bytes},
                     {"shape", "Shape"},
                     {"type", "Type"}}};
        for (const VisibleEdge& edge : shown_.visible.edges) {
            std::set<ModelTensorId> tensors;
            for (const std::size_t member : edge.members)
                tensors.insert(shown_.edges[member].tensor);
            std::int64_t bytes = 0;
            for (const ModelTensorId tensor : tensors)
                bytes += shown_.graph.tensors[tensor].bytes;
            const ModelTensor& first = shown_.graph.tensors[*tensors.begin()];
            const bool one = tensors.size() == 1;
            table.add({static_cast<std::int64_t>(edge.from), static_cast<std::int64_t>(edge.to),
                       static_cast<std::int64_t>(tensors.size()), bytes,
                       one ? Cell(first.shape) : Cell(), one ? Cell(first.type) : Cell()});
        }
        return table;
    }

private:
    void addScope(GraphScopeId scope) {
        for (const GraphItem& child : shown_.tree[scope].children) {
            const bool open = child.isScope() && shown_.expansion.isExpanded(child.scope);
            if (!open || forPeople_)
                addItem(child, open);
            if (open)
                addScope(child.scope);
        }
    }

    void addItem(const GraphItem& item, bool open) {
        const GraphCosts& costs = shown_.costsOf(item);
        const auto depth = static_cast<std::size_t>(shown_.tree[shown_.tree.parentOf(item)].depth);
        std::string name = shown_.pathOf(item);
        if (forPeople_)
            name = std::string(2 * depth, ' ') + shown_.tree.labelOf(item) +
                   (open             ? "/"
                    : item.isScope() ? "/ ..."
                                     : "");
        table_.add(
            {open ? Cell() : Cell(static_cast<std::int64_t>(numbers_.at(item))), std::move(name),
             item.isScope() ? Cell("scope") : Cell(shown_.graph.nodes[item.node].type),
             std::int64_t{item.isScope() ? shown_.tree[item.scope].operations : 1}, costs.cycles,
             costs.measuredCycles, costs.flops, costs.utilisation(), costs.codeBytes,
             costs.temporaryBytes, costs.variableBytes, open ? Cell() : readers(item)});
    }

    [[nodiscard]] Cell readers(const GraphItem& item) const {
        constexpr std::size_t mostNamed = 6; // a line has no room for more
        std::string text;
        const std::vector<std::size_t>& from = readsFrom_[numbers_.at(item)];
        for (std::size_t i = 0; i < std::min(from.size(), mostNamed); ++i)
            text += (i == 0 ? "" : " ") + std::to_string(from[i]);
        return from.size() > mostNamed ? text + " ..." : text;
    }

    const ShownGraph& shown_;
    bool forPeople_;
    std::vector<std::vector<std::size_t>> readsFrom_;
    std::map<GraphItem, std::size_t> numbers_;
    Table table_;
};

} // namespace

Document graphDocument(const ProfileView& profile, const std::vector<std::string>& expand,
                       bool forPeople) {
    const ShownGraph shown(profile, expand);
    Document document;
    document.fields = {
        {"operations", "Operations", profile.reader().modelOperations()},
        {"scopes", "Scopes", static_cast<std::int64_t>(shown.tree.scopes().size()) - 1},
        {"tensors", "Tensors", static_cast<std::int64_t>(shown.graph.tensors.size())},
        {"estimatedCyclesOnce", "Estimated cycles, each place once",
         shown.sums[shown.tree.root()].cycles, Unit::Cycles}};
    GraphTables tables(shown, forPeople);
    document.tables.push_back(tables.items());
    if (!forPeople)
        document.tables.push_back(tables.edges());
    return document;
}

void writeGraphDot(std::ostream& out, const ProfileView& profile,
                   const std::vector<std::string>& expand) {
    const ShownGraph shown(profile, expand);
    writeDot(out, {profile.info().model, shown.graph, shown.tree, shown.expansion, shown.visible,
                   shown.edges, shown.costs});
}

} // namespace tilescope::cli
