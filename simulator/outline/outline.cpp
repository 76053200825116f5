#include "simulator/outline/outline.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "simulator/outline/matches.h"

namespace tilescope::sim {
namespace {

std::string functionName(std::size_t match) {
    return fmt::format("call_subgraph({})", match);
}

/// The part of two scopes, nested with '/', that is common to both.
std::string commonScope(const std::string& a, const std::string& b) {
    std::size_t end = 0;
    for (std::size_t i = 0;; ++i) {
        const bool endA = i == a.size() || a[i] == '/';
        const bool endB = i == b.size() || b[i] == '/';
        if (endA && endB)
            end = i;
        if (i == a.size() || i == b.size() || a[i] != b[i])
            return a.substr(0, end);
    }
}

/// A result of a function: an output of its n-th operation.
struct Result {
    std::int32_t operation = 0;
    std::size_t output = 0;
    friend auto operator<=>(const Result&, const Result&) = default;
};

class Outliner {
public:
    Outliner(const Graph& graph, const OutlineOptions& options, const PlanningOptions& planning)
        : graph_(graph)
        , sequence_(opSequence(graph, planning))
        , uses_(graph)
        , matches_(chooseMatches(graph, sequence_, uses_, options))
        , results_(matches_.size())
        , matchesAt_(sequence_.size()) {
        for (std::size_t m = 0; m < matches_.size(); ++m)
            for (const std::int32_t start : matches_[m].starts) {
                matchesAt_[static_cast<std::size_t>(start)].push_back(m);
                addResults(m, start);
            }
        for (std::size_t m = 0; m < matches_.size(); ++m)
            if (results_[m].empty()) // none is read, but an operation must have a result
                results_[m].insert({matches_[m].length - 1, 0});
    }

    Graph run() {
        if (matches_.empty())
            return graph_;
        Graph result = graph_;
        result.ops = {};
        for (std::size_t m = 0; m < matches_.size(); ++m)
            result.functions.push_back(function(m));
        emitMain(result);
        for (std::size_t at = 0; at < sequence_.size(); ++at)
            if (!matchesAt_[at].empty())
                nameStandIns(result, static_cast<std::int32_t>(at));
        return result;
    }

private:
    using TensorMap = std::map<TensorId, TensorId>;

    [[nodiscard]] const Op& opAt(std::int32_t position) const {
        return graph_.ops[sequence_.ops[static_cast<std::size_t>(position)]];
    }

    /// Tensors that the part reads from outside, in the order of first use.
    [[nodiscard]] std::vector<TensorId> entering(std::int32_t start, std::int32_t length) const {
        std::set<TensorId> known;
        std::vector<TensorId> list;
        for (std::int32_t i = start; i < start + length; ++i) {
            for (const TensorId in : opAt(i).inputs)
                if (known.insert(in).second)
                    list.push_back(in);
            known.insert(opAt(i).outputs.begin(), opAt(i).outputs.end());
        }
        return list;
    }

    void addResults(std::size_t match, std::int32_t start) {
        const std::int32_t length = matches_[match].length;
        std::set<OpId> inside;
        for (std::int32_t i = start; i < start + length; ++i)
            inside.insert(sequence_.ops[static_cast<std::size_t>(i)]);
        for (std::int32_t i = 0; i < length; ++i)
            for (std::size_t k = 0; k < opAt(start + i).outputs.size(); ++k) {
                const TensorId out = opAt(start + i).outputs[k];
                const auto& readers = uses_.readers(out);
                if (uses_.isResult(out) ||
                    std::any_of(readers.begin(), readers.end(),
                                [&](OpId reader) { return !inside.contains(reader); }))
                    results_[match].insert({i, k});
            }
    }

    Graph function(std::size_t match) {
        const OutlineMatch& part = matches_[match];
        Graph made;
        made.name = functionName(match);
        made.stageIpus = graph_.stageIpus;
        TensorMap map;
        for (const TensorId in : entering(part.starts.front(), part.length)) {
            Tensor parameter = graph_.tensors[in];
            parameter.name = made.name + "/" + parameter.name;
            parameter.role = TensorRole::Input;
            map[in] = made.tensors.add(std::move(parameter));
            made.inputs.push_back(map[in]);
        }
        for (Tensor& parameter : made.tensors) {
            const auto model = map.find(parameter.layoutOf);
            parameter.layoutOf = model == map.end() ? TensorId() : model->second;
        }
        std::int32_t at = part.starts.front();
        const std::int32_t end = at + part.length;
        while (at < end)
            at += emit(made, at, match, map);
        for (const Result& result : results_[match])
            made.outputs.push_back(
                map.at(opAt(part.starts.front() + result.operation).outputs[result.output]));
        return made;
    }

