#include "core/store/profile_relations.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/damaged_profile.h"
#include "core/store/placement_codec.h"

namespace tilescope {
namespace {

[[noreturn]] void damagedProgram(ProgramId id, std::string_view what) {
    throw DamagedProfile(fmt::format("program {} {}", id.value(), what));
}

/// Programs, and which of them are reachable.
class ProgramRelations {
public:
    explicit ProgramRelations(const Profile& profile)
        : profile_(profile)
        , marks_(profile.programs.size(), Mark::New)
        , isRoot_(profile.programs.size(), false) {}

    void check() {
        listRoots(profile_.controlPrograms);
        listRoots(profile_.functions);
        for (std::size_t i = 0; i < profile_.programs.size(); ++i)
            checkOne(ProgramId(i));
        for (const ProgramId root : profile_.controlPrograms)
            reach(root);
    }

    /// From a control program; valid after check().
    [[nodiscard]] bool isReached(ProgramId id) const { return marks_[id.index()] == Mark::Done; }

private:
    enum class Mark : std::uint8_t { New, Open, Done };

    void listRoots(const std::vector<ProgramId>& roots) {
        for (const ProgramId root : roots) {
            if (isRoot_[root.index()] || profile_.programs[root].parent.valid())
                damagedProgram(root, "is not a root");
            isRoot_[root.index()] = true;
        }
    }

    void checkOne(ProgramId id) const {
        const Program& program = profile_.programs[id];
        if (!program.parent.valid() && !isRoot_[id.index()])
            damagedProgram(id, "is not in any list");
        if (!isControl(program.kind) && !program.children.empty())
            damagedProgram(id, "is a step that contains programs");
        if (!hasWhatItRuns(program))
            damagedProgram(id,
                           fmt::format("runs nothing, but is of kind {}", toString(program.kind)));
    }

    [[nodiscard]] bool hasWhatItRuns(const Program& program) const {
        switch (program.kind) {
        case ProgramKind::Call:
            return program.target.valid() && isRoot_[program.target.index()];
        case ProgramKind::Repeat:
            return !program.children.empty() && program.count > 0;
        case ProgramKind::OnTileExecute:
            return program.computeSet.valid();
        case ProgramKind::DoExchange:
        case ProgramKind::GlobalExchange:
            return program.exchange.valid();
        case ProgramKind::StreamCopyBegin:
        case ProgramKind::StreamCopyMid:
        case ProgramKind::StreamCopyEnd:
            return program.stream.valid();
        default:
            return true;
        }
    }

    // Not recursive: a file may nest arbitrarily deep.
    void reach(ProgramId root) {
        std::vector<ProgramId> open{root};
        while (!open.empty()) {
            const ProgramId id = open.back();
            Mark& mark = marks_[id.index()];
            if (mark != Mark::New) {
                mark = Mark::Done;
                open.pop_back();
                continue;
            }
            mark = Mark::Open;
            const Program& program = profile_.programs[id];
            for (const ProgramId child : program.children)
                enter(child, open);
            if (program.kind == ProgramKind::Call)
                enter(program.target, open);
        }
    }

    void enter(ProgramId id, std::vector<ProgramId>& open) {
        if (marks_[id.index()] == Mark::Open)
            damagedProgram(id, "runs itself");
        if (marks_[id.index()] == Mark::New)
            open.push_back(id);
    }

    const Profile& profile_;
    std::vector<Mark> marks_;
    std::vector<bool> isRoot_;
};

/// Of programs that were only taken apart there may be no steps at all.
void checkSteps(const Profile& profile, const ProgramRelations& programs) {
    std::vector<bool> isStep(profile.programs.size(), false);
    for (const ProgramId program : profile.steps) {
        if (isControl(profile.programs[program].kind) || !programs.isReached(program))
            damagedProgram(program, "is not a step that runs");
        isStep[program.index()] = true;
    }
    for (std::size_t i = 0; i < isStep.size(); ++i)
        if (const ProgramId id(i);
            !isStep[i] && programs.isReached(id) && !isControl(profile.programs[id].kind))
            damagedProgram(id, "is in no step of the liveness order");
}

void checkLives(const Profile& profile) {
    const auto steps = static_cast<std::int32_t>(profile.steps.size());
    for (const LivenessClass& lives : profile.livenessClasses)
        for (const StepInterval& life : lives.intervals)
            if (life.first.value() < 0 || life.first >= life.end || life.end.value() > steps)
                throw DamagedProfile("variables live over impossible steps");
    const auto check = [&](VariableId id) {
        const Variable& variable = profile.variables[id];
        if (!variable.alwaysLive && !variable.liveness.valid())
            throw DamagedProfile(fmt::format("variable {} is used, but never live", id.value()));
    };
    for (const ProgramId step : profile.steps) {
        const Program& program = profile.programs[step];
        std::for_each(program.variablesRead.begin(), program.variablesRead.end(), check);
        std::for_each(program.variablesWritten.begin(), program.variablesWritten.end(), check);
    }
    std::vector<bool> isUsed(profile.livenessClasses.size(), false);
    for (const Variable& variable : profile.variables) {
        if (!variable.liveness.valid())
            continue;
        if (variable.liveness.index() >= isUsed.size())
            throw DamagedProfile("a variable has a liveness class that does not exist");
        isUsed[variable.liveness.index()] = true;
    }
    const bool anyUse = std::find(isUsed.begin(), isUsed.end(), true) != isUsed.end();
    const bool anyLife =
        std::any_of(profile.livenessClasses.begin(), profile.livenessClasses.end(),
                    [](const LivenessClass& lives) { return !lives.intervals.empty(); });
    if (anyUse && !anyLife)
        throw DamagedProfile("no variable is ever live");
}

void checkMemory(const Profile& profile) {
    const auto tiles = static_cast<std::size_t>(profile.info.target.totalTiles());
    if (profile.tileMemory.size() != tiles)
        throw DamagedProfile(fmt::format("{} tiles have their memory, but there are {}",
                                         profile.tileMemory.size(), tiles));
    std::int64_t used = 0;
    for (const TileMemory& tile : profile.tileMemory)
        used += tile.excludingGaps;
    std::int64_t byCategory = 0;
    for (const CategoryMemory& category : profile.categoryMemory)
        byCategory += category.bytes.sum();
    if (used != byCategory)
        throw DamagedProfile(
            fmt::format("tiles use {} bytes, but categories {}", used, byCategory));
    const auto placements = static_cast<std::int64_t>(placementsIn(profile.placements));
    for (const TileRun& run : profile.placementOfTile.runs())
        if (run.value > placements)
            throw DamagedProfile("tiles have addresses that do not exist");
    for (const PlacementChunk& chunk : profile.placements)
        for (const Placement& placement : decodePlacements(chunk.packed))
            for (const PlacedVariable& placed : placement.variables)
                if (placed.variable.index() >= profile.variables.size())
                    throw DamagedProfile("an address is of a variable that does not exist");
}

} // namespace

void checkRelations(const Profile& profile) {
    ProgramRelations programs(profile);
    programs.check();
    if (profile.programs.empty() || profile.controlPrograms.empty())
        throw DamagedProfile("it has no program that the host runs");
    checkSteps(profile, programs);
    checkLives(profile);
    checkMemory(profile);
}

} // namespace tilescope
