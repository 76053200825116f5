// A pipelined execution.
#include "core/store/table_group.h"

namespace tilescope {
namespace {

// The most that the options accept.
constexpr std::int64_t mostRepeats = 1'000'000'000'000;

void checkCounts(const Pipeline& pipeline) {
    if (pipeline.microBatches < 1 || pipeline.iterations < 1 || pipeline.iterations > mostRepeats)
        throw DamagedProfile("the pipeline has an impossible number of iterations");
}

std::int64_t depthAt(const Statement& row, int at) {
    if (row.integer(at) < 0)
        throw DamagedProfile("a pipeline buffer has a depth below zero");
    return row.integer(at);
}

std::int64_t repeatsAt(const Statement& row, int at) {
    if (row.integer(at) < 0 || row.integer(at) > mostRepeats)
        throw DamagedProfile("the pipeline's slots are impossible");
    return row.integer(at);
}

constexpr auto pipelineTable = storedTable<Pipeline>(
    {.name = "pipeline", .since = 3, .check = checkCounts}, [](auto& to, auto& p) {
        to(field("schedule", p.schedule), field("micro_batches", p.microBatches),
           field("iterations", p.iterations, numberAt));
    });

constexpr auto stageTable = storedTable<StageRecord>({"pipeline_stages"}, [](auto& to, auto& s) {
    to(rowNumber("stage"), field("ipu", s.ipu), field("forward_program", s.forward, required),
       field("backward_program", s.backward), field("backward_from", s.backwardFrom),
       field("fifo_program", s.fifo), field("buffer_depth", s.bufferDepth, depthAt));
});

constexpr auto stageBufferTable =
    storedTable<VariableId>({"pipeline_buffers"}, [](auto& to, auto& id) {
        to(givenBack("stage"), field("variable", id, required));
    });

constexpr auto slotTable = storedTable<PipelineSlot>({"pipeline_slots"}, [](auto& to, auto& p) {
    to(rowNumber("slot"), field("part", p.part), field("repeats", p.repeats, repeatsAt));
});

constexpr auto slotProgramTable = storedTable<ProgramId>(
    {.name = "pipeline_slot_programs", .key = "slot, position"}, [](auto& to, auto& id) {
        to(givenBack("slot"), given("position"), field("program", id, required));
    });

constexpr auto stagedTable =
    storedTable<StagedOperation>({"pipeline_operations"}, [](auto& to, auto& s) {
        to(rowNumber("position"), field("name", s.name), field("stage", s.stage));
    });

void writePipeline(const Profile& profile, const Database& db) {
    const Pipeline& pipeline = profile.pipeline;
    if (pipeline.empty())
        return;
    RowWriter(db, pipelineTable)(pipeline);
    writeRows(db, stageTable, pipeline.stages);
    RowWriter buffer(db, stageBufferTable);
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
        for (const VariableId variable : pipeline.stages[i].buffers)
            buffer(variable, i);
    writeRows(db, slotTable, pipeline.slotList);
    RowWriter program(db, slotProgramTable);
    for (std::size_t i = 0; i < pipeline.slotList.size(); ++i)
        for (std::size_t p = 0; p < pipeline.slotList[i].programs.size(); ++p)
            program(pipeline.slotList[i].programs[p], i, p);
    writeRows(db, stagedTable, pipeline.operations);
}

Pipeline readPipeline(const ProfileReader::Impl& of) {
    const RowSource file = of.rows();
    auto pipelines = readRows<std::vector<Pipeline>>(file, pipelineTable);
    if (pipelines.empty())
        return {};
    Pipeline& pipeline = pipelines.front();
    pipeline.stages = readRows<std::vector<StageRecord>>(file, stageTable);
    for (const StageRecord& stage : pipeline.stages)
        if (!stage.ipu.valid() || stage.ipu.value() >= of.info.target.ipus)
            throw DamagedProfile("a row refers to one that does not exist");
    eachRow(file, stageBufferTable, [&](VariableId variable, const Statement& given) {
        element(pipeline.stages, given.integer(0)).buffers.push_back(variable);
    });
    pipeline.slotList = readRows<std::vector<PipelineSlot>>(file, slotTable);
    eachRow(file, slotProgramTable, [&](ProgramId program, const Statement& given) {
        element(pipeline.slotList, given.integer(0)).programs.push_back(program);
    });
    pipeline.operations = readRows<std::vector<StagedOperation>>(file, stagedTable);
    for (const StagedOperation& operation : pipeline.operations)
        element(pipeline.stages, operation.stage);
    return std::move(pipeline);
}

} // namespace

TableGroup pipelineTables() {
    return {pipelineTable.since,
            tablesSql(R"sql(
-- A pipelined execution (since version 3); no rows if the execution is not pipelined.
-- schedule: popart, grouped, interleaved, sequential. micro_batches go through the slots once
-- (gradient accumulation in training); iterations: how often the slots run.
CREATE TABLE pipeline{};

-- Functions of each stage. backward_program: NULL in inference, equal to forward_program where both
-- are one function, whose programs from backward_from on are backward. fifo_program: pushes and pops
-- FIFOs, NULL where activations are stashed. buffer_depth: micro-batches that an activation waits.
CREATE TABLE pipeline_stages{};
-- Stashes and FIFOs, all their rows.
CREATE TABLE pipeline_buffers{};

-- Slots in order. part: rampUp, main, rampDown. repeats: of the block that the slot is in.
CREATE TABLE pipeline_slots{};
-- Functions called in a slot; an IPU runs its own one after the other, IPUs work side by side.
CREATE TABLE pipeline_slot_programs{};

-- The model's operations in order, with the stage that they were given to; operations named
-- "<name>/..." came from them.
CREATE TABLE pipeline_operations{};
)sql",
                      pipelineTable, stageTable, stageBufferTable, slotTable, slotProgramTable,
                      stagedTable),
            {part<&Profile::pipeline>(writePipeline, readPipeline)}};
}

} // namespace tilescope
