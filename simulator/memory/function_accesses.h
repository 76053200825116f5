// Which variables the functions of a program use.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope::sim {

/// The variables that each function accesses, by itself or through the functions that it calls.
class FunctionAccesses {
public:
    explicit FunctionAccesses(const Profile& profile);

    /// Variables that a function, or what it calls, reads or writes.
    [[nodiscard]] const std::set<VariableId>& accessed(ProgramId function) const {
        return uses_.at(function).variables;
    }
    /// True if nothing else accesses the variable, so that no value enters or leaves the function.
    [[nodiscard]] bool isOwn(ProgramId function, VariableId variable) const;

private:
    struct Uses {
        std::set<ProgramId> functions; ///< itself and those it calls
        std::set<VariableId> variables;
    };

    void collect(const Profile& profile, ProgramId id, ProgramId root);
    const Uses& closeOver(ProgramId function);

    std::map<ProgramId, Uses>
        own_; ///< by function: what it does itself, and the functions it calls
    std::map<ProgramId, Uses> uses_; ///< with those of the functions it calls
    /// Functions, and control programs, whose own steps access each variable.
    std::vector<std::set<ProgramId>> accessors_;
};

} // namespace tilescope::sim
