// The tables of a comparison. Internal to core/analysis/compare.
#pragma once

#include <vector>

#include "core/analysis/compare/comparison.h"
#include "core/analysis/compare/matching.h"

namespace tilescope {

ComparedTable compareOperations(const ProfileParts& source, const ProfileParts& target,
                                const MatchedOperations& operations, CycleBasis basis);
ComparedTable compareVariables(const ProfileParts& source, const ProfileParts& target,
                               const Matching& variables);
ComparedTable compareComputeSets(const ProfileParts& source, const ProfileParts& target,
                                 const Matching& computeSets);
ComparedTable compareExchanges(const ProfileParts& source, const ProfileParts& target,
                               const Matching& exchanges);
ComparedTable compareVertices(const ProfileParts& source, const ProfileParts& target,
                              const Matching& vertexTypes);
ComparedTable comparePrograms(const ProfileParts& source, const ProfileParts& target,
                              const Matching& programs, CycleBasis basis);

} // namespace tilescope
