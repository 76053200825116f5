#include "core/store/program_forest.h"

#include <cstdint>
#include <fmt/format.h>
#include <vector>

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

void checkCalls(const IdVector<ProgramId, Program>& programs) {
    enum class Mark : std::uint8_t { New, Open, Done };
    std::vector<Mark> marks(programs.size(), Mark::New);
    std::vector<ProgramId> open;
    const auto enter = [&](ProgramId id) {
        if (!id.valid() || id.index() >= programs.size() || !isControl(programs[id].kind))
            return;
        if (marks[id.index()] == Mark::Open)
            throw DamagedProfile(fmt::format("program {} runs itself", id.value()));
        if (marks[id.index()] == Mark::New)
            open.push_back(id);
    };
    // Not recursive: a file may nest arbitrarily deep.
    for (std::size_t i = 0; i < programs.size(); ++i) {
        enter(ProgramId(i));
        while (!open.empty()) {
            const ProgramId id = open.back();
            Mark& mark = marks[id.index()];
            if (mark != Mark::New) {
                mark = Mark::Done;
                open.pop_back();
                continue;
            }
            mark = Mark::Open;
            for (const ProgramId child : programs[id].children)
                enter(child);
            if (programs[id].kind == ProgramKind::Call)
                enter(programs[id].target);
        }
    }
}

} // namespace tilescope
