// A pipelined execution.
#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr std::int64_t firstVersionWithPipeline = 3;
// The most that the options accept.
constexpr std::int64_t mostRepeats = 1'000'000'000'000;

void writePipeline(const Profile& profile, const Database& db) {
    const Pipeline& pipeline = profile.pipeline;
    if (pipeline.empty())
        return;
    Insert(db, "pipeline")(pipeline.schedule, pipeline.microBatches, pipeline.iterations);
    Insert stage(db, "pipeline_stages");
    Insert buffer(db, "pipeline_buffers");
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const StageRecord& s = pipeline.stages[i];
        stage(i, s.ipu, s.forward, s.backward, s.backwardFrom, s.fifo, s.bufferDepth);
        for (const VariableId variable : s.buffers)
            buffer(i, variable);
    }
    Insert slot(db, "pipeline_slots");
    Insert program(db, "pipeline_slot_programs");
    for (std::size_t i = 0; i < pipeline.slotList.size(); ++i) {
        const PipelineSlot& s = pipeline.slotList[i];
        slot(i, toString(s.part), s.repeats);
        for (std::size_t p = 0; p < s.programs.size(); ++p)
            program(i, p, s.programs[p]);
    }
    Insert operation(db, "pipeline_operations");
    for (std::size_t i = 0; i < pipeline.operations.size(); ++i)
        operation(i, pipeline.operations[i].name, pipeline.operations[i].stage);
}

void readStages(const Database& db, std::int64_t ipus, Pipeline& pipeline) {
    const References<ProgramId> programAt(db, "programs");
    const References<VariableId> variableAt(db, "variables");
    Statement row = db.prepare("SELECT stage, ipu, forward_program, backward_program, "
                               "backward_from, fifo_program, buffer_depth FROM pipeline_stages "
                               "ORDER BY stage");
    while (row.step()) {
        if (row.integer(0) != static_cast<std::int64_t>(pipeline.stages.size()))
            throw DamagedProfile("the pipeline's stages have a gap");
        if (row.integer(6) < 0)
            throw DamagedProfile("a pipeline buffer has a depth below zero");
        pipeline.stages.push_back({idBelow<IpuId>(row, 1, ipus),
                                   programAt.required(row, 2),
                                   programAt(row, 3),
                                   programAt(row, 4),
                                   programAt(row, 5),
                                   row.integer(6),
                                   {}});
    }
    Statement buffer = db.prepare("SELECT stage, variable FROM pipeline_buffers ORDER BY rowid");
    while (buffer.step())
        element(pipeline.stages, buffer.integer(0))
            .buffers.push_back(variableAt.required(buffer, 1));
}

void readSlots(const Database& db, Pipeline& pipeline) {
    const References<ProgramId> programAt(db, "programs");
    Statement row = db.prepare("SELECT slot, part, repeats FROM pipeline_slots ORDER BY slot");
    while (row.step()) {
        if (row.integer(0) != static_cast<std::int64_t>(pipeline.slotList.size()) ||
            row.integer(2) < 0 || row.integer(2) > mostRepeats)
            throw DamagedProfile("the pipeline's slots are impossible");
        pipeline.slotList.push_back(
            {known(fromName<PipelinePart>(row.text(1)), row, 1), row.integer(2), {}});
    }
    Statement program =
        db.prepare("SELECT slot, program FROM pipeline_slot_programs ORDER BY slot, position");
    while (program.step())
        element(pipeline.slotList, program.integer(0))
            .programs.push_back(programAt.required(program, 1));
}

} // namespace

Pipeline ProfileReader::pipeline() const {
    Pipeline pipeline;
    if (!impl_->has(firstVersionWithPipeline))
        return pipeline;
    Statement row = impl_->db.prepare("SELECT schedule, micro_batches, iterations FROM pipeline");
    if (!row.step())
        return pipeline;
    pipeline.schedule = row.text(0);
    pipeline.microBatches = amountAt(row, 1);
    pipeline.iterations = row.integer(2);
    if (pipeline.microBatches < 1 || pipeline.iterations < 1 || pipeline.iterations > mostRepeats)
        throw DamagedProfile("the pipeline has an impossible number of iterations");
    readStages(impl_->db, info().target.ipus, pipeline);
    readSlots(impl_->db, pipeline);
    Statement operation =
        impl_->db.prepare("SELECT name, stage FROM pipeline_operations ORDER BY position");
    while (operation.step()) {
        element(pipeline.stages, operation.integer(1));
        pipeline.operations.push_back(
            {operation.text(0), static_cast<std::int32_t>(operation.integer(1))});
    }
    return pipeline;
}

TableGroup pipelineTables() {
    return {firstVersionWithPipeline,
            R"sql(
-- A pipelined execution (since version 3); no rows if the execution is not pipelined.
-- schedule: popart, grouped, interleaved, sequential. micro_batches go through the slots once
-- (gradient accumulation in training); iterations: how often the slots run.
CREATE TABLE pipeline(schedule TEXT, micro_batches INTEGER, iterations INTEGER);

-- Functions of each stage. backward_program: NULL in inference, equal to forward_program where both
-- are one function, whose programs from backward_from on are backward. fifo_program: pushes and pops
-- FIFOs, NULL where activations are stashed. buffer_depth: micro-batches that an activation waits.
CREATE TABLE pipeline_stages(stage INTEGER PRIMARY KEY, ipu INTEGER, forward_program INTEGER,
    backward_program INTEGER, backward_from INTEGER, fifo_program INTEGER, buffer_depth INTEGER);
-- Stashes and FIFOs, all their rows.
CREATE TABLE pipeline_buffers(stage INTEGER, variable INTEGER);

-- Slots in order. part: rampUp, main, rampDown. repeats: of the block that the slot is in.
CREATE TABLE pipeline_slots(slot INTEGER PRIMARY KEY, part TEXT, repeats INTEGER);
-- Functions called in a slot; an IPU runs its own one after the other, IPUs work side by side.
CREATE TABLE pipeline_slot_programs(slot INTEGER, position INTEGER, program INTEGER,
    PRIMARY KEY(slot, position)) WITHOUT ROWID;

-- The model's operations in order, with the stage that they were given to; operations named
-- "<name>/..." came from them.
CREATE TABLE pipeline_operations(position INTEGER PRIMARY KEY, name TEXT, stage INTEGER);
)sql",
            writePipeline, [](const ProfileReader& reader, Profile& profile) {
                profile.pipeline = reader.pipeline();
            }};
}

} // namespace tilescope
