#include "core/analysis/flame/flame_tree.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "core/analysis/accounting/cost_rows.h"
#include "core/base/error.h"

namespace tilescope {
namespace {

/// A path of more parts is a name, not a place in a model.
constexpr std::size_t mostParts = 64;

/// A node while weights are added to it.
struct Growing {
    FlameNode node;
    std::vector<std::int32_t> children;
    std::array<std::int64_t, 3> byPass{};
    std::int64_t largest = 0; ///< weight of `node.operation`
};

class Grower {
public:
    Grower() { grown_.push_back({}); }

    /// The child of that name; a new one has the frame.
    std::int32_t child(std::int32_t parent, const std::string& name, SourceFrameId frame = {}) {
        const auto found = places_.try_emplace({parent, name}, static_cast<std::int32_t>(size()));
        if (!found.second)
            return found.first->second;
        Growing made;
        made.node.name = name;
        made.node.frame = frame;
        made.node.parent = FlameNodeId(parent);
        made.node.depth = at(parent).node.depth + 1;
        at(parent).children.push_back(found.first->second);
        grown_.push_back(std::move(made));
        return found.first->second;
    }

    /// Adds the weight of a row to a node and all above it.
    void add(std::int32_t leaf, const CostRow& row, std::int64_t weight) {
        at(leaf).node.self += weight;
        for (std::int32_t i = leaf; i >= 0; i = i == 0 ? -1 : at(i).node.parent.value()) {
            Growing& grown = at(i);
            grown.node.weight += weight;
            if (row.operation.valid() && weight > grown.largest) {
                grown.largest = weight;
                grown.node.operation = row.operation;
                grown.node.node = row.node;
            }
            if (row.kind.empty() && row.pass)
                grown.byPass[static_cast<std::size_t>(*row.pass)] += weight;
        }
    }

    /// All nodes with weight: heavier siblings first, each after its parent.
    IdVector<FlameNodeId, FlameNode> take() {
        IdVector<FlameNodeId, FlameNode> nodes;
        std::vector<std::pair<std::int32_t, FlameNodeId>> waiting{{0, {}}};
        std::vector<std::int64_t> next; // where the next child of a node begins
        while (!waiting.empty()) {
            const auto [at, parent] = waiting.back();
            waiting.pop_back();
            Growing& grown = this->at(at);
            grown.node.parent = parent;
            grown.node.begin =
                parent.valid()
                    ? std::exchange(next[parent.index()], next[parent.index()] + grown.node.weight)
                    : 0;
            grown.node.pass = mainPass(grown);
            next.push_back(grown.node.begin);
            const FlameNodeId id = nodes.add(std::move(grown.node));
            std::stable_sort(grown.children.begin(), grown.children.end(),
                             [this](std::int32_t a, std::int32_t b) {
                                 return this->at(a).node.weight > this->at(b).node.weight;
                             });
            // The last one is taken first.
            for (auto child = grown.children.rbegin(); child != grown.children.rend(); ++child)
                waiting.emplace_back(*child, id);
        }
        return nodes;
    }

private:
    static std::optional<ModelPhase> mainPass(const Growing& grown) {
        const auto most = std::max_element(grown.byPass.begin(), grown.byPass.end());
        if (*most <= 0)
            return {};
        return static_cast<ModelPhase>(most - grown.byPass.begin());
    }
    [[nodiscard]] std::size_t size() const { return grown_.size(); }
    [[nodiscard]] Growing& at(std::int32_t node) { return grown_[static_cast<std::size_t>(node)]; }

    std::vector<Growing> grown_;
    std::map<std::pair<std::int32_t, std::string>, std::int32_t> places_;
};

std::int32_t leafOf(Grower& grower, const SourceNames& names, const CostRow& row,
                    std::int32_t ipu) {
    if (!row.kind.empty())
        return grower.child(ipu, row.path);
    std::int32_t at = ipu;
    if (names.recorded()) {
        const SourceFrameId frame = names.frameOf(row.node);
        for (const SourceFrameId line : names.stackOf(frame))
            at = grower.child(at,
                              fmt::format("{} ({})", names.code().frames[line].function,
                                          names.name(line, SourceGrain::Line)),
                              line);
        if (!frame.valid())
            at = grower.child(at, "(no line)");
        return grower.child(at, row.path);
    }
    std::size_t begin = 0;
    for (std::size_t parts = 1; parts < mostParts; ++parts) {
        const std::size_t slash = row.path.find('/', begin);
        if (slash == row.path.npos)
            break;
        at = grower.child(at, row.path.substr(begin, slash - begin));
        begin = slash + 1;
    }
    return grower.child(at, row.path.substr(begin));
}

} // namespace

FlameTree flameTree(const ProfileView& profile, FlameWeight weight, const std::stop_token& stop) {
    const SourceNames names(profile, SourceReach::Mine, stop);
    const auto accounting = accountingOf(profile, stop);
    const bool executed = accounting->totals().run >= 0;
    const bool several = profile.machine().ipus > 1;
    Grower grower;
    for (const CostRow& row : costRows(profile, *accounting, CostLayer::Place, 1, stop)) {
        if (stop.stop_requested())
            throw Cancelled();
        const std::int64_t own = flameWeightOf(row, weight, executed);
        if (own <= 0)
            continue;
        const std::int32_t ipu =
            several ? grower.child(0, fmt::format("IPU {}", row.ipu.value())) : 0;
        grower.add(leafOf(grower, names, row, ipu), row, own);
    }
    FlameTree tree;
    tree.weight = weight;
    tree.lines = names.recorded();
    tree.nodes = grower.take();
    tree.nodes[FlameNodeId(0)].name = profile.info().model;
    // The run and its IPUs are of all passes.
    for (FlameNode& node : tree.nodes)
        if (node.depth < (several ? 2 : 1))
            node.pass.reset();
    return tree;
}

std::vector<FlameNodeId> FlameTree::childrenOf(FlameNodeId node) const {
    std::vector<FlameNodeId> children;
    for (std::size_t i = node.index() + 1; i < nodes.size(); ++i) {
        const FlameNode& each = nodes[FlameNodeId(i)];
        if (each.depth <= nodes[node].depth)
            break;
        if (each.parent == node)
            children.emplace_back(i);
    }
    return children;
}

std::int64_t weightOf(const FlameTree& tree, const std::vector<bool>& marked) {
    std::int64_t sum = 0;
    std::int32_t within = -1; // depth of the marked node around this one; -1: none
    for (std::size_t i = 0; i < tree.nodes.size() && i < marked.size(); ++i) {
        const FlameNode& node = tree.nodes[FlameNodeId(i)];
        if (within >= 0 && node.depth > within)
            continue;
        within = marked[i] ? node.depth : -1;
        sum += marked[i] ? node.weight : 0;
    }
    return sum;
}

} // namespace tilescope
