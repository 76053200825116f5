// Where functions run: the calls around a program, outermost first.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope {

/// A chain of calls of the model's functions. Calls without an operation, such as those of a
/// pipeline's slots or a run's own, do not tell places of the model apart and are left out.
using CallSiteId = Id<struct CallSiteTag>;

/// All call chains found so far, each once.
class CallSites {
public:
    explicit CallSites(const IdVector<ProgramId, Program>& programs);

    /// Outside of all functions.
    [[nodiscard]] static CallSiteId outside() { return CallSiteId(0); }
    /// The chain that results from making `call` in chain `from`. Above a limit that only damaged
    /// files reach, returns `from`.
    CallSiteId enter(CallSiteId from, ProgramId call);
    /// The operations of a chain's calls, outermost first.
    [[nodiscard]] std::vector<OperationId> operationsOf(CallSiteId site) const;
    [[nodiscard]] std::size_t size() const { return sites_.size(); }

private:
    struct Site {
        CallSiteId from;
        OperationId call;
    };
    const IdVector<ProgramId, Program>& programs_;
    std::vector<Site> sites_;
    std::vector<std::unordered_map<OperationId, CallSiteId>> next_; ///< by site
};

/// A leaf of the program tree where the model runs it.
struct PlacedLeaf {
    CallSiteId site;
    ProgramId program;
};

/// Every leaf of the control programs at each of its places, in the order of the tree: a function's
/// at each of its calls, a repeat's once.
std::vector<PlacedLeaf> placedLeaves(const IdVector<ProgramId, Program>& programs,
                                     const std::vector<ProgramId>& controlPrograms,
                                     CallSites& sites);

} // namespace tilescope
