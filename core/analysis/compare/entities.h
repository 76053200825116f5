// The tables of a comparison. Internal to core/analysis/compare.
#pragma once

#include <vector>

#include "core/analysis/compare/comparison.h"

namespace tilescope {

/// Operations of both sides and who is who among them.
class MatchedOperations {
public:
    MatchedOperations(const ProfileParts& source, const ProfileParts& target);

    [[nodiscard]] const std::vector<Match>& matches() const { return matches_; }
    /// The place in matches() of an operation; -1 for none or one that does not exist.
    [[nodiscard]] std::int32_t placeInSource(OperationId id) const {
        return place(sourcePlaces_, id);
    }
    [[nodiscard]] std::int32_t placeInTarget(OperationId id) const {
        return place(targetPlaces_, id);
    }
    /// What an item of a source's operation would be called in the target.
    [[nodiscard]] std::string targetName(const std::string& name, OperationId operation) const;

private:
    static std::int32_t place(const std::vector<std::int32_t>& places, OperationId id) {
        return id.valid() && id.index() < places.size() ? places[id.index()] : -1;
    }
    const IdVector<OperationId, Operation>& source_;
    const IdVector<OperationId, Operation>& target_;
    std::vector<Match> matches_;
    std::vector<std::int32_t> sourcePlaces_;
    std::vector<std::int32_t> targetPlaces_;
};

ComparedTable compareOperations(const ProfileParts& source, const ProfileParts& target,
                                const MatchedOperations& operations, CycleBasis basis);
ComparedTable compareVariables(const ProfileParts& source, const ProfileParts& target,
                               const MatchedOperations& operations);
ComparedTable compareComputeSets(const ProfileParts& source, const ProfileParts& target,
                                 const MatchedOperations& operations);
ComparedTable compareExchanges(const ProfileParts& source, const ProfileParts& target,
                               const MatchedOperations& operations);
ComparedTable compareVertices(const ProfileParts& source, const ProfileParts& target);
ComparedTable comparePrograms(const ProfileParts& source, const ProfileParts& target,
                              const MatchedOperations& operations, CycleBasis basis);

} // namespace tilescope
