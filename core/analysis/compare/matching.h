// Which item of one profile is which of the other, by ids of both sides.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/compare/match.h"
#include "core/profile/profile.h"

namespace tilescope {

/// Pairs of items, found from either side.
class Matching {
public:
    Matching() = default;
    explicit Matching(std::vector<Match> matches);

    [[nodiscard]] const std::vector<Match>& matches() const { return matches_; }
    /// The place in matches() of an item, by its index; -1 for none.
    [[nodiscard]] std::int32_t placeInSource(std::int32_t index) const {
        return at(sourcePlaces_, index);
    }
    [[nodiscard]] std::int32_t placeInTarget(std::int32_t index) const {
        return at(targetPlaces_, index);
    }
    template <class IdType> [[nodiscard]] std::int32_t placeInSource(IdType id) const {
        return placeInSource(id.value());
    }
    template <class IdType> [[nodiscard]] std::int32_t placeInTarget(IdType id) const {
        return placeInTarget(id.value());
    }
    /// The other side's item; none if that lacks it.
    template <class IdType> [[nodiscard]] IdType targetOf(IdType source) const {
        const std::int32_t place = placeInSource(source.value());
        return place < 0 ? IdType() : IdType(matches_[static_cast<std::size_t>(place)].target);
    }
    template <class IdType> [[nodiscard]] IdType sourceOf(IdType target) const {
        const std::int32_t place = placeInTarget(target.value());
        return place < 0 ? IdType() : IdType(matches_[static_cast<std::size_t>(place)].source);
    }

private:
    static std::int32_t at(const std::vector<std::int32_t>& places, std::int32_t index) {
        const auto i = static_cast<std::size_t>(index);
        return index >= 0 && i < places.size() ? places[i] : -1;
    }
    std::vector<Match> matches_;
    std::vector<std::int32_t> sourcePlaces_;
    std::vector<std::int32_t> targetPlaces_;
};

/// Operations, with the names that their items have on the other side.
class MatchedOperations : public Matching {
public:
    using Operations = std::shared_ptr<const IdVector<OperationId, Operation>>;
    MatchedOperations(Operations source, Operations target);
    /// The name that an item of a source's operation would have in the target.
    [[nodiscard]] std::string targetName(const std::string& name, OperationId operation) const;

private:
    Operations source_;
    Operations target_;
};

/// Items that belong to operations match by the name that they would have in the target, and by
/// their role in the matched operation; others by name alone. Indices are ids.
Matching matchVariables(const IdVector<VariableId, Variable>& source,
                        const IdVector<VariableId, Variable>& target,
                        const MatchedOperations& operations);
Matching matchComputeSets(const IdVector<ComputeSetId, ComputeSet>& source,
                          const IdVector<ComputeSetId, ComputeSet>& target,
                          const MatchedOperations& operations);
Matching matchExchanges(const IdVector<ExchangeId, Exchange>& source,
                        const IdVector<ExchangeId, Exchange>& target,
                        const MatchedOperations& operations);
/// Also by their kind: the steps of a stream copy have one name.
Matching matchPrograms(const IdVector<ProgramId, Program>& source,
                       const IdVector<ProgramId, Program>& target,
                       const MatchedOperations& operations);
Matching matchVertexTypes(const IdVector<VertexTypeId, VertexType>& source,
                          const IdVector<VertexTypeId, VertexType>& target);
/// Nodes match like operations.
Matching matchNodes(const ModelGraph& source, const ModelGraph& target);
/// Steps of the liveness order match where their programs do, occurrence by occurrence.
Matching matchSteps(const IdVector<StepId, ProgramId>& source,
                    const IdVector<StepId, ProgramId>& target, const Matching& programs);
/// Anything that only has a name.
Matching matchNames(const std::vector<std::string>& source, const std::vector<std::string>& target);

} // namespace tilescope
