#include "tests/support/sample_pipeline.h"

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

} // namespace tilescope::test
