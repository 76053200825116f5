// Two profiles and the matching between their items, which all comparisons share.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "core/analysis/compare/matching.h"
#include "core/view/profile_view.h"

namespace tilescope {

/// Matchings of two profiles, each made on first use. Shared by threads. Calls throw UserError for
/// a damaged profile and Cancelled after a stop.
class ProfileMatching {
public:
    template <class T> using Part = std::shared_ptr<const T>;
    using Stop = const std::stop_token&;

    ProfileMatching(ProfileViewPtr source, ProfileViewPtr target);

    [[nodiscard]] Part<MatchedOperations> operations(Stop stop = {}) const;
    [[nodiscard]] Part<Matching> variables(Stop stop = {}) const;
    [[nodiscard]] Part<Matching> computeSets(Stop stop = {}) const;
    [[nodiscard]] Part<Matching> exchanges(Stop stop = {}) const;
    [[nodiscard]] Part<Matching> vertexTypes(Stop stop = {}) const;
    [[nodiscard]] Part<Matching> programs(Stop stop = {}) const;
    [[nodiscard]] Part<Matching> steps(Stop stop = {}) const; ///< of the liveness order

    /// The target's counterparts of these variables of the source.
    [[nodiscard]] std::vector<VariableId> targetsOf(const std::vector<VariableId>& variables,
                                                    Stop stop = {}) const;
    /// The matching step of the other side; without a match, the step at the same place; none
    /// beyond its end.
    [[nodiscard]] StepId targetOf(StepId step, Stop stop = {}) const;
    [[nodiscard]] StepId sourceOf(StepId step, Stop stop = {}) const;

private:
    ProfileViewPtr source_;
    ProfileViewPtr target_;
    LazyPart<MatchedOperations> operations_;
    LazyPart<Matching> variables_;
    LazyPart<Matching> computeSets_;
    LazyPart<Matching> exchanges_;
    LazyPart<Matching> vertexTypes_;
    LazyPart<Matching> programs_;
    LazyPart<Matching> steps_;
};

/// Source and target of a comparison; the target may be missing. Copies share the matching.
struct ProfilePair {
    ProfilePair() = default;
    explicit ProfilePair(ProfileViewPtr ofSource, ProfileViewPtr ofTarget = nullptr)
        : source(std::move(ofSource))
        , target(std::move(ofTarget)) {
        if (comparing())
            matching = std::make_shared<const ProfileMatching>(source, target);
    }
    ProfileViewPtr source;
    ProfileViewPtr target;
    std::shared_ptr<const ProfileMatching> matching; ///< of the two; none without a target
    [[nodiscard]] bool comparing() const { return source && target; }
};

} // namespace tilescope
