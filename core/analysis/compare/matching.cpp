#include "core/analysis/compare/matching.h"

#include <fmt/format.h>
#include <functional>
#include <map>

#include "core/analysis/compare/names.h"

namespace tilescope {
namespace {

std::vector<MatchKey> operationKeys(const IdVector<OperationId, Operation>& operations) {
    std::vector<MatchKey> keys;
    for (const Operation& operation : operations)
        keys.push_back(
            {operation.name,
             {fmt::format("{} {}", operation.type, operation.outputShape), operation.type}});
    return keys;
}

template <class Items, class NameOf>
std::vector<MatchKey> nameKeys(const Items& items, NameOf nameOf) {
    std::vector<MatchKey> keys;
    keys.reserve(items.size());
    for (const auto& item : items)
        keys.push_back({std::invoke(nameOf, item), {}});
    return keys;
}

/// Matches items with a name and an operation; `whatOf` describes the item's role in its operation,
/// and becomes part of its name if `isNamed`.
template <class Items, class WhatOf>
Matching matchOwned(const Items& source, const Items& target, const MatchedOperations& operations,
                    WhatOf whatOf, bool isNamed = false) {
    const auto keyOf = [&](const auto& item, const std::string& name, std::int32_t place) {
        MatchKey key{isNamed ? fmt::format("{} {}", whatOf(item), name) : name, {}};
        if (place >= 0)
            key.signatures.push_back(fmt::format("{} {}", place, whatOf(item)));
        return key;
    };
    std::vector<MatchKey> before;
    std::vector<MatchKey> after;
    for (const auto& item : source)
        before.push_back(keyOf(item, operations.targetName(item.name, item.operation),
                               operations.placeInSource(item.operation)));
    for (const auto& item : target)
        after.push_back(keyOf(item, item.name, operations.placeInTarget(item.operation)));
    return Matching(matchItems(before, after));
}

} // namespace

Matching::Matching(std::vector<Match> matches)
    : matches_(std::move(matches)) {
    const auto note = [](std::vector<std::int32_t>& places, std::int32_t index, std::size_t place) {
        if (index < 0)
            return;
        if (const auto needed = static_cast<std::size_t>(index) + 1; places.size() < needed)
            places.resize(needed, -1);
        places[static_cast<std::size_t>(index)] = static_cast<std::int32_t>(place);
    };
    for (std::size_t i = 0; i < matches_.size(); ++i) {
        note(sourcePlaces_, matches_[i].source, i);
        note(targetPlaces_, matches_[i].target, i);
    }
}

MatchedOperations::MatchedOperations(Operations source, Operations target)
    : Matching(matchItems(operationKeys(*source), operationKeys(*target)))
    , source_(std::move(source))
    , target_(std::move(target)) {}

std::string MatchedOperations::targetName(const std::string& name, OperationId operation) const {
    const std::int32_t place = placeInSource(operation);
    if (place < 0 || !matches()[static_cast<std::size_t>(place)].renamed)
        return name;
    return renamedWithin(name, (*source_)[operation].name, (*target_)[targetOf(operation)].name);
}

Matching matchVariables(const IdVector<VariableId, Variable>& source,
                        const IdVector<VariableId, Variable>& target,
                        const MatchedOperations& operations) {
    return matchOwned(source, target, operations, [](const Variable& v) {
        return fmt::format("{} {} {}", displayName(v.category), v.type, v.shape);
    });
}

Matching matchComputeSets(const IdVector<ComputeSetId, ComputeSet>& source,
                          const IdVector<ComputeSetId, ComputeSet>& target,
                          const MatchedOperations& operations) {
    return matchOwned(source, target, operations, [](const ComputeSet&) { return ""; });
}

Matching matchExchanges(const IdVector<ExchangeId, Exchange>& source,
                        const IdVector<ExchangeId, Exchange>& target,
                        const MatchedOperations& operations) {
    return matchOwned(source, target, operations, [](const Exchange&) { return ""; });
}

Matching matchPrograms(const IdVector<ProgramId, Program>& source,
                       const IdVector<ProgramId, Program>& target,
                       const MatchedOperations& operations) {
    return matchOwned(
        source, target, operations, [](const Program& p) { return toString(p.kind); }, true);
}

Matching matchVertexTypes(const IdVector<VertexTypeId, VertexType>& source,
                          const IdVector<VertexTypeId, VertexType>& target) {
    return Matching(
        matchItems(nameKeys(source, &VertexType::name), nameKeys(target, &VertexType::name)));
}

Matching matchNodes(const ModelGraph& source, const ModelGraph& target) {
    const auto keysOf = [](const ModelGraph& graph) {
        std::vector<MatchKey> keys;
        for (const ModelNode& node : graph.nodes) {
            const std::string& shape =
                node.writes.empty() ? std::string() : graph.tensors[node.writes.front()].shape;
            keys.push_back({node.name, {fmt::format("{} {}", node.type, shape), node.type}});
        }
        return keys;
    };
    return Matching(matchItems(keysOf(source), keysOf(target)));
}

Matching matchSteps(const IdVector<StepId, ProgramId>& source,
                    const IdVector<StepId, ProgramId>& target, const Matching& programs) {
    std::map<ProgramId, std::vector<std::int32_t>> occurrences; // by program of the target
    for (std::size_t i = target.size(); i-- > 0;)
        occurrences[target[StepId(i)]].push_back(static_cast<std::int32_t>(i));
    std::vector<Match> matches;
    for (std::size_t i = 0; i < source.size(); ++i) {
        const auto waiting = occurrences.find(programs.targetOf(source[StepId(i)]));
        if (waiting == occurrences.end() || waiting->second.empty())
            continue;
        matches.push_back({static_cast<std::int32_t>(i), waiting->second.back(), false});
        waiting->second.pop_back();
    }
    return Matching(std::move(matches));
}

Matching matchNames(const std::vector<std::string>& source,
                    const std::vector<std::string>& target) {
    return Matching(
        matchItems(nameKeys(source, std::identity()), nameKeys(target, std::identity())));
}

} // namespace tilescope
