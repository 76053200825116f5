#include "tests/support/sample_pipeline.h"

#include <algorithm>

#include "tests/support/sample_profile.h"

namespace tilescope::test {
namespace {

struct Timed {
    OperationId operation;
    std::int64_t cycles;
};

/// Adds a function of one timed step an operation on an IPU; each step after a sync of ten cycles.
ProgramId addFunction(Profile& p, const char* name, IpuId ipu, const std::vector<Timed>& steps) {
    constexpr std::int64_t sync = 10;
    Program function;
    function.name = name;
    const ProgramId id = p.programs.add(std::move(function));
    p.functions.push_back(id);
    TraceBody body;
    body.name = name;
    body.program = id;
    std::int64_t at = 0;
    for (const Timed& timed : steps) {
        Program step;
        step.kind = ProgramKind::OnTileExecute;
        step.name = p.operations[timed.operation].name;
        step.parent = id;
        step.operation = timed.operation;
        step.computeSet = ComputeSetId(0);
        const ProgramId leaf = p.programs.add(std::move(step));
        p.programs[id].children.push_back(leaf);
        body.steps.push_back({ProgramKind::Sync, {}, {{ipu, at, sync, 4, 0, 0, 0}}});
        body.steps.push_back({ProgramKind::OnTileExecute,
                              leaf,
                              {{ipu, at + sync, timed.cycles - sync, 4, 0, 0, 0}}});
        at += timed.cycles;
    }
    for (std::size_t i = 0; i < body.steps.size(); ++i)
        body.items.push_back({static_cast<std::int32_t>(i), -1});
    p.trace.bodies.add(std::move(body));
    return id;
}

OperationId addOperation(Profile& p, const char* name) {
    Operation operation;
    operation.name = name;
    return p.operations.add(std::move(operation));
}

} // namespace

Profile samplePipeline() {
    Profile p = sampleProfile({.ipus = 2});
    const OperationId a = addOperation(p, "a/fc");
    const OperationId aGradient = addOperation(p, "a/fc/Grad");
    const OperationId b = addOperation(p, "b");
    const OperationId c = addOperation(p, "c/x");
    const OperationId cGradient = addOperation(p, "c/x/Grad/part");
    const OperationId bGradient = addOperation(p, "b/Grad");
    const ProgramId f0 = addFunction(p, "main_stage0", IpuId(0), {{a, 100}});
    const ProgramId f1 = addFunction(p, "main_stage1", IpuId(1),
                                     {{b, 200}, {c, 100}, {cGradient, 300}, {bGradient, 100}});
    const ProgramId b0 = addFunction(p, "main_stage2", IpuId(0), {{aGradient, 200}});
    const ProgramId backwardFrom = p.programs[f1].children[2];
    Pipeline& pipeline = p.pipeline;
    pipeline.schedule = "popart";
    pipeline.microBatches = 4;
    pipeline.iterations = 1;
    pipeline.stages = {{IpuId(0), f0, b0, {}, {}, 3, {VariableId(0)}},
                       {IpuId(1), f1, f1, backwardFrom, {}, 0, {}}};
    pipeline.slotList = {{PipelinePart::RampUp, 1, {f0}},
                         {PipelinePart::RampUp, 1, {f0, f1}},
                         {PipelinePart::Main, 2, {f0, f1, b0}},
                         {PipelinePart::RampDown, 1, {f1, b0}},
                         {PipelinePart::RampDown, 1, {b0}}};
    pipeline.operations = {{"a/fc", 0}, {"b", 1}, {"c/x", 1}};
    p.trace.runs.back().cycles = 8000;
    p.info.cycles = 8000;
    return p;
}

namespace {

/// Adds Calls of a slot's functions to a body, as if nothing were between them.
class SlotCaller {
public:
    explicit SlotCaller(Profile& p)
        : p_(p) {}

    ProgramId addProgram(ProgramKind kind, const char* name, ProgramId parent) {
        Program program;
        program.kind = kind;
        program.name = name;
        program.parent = parent;
        const ProgramId id = p_.programs.add(std::move(program));
        if (parent.valid())
            p_.programs[parent].children.push_back(id);
        return id;
    }

    void call(TraceBody& body, ProgramId parent, const PipelineSlot& slot, std::int64_t at) {
        std::vector<std::int64_t> start(2, at);
        for (const ProgramId function : slot.programs) {
            const ProgramId call =
                addProgram(ProgramKind::Call, p_.programs[function].name.c_str(), parent);
            p_.programs[call].target = function;
            const TraceBodyId callee = bodyOf(function);
            const StepOnIpu last = p_.trace.bodies[callee].steps.back().ipus.front();
            std::int64_t& now = start.at(last.ipu.index());
            body.items.push_back({-1, static_cast<std::int32_t>(body.calls.size())});
            body.calls.push_back({callee, call, 1, {{last.ipu, now, 0}}});
            now += last.start + last.cycles;
        }
    }

private:
    [[nodiscard]] TraceBodyId bodyOf(ProgramId function) const {
        for (std::size_t i = 0; i < p_.trace.bodies.size(); ++i)
            if (p_.trace.bodies[TraceBodyId(i)].program == function)
                return TraceBodyId(i);
        return {};
    }
    Profile& p_;
};

} // namespace

Profile samplePipelineRun(std::int64_t mainRepeats) {
    Profile p = samplePipeline();
    const std::int64_t end = 800 + 700 * mainRepeats; // of the main slots
    p.pipeline.slotList[2].repeats = mainRepeats;
    p.pipeline.microBatches = mainRepeats + 2;
    p.info.cycles = p.trace.runs.back().cycles = std::max(p.info.cycles, end + 2000);
    SlotCaller caller(p);
    const auto& slots = p.pipeline.slotList;
    const ProgramId outer = caller.addProgram(ProgramKind::Sequence, "outer", {});
    p.controlPrograms.push_back(outer);
    const ProgramId fill = caller.addProgram(ProgramKind::Sequence, "fill", outer);
    TraceBody body;
    body.program = outer;
    caller.call(body, fill, slots[0], 0);
    caller.call(body, fill, slots[1], 100);
    const ProgramId repeat = caller.addProgram(ProgramKind::Repeat, "innerLoop", outer);
    p.programs[repeat].count = mainRepeats;
    TraceBody inner;
    inner.program = caller.addProgram(ProgramKind::Sequence, "innerLoop", repeat);
    caller.call(inner, inner.program, slots[2], 0);
    const TraceBodyId innerId = p.trace.bodies.add(std::move(inner));
    body.items.push_back({-1, static_cast<std::int32_t>(body.calls.size())});
    body.calls.push_back(
        {innerId, repeat, mainRepeats, {{IpuId(0), 800, 700}, {IpuId(1), 800, 700}}});
    const ProgramId flush = caller.addProgram(ProgramKind::Sequence, "flush", outer);
    caller.call(body, flush, slots[3], end);
    caller.call(body, flush, slots[4], end + 700);
    const ProgramId update = caller.addProgram(ProgramKind::OnTileExecute, "w_update", outer);
    p.programs[update].computeSet = ComputeSetId(0);
    body.items.push_back({0, -1});
    body.steps.push_back(
        {ProgramKind::OnTileExecute,
         update,
         {{IpuId(0), end + 900, 50, 4, 0, 0, 0}, {IpuId(1), end + 900, 80, 4, 0, 0, 0}}});
    p.trace.runs.back().body = p.trace.bodies.add(std::move(body));
    return p;
}

} // namespace tilescope::test
