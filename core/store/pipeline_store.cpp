#include "core/store/pipeline_store.h"
#include "core/base/damaged_profile.h"

#include "core/database/row_access.h"

namespace tilescope {
namespace {

constexpr std::int64_t firstVersionWithPipeline = 3;
// The most that the options take.
constexpr std::int64_t mostRepeats = 1'000'000'000'000;

template <class Tag> void bindId(Statement& statement, int at, Id<Tag> id) {
    if (id.valid())
        statement.bind(at, static_cast<std::int64_t>(id.value()));
    else
        statement.bindNull(at);
}

void writeStages(const Database& db, const Pipeline& pipeline) {
    Statement stage = db.prepare("INSERT INTO pipeline_stages VALUES(?,?,?,?,?,?,?)");
    Statement buffer = db.prepare("INSERT INTO pipeline_buffers VALUES(?,?)");
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const StageRecord& s = pipeline.stages[i];
        stage.bind(0, number(i));
        bindId(stage, 1, s.ipu);
        bindId(stage, 2, s.forward);
        bindId(stage, 3, s.backward);
        bindId(stage, 4, s.backwardFrom);
        bindId(stage, 5, s.fifo);
        stage.bind(6, s.bufferDepth);
        stage.run();
        for (const VariableId variable : s.buffers) {
            buffer.bind(0, number(i));
            bindId(buffer, 1, variable);
            buffer.run();
        }
    }
}

void writeSlots(const Database& db, const Pipeline& pipeline) {
    Statement slot = db.prepare("INSERT INTO pipeline_slots VALUES(?,?,?)");
    Statement program = db.prepare("INSERT INTO pipeline_slot_programs VALUES(?,?,?)");
    for (std::size_t i = 0; i < pipeline.slotList.size(); ++i) {
        const PipelineSlot& s = pipeline.slotList[i];
        slot.bind(0, number(i)).bind(1, toString(s.part)).bind(2, s.repeats);
        slot.run();
        for (std::size_t p = 0; p < s.programs.size(); ++p) {
            program.bind(0, number(i)).bind(1, number(p));
            bindId(program, 2, s.programs[p]);
            program.run();
        }
    }
}

/// A column that must name one of `count`, or, if `optional`, may be NULL.
template <class IdType>
IdType checkedId(const Statement& row, int at, std::int64_t count, bool optional = false) {
    if (row.isNull(at) && optional)
        return {};
    const std::int64_t value = row.integer(at);
    if (row.isNull(at) || value < 0 || value >= count)
        throw DamagedProfile("a row refers to one that does not exist");
    return IdType(static_cast<std::int32_t>(value));
}

void readStages(const Database& db, const PipelineLimits& limits, Pipeline& pipeline) {
    Statement row = db.prepare("SELECT stage, ipu, forward_program, backward_program, "
                               "backward_from, fifo_program, buffer_depth FROM pipeline_stages "
                               "ORDER BY stage");
    while (row.step()) {
        if (row.integer(0) != number(pipeline.stages.size()))
            throw DamagedProfile("the pipeline's stages have a hole");
        if (row.integer(6) < 0)
            throw DamagedProfile("a pipeline buffer has a depth below zero");
        pipeline.stages.push_back({checkedId<IpuId>(row, 1, limits.ipus),
                                   checkedId<ProgramId>(row, 2, limits.programs),
                                   checkedId<ProgramId>(row, 3, limits.programs, true),
                                   checkedId<ProgramId>(row, 4, limits.programs, true),
                                   checkedId<ProgramId>(row, 5, limits.programs, true),
                                   row.integer(6),
                                   {}});
    }
    Statement buffer = db.prepare("SELECT stage, variable FROM pipeline_buffers ORDER BY rowid");
    while (buffer.step())
        element(pipeline.stages, buffer.integer(0))
            .buffers.push_back(checkedId<VariableId>(buffer, 1, limits.variables));
}

void readSlots(const Database& db, const PipelineLimits& limits, Pipeline& pipeline) {
    Statement row = db.prepare("SELECT slot, part, repeats FROM pipeline_slots ORDER BY slot");
    while (row.step()) {
        if (row.integer(0) != number(pipeline.slotList.size()) || row.integer(2) < 0 ||
            row.integer(2) > mostRepeats)
            throw DamagedProfile("the pipeline's slots cannot be");
        pipeline.slotList.push_back(
            {known(pipelinePartFrom(row.text(1)), row, 1), row.integer(2), {}});
    }
    Statement program =
        db.prepare("SELECT slot, program FROM pipeline_slot_programs ORDER BY slot, position");
    while (program.step())
        element(pipeline.slotList, program.integer(0))
            .programs.push_back(checkedId<ProgramId>(program, 1, limits.programs));
}

} // namespace

void writePipeline(const Database& db, const Pipeline& pipeline) {
    if (pipeline.empty())
        return;
    Statement row = db.prepare("INSERT INTO pipeline VALUES(?,?,?)");
    row.bind(0, std::string_view(pipeline.schedule))
        .bind(1, pipeline.microBatches)
        .bind(2, pipeline.iterations);
    row.run();
    writeStages(db, pipeline);
    writeSlots(db, pipeline);
    Statement operation = db.prepare("INSERT INTO pipeline_operations VALUES(?,?,?)");
    for (std::size_t i = 0; i < pipeline.operations.size(); ++i) {
        const StagedOperation& op = pipeline.operations[i];
        operation.bind(0, number(i))
            .bind(1, std::string_view(op.name))
            .bind(2, std::int64_t{op.stage});
        operation.run();
    }
}

Pipeline readPipeline(const Database& db, const PipelineLimits& limits) {
    Pipeline pipeline;
    if (db.integer("PRAGMA user_version") < firstVersionWithPipeline)
        return pipeline;
    Statement row = db.prepare("SELECT schedule, micro_batches, iterations FROM pipeline");
    if (!row.step())
        return pipeline;
    pipeline.schedule = row.text(0);
    pipeline.microBatches = row.integer(1);
    pipeline.iterations = row.integer(2);
    if (pipeline.microBatches < 1 || pipeline.iterations < 1 || pipeline.iterations > mostRepeats)
        throw DamagedProfile("a pipeline runs as often as cannot be");
    readStages(db, limits, pipeline);
    readSlots(db, limits, pipeline);
    Statement operation =
        db.prepare("SELECT name, stage FROM pipeline_operations ORDER BY position");
    while (operation.step()) {
        element(pipeline.stages, operation.integer(1));
        pipeline.operations.push_back(
            {operation.text(0), static_cast<std::int32_t>(operation.integer(1))});
    }
    return pipeline;
}

} // namespace tilescope
