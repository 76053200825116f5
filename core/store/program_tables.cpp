// The program tree.
#include <fmt/format.h>

#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/program_forest.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

void writeRoots(const Database& db, std::string_view table, const std::vector<ProgramId>& roots) {
    Insert row(db, table);
    for (std::size_t i = 0; i < roots.size(); ++i)
        row(i, roots[i]);
}

std::vector<ProgramId> readRoots(const Database& db, std::string_view table) {
    std::vector<ProgramId> roots;
    const References<ProgramId> programAt(db, "programs");
    Statement row = db.prepare(fmt::format("SELECT program FROM {} ORDER BY position", table));
    while (row.step())
        roots.push_back(programAt.required(row, 0));
    return roots;
}

void writePrograms(const Profile& profile, const Database& db) {
    std::vector<std::size_t> position(profile.programs.size(), 0);
    for (const Program& p : profile.programs)
        for (std::size_t i = 0; i < p.children.size(); ++i)
            position.at(p.children[i].index()) = i;
    Insert row(db, "programs");
    IntegerRows<3> variable(db, "program_variables");
    std::int64_t id = 0;
    for (const Program& p : profile.programs) {
        row(id, p.name, toString(p.kind), p.parent, position[static_cast<std::size_t>(id)], p.count,
            p.target, p.computeSet, p.exchange, p.stream, p.operation, p.controlCode.sum(),
            p.controlCode);
        for (const VariableId v : p.variablesRead)
            variable({id, v.value(), 0});
        for (const VariableId v : p.variablesWritten)
            variable({id, v.value(), 1});
        ++id;
    }
    variable.finish();
    writeRoots(db, "control_programs", profile.controlPrograms);
    writeRoots(db, "functions", profile.functions);
}

} // namespace

IdVector<ProgramId, Program> ProfileReader::programs() const {
    IdVector<ProgramId, Program> programs;
    const References<ProgramId> programAt(impl_->db, "programs");
    const References<ComputeSetId> setAt(impl_->db, "compute_sets", "compute_set");
    const References<ExchangeId> exchangeAt(impl_->db, "exchanges");
    const References<StreamId> streamAt(impl_->db, "streams");
    const References<OperationId> operationAt(impl_->db, "operations");
    const References<VariableId> variableAt(impl_->db, "variables");
    Statement row = impl_->db.prepare(
        "SELECT name, kind, parent, count, target, compute_set, exchange, stream, operation, "
        "control_code_by_tile FROM programs ORDER BY id");
    while (row.step()) {
        Program p;
        p.name = row.text(0);
        p.kind = known(programKindFrom(row.text(1)), row, 1);
        p.parent = programAt(row, 2);
        p.count = amountAt(row, 3);
        p.target = programAt(row, 4);
        p.computeSet = setAt(row, 5);
        p.exchange = exchangeAt(row, 6);
        p.stream = streamAt(row, 7);
        p.operation = operationAt(row, 8);
        p.controlCode = impl_->series(row, 9);
        programs.add(std::move(p));
    }
    Statement child = impl_->db.prepare(
        "SELECT parent, id FROM programs WHERE parent IS NOT NULL ORDER BY parent, position");
    while (child.step())
        element(programs, child.integer(0)).children.push_back(programAt(child, 1));
    Statement variable = impl_->db.prepare(
        "SELECT program, variable, written FROM program_variables ORDER BY rowid");
    while (variable.step()) {
        Program& p = element(programs, variable.integer(0));
        (variable.integer(2) != 0 ? p.variablesWritten : p.variablesRead)
            .push_back(variableAt.required(variable, 1));
    }
    impl_->checkIds("programs", "id", programs.size());
    checkForest(programs);
    return programs;
}

std::vector<ProgramId> ProfileReader::controlPrograms() const {
    return readRoots(impl_->db, "control_programs");
}

std::vector<ProgramId> ProfileReader::functions() const {
    return readRoots(impl_->db, "functions");
}

TableGroup programTables() {
    return {1,
            R"sql(
-- The program tree. position: place among the children of parent. count: of a Repeat.
-- target: function of a Call. control_code: own bytes over all tiles, without children.
CREATE TABLE programs(id INTEGER PRIMARY KEY, name TEXT, kind TEXT, parent INTEGER,
    position INTEGER, count INTEGER, target INTEGER, compute_set INTEGER, exchange INTEGER,
    stream INTEGER, operation INTEGER, control_code INTEGER, control_code_by_tile BLOB);
-- Programs that the host runs.
CREATE TABLE control_programs(position INTEGER PRIMARY KEY, program INTEGER);
-- Programs that Calls run.
CREATE TABLE functions(position INTEGER PRIMARY KEY, program INTEGER);
-- Variables that a program reads (written 0) and writes (written 1).
CREATE TABLE program_variables(program INTEGER, variable INTEGER, written INTEGER);
)sql",
            writePrograms,
            [](const ProfileReader& reader, Profile& profile) {
                profile.programs = reader.programs();
                profile.controlPrograms = reader.controlPrograms();
                profile.functions = reader.functions();
            },
            "CREATE INDEX programs_by_parent ON programs(parent, position)"};
}

} // namespace tilescope
