// Hand-made programs: profiles with nothing but a tree and variables.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.h"

namespace tilescope::test {

class HandMade {
public:
    HandMade() {
        profile.info.target = targetPreset("mk2");
        profile.info.target.tilesPerIpu = 4;
    }

    /// As if slots of a pipeline called the functions: their steps are placed once.
    void asPipeline() { profile.pipeline.stages.emplace_back(); }

    VariableId variable(const std::string& name, std::int64_t bytes = 8) {
        Variable v;
        v.name = name;
        v.bytes = TileSeries(TileId(0), 1, bytes);
        return profile.variables.add(std::move(v));
    }
    /// Opens a control program, a function, a loop or a sequence; close with end().
    void control(const std::string& name) {
        profile.controlPrograms.push_back(open(ProgramKind::Sequence, name));
    }
    ProgramId function(const std::string& name) {
        profile.functions.push_back(open(ProgramKind::Sequence, name));
        return profile.functions.back();
    }
    void repeat(std::int64_t count) {
        profile.programs[open(ProgramKind::Repeat, "repeat")].count = count;
        open(ProgramKind::Sequence, "body");
    }
    void end() {
        const Program& closing = profile.programs[open_.back()];
        open_.pop_back();
        if (closing.parent.valid() && profile.programs[closing.parent].kind == ProgramKind::Repeat)
            open_.pop_back();
    }
    void call(ProgramId function) {
        const ProgramId id = open(ProgramKind::Call, "call");
        profile.programs[id].target = function;
        open_.pop_back();
    }
    void step(std::vector<VariableId> reads, std::vector<VariableId> writes) {
        const ProgramId id = open(ProgramKind::OnTileExecute, "step");
        profile.programs[id].variablesRead = std::move(reads);
        profile.programs[id].variablesWritten = std::move(writes);
        open_.pop_back();
    }

    /// The steps over which a variable is live, as "0-3 7".
    [[nodiscard]] std::string life(VariableId id) const {
        const LivenessClassId liveness = profile.variables[id].liveness;
        if (!liveness.valid())
            return "";
        std::string text;
        for (const StepInterval& i : profile.livenessClasses[liveness].intervals) {
            text += (text.empty() ? "" : " ") + std::to_string(i.first.value());
            if (i.end.value() > i.first.value() + 1)
                text += "-" + std::to_string(i.end.value() - 1);
        }
        return text;
    }

    Profile profile;

private:
    ProgramId open(ProgramKind kind, const std::string& name) {
        Program program;
        program.kind = kind;
        program.name = name;
        program.parent = open_.empty() ? ProgramId() : open_.back();
        const ProgramId id = profile.programs.add(std::move(program));
        if (!open_.empty())
            profile.programs[open_.back()].children.push_back(id);
        open_.push_back(id);
        return id;
    }

    std::vector<ProgramId> open_;
};

} // namespace tilescope::test