    /// Adds the operation at a position, or a call of the largest match below `limit` that begins
    /// there, to a function. Returns how many positions that was.
    std::int32_t emit(Graph& into, std::int32_t position, std::size_t limit, TensorMap& map) {
        const auto& here = matchesAt_[static_cast<std::size_t>(position)];
        const auto above = std::lower_bound(here.begin(), here.end(), limit);
        const bool calls = above != here.begin();
        const std::size_t match = calls ? *std::prev(above) : 0;
        Op op = calls ? call(match, position, limit) : opAt(position);
        for (TensorId& in : op.inputs)
            in = map.at(in);
        for (TensorId& out : op.outputs) {
            Tensor copy = graph_.tensors[out];
            const auto model = map.find(copy.layoutOf);
            copy.layoutOf = model == map.end() ? TensorId() : model->second;
            out = map[out] = into.tensors.add(std::move(copy));
        }
        op.recomputeGroup = -1;
        into.ops.add(std::move(op));
        return calls ? matches_[match].length : 1;
    }

    /// A call in terms of the tensors of the original graph, in the function of a match or in
    /// `main`.
    Op call(std::size_t match, std::int32_t start, std::size_t caller) {
        const OutlineMatch& part = matches_[match];
        Op op = opAt(start);
        std::string scope = op.name;
        for (std::int32_t i = start; i < start + part.length; ++i)
            scope = commonScope(scope, opAt(i).name);
        const std::string name = (scope.empty() ? "" : scope + "/") + functionName(match);
        const int used = ++names_[name];
        op.name = used == 1 ? name : fmt::format("{}:{}", name, used);
        callAt_[{caller, start}] = op.name;
        op.type = "Call";
        op.onnxNode = scope;
        // Bodies of loops are functions already.
        op.attributes = CallAttributes{static_cast<std::int32_t>(graph_.functions.size() + match)};
        op.inputs = entering(start, part.length);
        op.outputs.clear();
        for (const Result& result : results_[match])
            op.outputs.push_back(opAt(start + result.operation).outputs[result.output]);
        op.randomStreams.clear();
        for (std::int32_t i = start; i < start + part.length; ++i)
            op.randomStreams.insert(op.randomStreams.end(), opAt(i).randomStreams.begin(),
                                    opAt(i).randomStreams.end());
        return op;
    }

    /// Records for each operation of the largest match at a position which operation of a function
    /// replaces it, and through which calls. Of nested parts the outermost is called here.
    void nameStandIns(Graph& result, std::int32_t start) const {
        const auto call = callAt_.find({main, start});
        if (call == callAt_.end())
            return;
        const std::size_t match = matchesAt_[static_cast<std::size_t>(start)].back();
        for (std::int32_t i = 0; i < matches_[match].length; ++i) {
            FunctionPlace place{{}, {call->second}};
            place.operation = opAt(standIn(match, i, place.calls)).name;
            result.functionPlaces.try_emplace(opAt(start + i).name, std::move(place));
        }
    }

    /// The position of the operation that is the n-th of a function in the program: at the first
    /// place of the innermost function that has it. Appends the calls on the way.
    [[nodiscard]] std::int32_t standIn(std::size_t match, std::int32_t n,
                                       std::vector<std::string>& calls) const {
        std::int32_t at = matches_[match].starts.front();
        const std::int32_t wanted = at + n;
        while (at <= wanted) {
            const auto& here = matchesAt_[static_cast<std::size_t>(at)];
            const auto above = std::lower_bound(here.begin(), here.end(), match);
            const std::int32_t length =
                above == here.begin() ? 1 : matches_[*std::prev(above)].length;
            if (wanted < at + length) {
                if (above == here.begin())
                    return wanted;
                calls.push_back(callAt_.at({match, at}));
                return standIn(*std::prev(above), wanted - at, calls);
            }
            at += length;
        }
        return wanted;
    }

    void emitMain(Graph& result) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < graph_.ops.size();) {
            const bool atNext = next < sequence_.size() && sequence_.ops[next] == OpId(i);
            if (!atNext || matchesAt_[next].empty()) {
                result.ops.add(graph_.ops[OpId(i)]);
                next += atNext ? 1 : 0;
                ++i;
                continue;
            }
            const std::size_t match = matchesAt_[next].back();
            const std::int32_t length = matches_[match].length;
            Neighbours neighbours;
            canBeContiguous(graph_, sequence_, static_cast<std::int32_t>(next), length, neighbours);
            for (const OpId before : neighbours.before)
                result.ops.add(graph_.ops[before]);
            result.ops.add(call(match, static_cast<std::int32_t>(next), main));
            for (const OpId after : neighbours.after)
                result.ops.add(graph_.ops[after]);
            next += static_cast<std::size_t>(length);
            i = sequence_.ops[next - 1].index() + 1;
        }
    }

    const Graph& graph_;
    OpSequence sequence_;
    TensorUses uses_;
    std::vector<OutlineMatch> matches_;
    std::vector<std::set<Result>> results_;           ///< of each match
    std::vector<std::vector<std::size_t>> matchesAt_; ///< that begin at a position, ascending
    std::map<std::string, int> names_;
    static constexpr std::size_t main = static_cast<std::size_t>(-1);
    std::map<std::pair<std::size_t, std::int32_t>, std::string> callAt_; ///< by caller and position
};

} // namespace

Graph outlined(const Graph& graph, const OutlineOptions& options, const PlanningOptions& planning) {
    return Outliner(graph, options, planning).run();
}

} // namespace tilescope::sim
