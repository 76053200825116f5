// Where the slots of a pipeline are in the program tree, and what follows them.
#include <algorithm>
#include <set>

#include "core/analysis/execution/stage_times.h"

namespace tilescope {
namespace {

/// All Calls of the functions of a pipeline, by function, in the order of the program tree.
std::map<ProgramId, std::vector<ProgramId>> callsOf(const Pipeline& pipeline,
                                                    const IdVector<ProgramId, Program>& programs) {
    std::map<ProgramId, std::vector<ProgramId>> calls;
    for (const auto& entry : slotFunctions(pipeline))
        calls[entry.first];
    std::vector<bool> seen(programs.size(), false); // a damaged tree may have loops
    std::vector<ProgramId> open;
    for (std::size_t root = programs.size(); root-- > 0;)
        if (!programs[ProgramId(root)].parent.valid())
            open.emplace_back(root);
    while (!open.empty()) {
        const ProgramId id = open.back();
        open.pop_back();
        if (!id.valid() || id.index() >= programs.size() || seen[id.index()])
            continue;
        seen[id.index()] = true;
        const Program& program = programs[id];
        if (const auto found = calls.find(program.target); found != calls.end())
            found->second.push_back(id);
        open.insert(open.end(), program.children.rbegin(), program.children.rend());
    }
    return calls;
}

bool isWork(ProgramKind kind) {
    return kind == ProgramKind::OnTileExecute || kind == ProgramKind::DoExchange;
}

/// Finds the body that executes all slots and adds up what it does after the last.
class UpdateAdder {
public:
    UpdateAdder(const PipelineParts& parts, ProgramId first, ProgramId last, bool inRepeat)
        : parts_(parts)
        , first_(first)
        , last_(last)
        , inRepeat_(inRepeat)
        , cycles_(parts.pipeline.stages.size(), 0) {}

    std::vector<std::int64_t> run() {
        for (const TraceRun& run : parts_.trace.runs)
            if (visit(run.body, 0).added)
                break;
        return std::move(cycles_);
    }

private:
    struct Found {
        bool first = false;
        bool last = false;
        bool added = false;
    };

    Found visit(TraceBodyId id, int depth) {
        constexpr int deepest = 500;
        if (!id.valid() || id.index() >= parts_.trace.bodies.size() || depth > deepest ||
            !visited_.insert(id).second)
            return {};
        const TraceBody& body = parts_.trace.bodies[id];
        Found found;
        std::size_t lastItem = 0;
        for (std::size_t i = 0; i < body.items.size() && !found.added; ++i) {
            if (body.items[i].step >= 0)
                continue;
            const TraceCall& call = body.calls.at(static_cast<std::size_t>(body.items[i].call));
            Found below = visit(call.callee, depth + 1);
            found.first = found.first || below.first || call.program == first_;
            found.added = below.added;
            if (below.last || call.program == last_) {
                found.last = true;
                lastItem = i;
            }
        }
        // Slots that are all repeated have the update after the repeat.
        const bool all = found.first && found.last && !found.added;
        if (all && inRepeat_) {
            inRepeat_ = false;
            return found;
        }
        if (all) {
            addAfter(body, lastItem + 1);
            found.added = true;
        }
        return found;
    }

    void addAfter(const TraceBody& body, std::size_t from) {
        for (std::size_t i = from; i < body.items.size(); ++i) {
            if (body.items[i].step < 0)
                continue;
            const TraceStep& step = body.steps.at(static_cast<std::size_t>(body.items[i].step));
            if (!isWork(step.kind))
                continue;
            for (std::size_t stage = 0; stage < cycles_.size(); ++stage)
                for (const StepOnIpu& on : step.ipus)
                    if (on.ipu == parts_.pipeline.stages[stage].ipu)
                        cycles_[stage] += on.cycles;
        }
    }

    const PipelineParts& parts_;
    ProgramId first_;
    ProgramId last_;
    bool inRepeat_;
    std::set<TraceBodyId> visited_;
    std::vector<std::int64_t> cycles_;
};

} // namespace

std::vector<std::vector<ProgramId>> slotCalls(const Pipeline& pipeline,
                                              const IdVector<ProgramId, Program>& programs) {
    const auto calls = callsOf(pipeline, programs);
    std::map<ProgramId, std::size_t> used;
    std::vector<std::vector<ProgramId>> result;
    for (const PipelineSlot& slot : pipeline.slotList) {
        std::vector<ProgramId>& row = result.emplace_back();
        for (const ProgramId function : slot.programs) {
            const auto found = calls.find(function);
            const std::size_t at = used[function]++;
            row.push_back(found != calls.end() && at < found->second.size() ? found->second[at]
                                                                            : ProgramId());
        }
    }
    return result;
}

std::vector<std::int64_t> updateTimes(const PipelineParts& parts,
                                      const std::vector<std::vector<ProgramId>>& calls) {
    const bool training =
        std::any_of(parts.pipeline.stages.begin(), parts.pipeline.stages.end(),
                    [](const StageRecord& stage) { return stage.backward.valid(); });
    ProgramId first;
    ProgramId last;
    for (const auto& slot : calls)
        for (const ProgramId call : slot) {
            if (call.valid() && !first.valid())
                first = call;
            if (call.valid())
                last = call;
        }
    if (!training || !first.valid())
        return std::vector<std::int64_t>(parts.pipeline.stages.size(), 0);
    const bool inRepeat =
        std::all_of(parts.pipeline.slotList.begin(), parts.pipeline.slotList.end(),
                    [](const PipelineSlot& slot) { return slot.repeats > 1; });
    return UpdateAdder(parts, first, last, inRepeat).run();
}

} // namespace tilescope
