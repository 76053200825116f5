#include "core/store/program_forest.h"

#include <fmt/format.h>

#include "core/base/damaged_profile.h"

namespace tilescope {

void checkForest(const IdVector<ProgramId, Program>& programs) {
    // The round in which a program was first met; meeting it again in the same round means a cycle.
    std::vector<std::size_t> rounds(programs.size(), 0);
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const std::size_t round = i + 1;
        for (ProgramId at(i); at.valid(); at = programs[at].parent) {
            if (at.index() >= programs.size())
                throw DamagedProfile(fmt::format("there is no program {}", at.value()));
            if (rounds[at.index()] == round)
                throw DamagedProfile(fmt::format("program {} is its own parent", at.value()));
            if (rounds[at.index()] != 0)
                break;
            rounds[at.index()] = round;
        }
    }
}

} // namespace tilescope
