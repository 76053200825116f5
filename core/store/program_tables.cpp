// The program tree.
#include "core/store/program_forest.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

/// From this version on programs may be of kinds that only other tools have.
constexpr std::int64_t firstVersionWithOtherKinds = 12;

constexpr auto programTable = storedTable<Program>({"programs"}, [](auto& to, auto& p) {
    to(rowNumber("id"), field("name", p.name), field("kind", p.kind), field("parent", p.parent),
       given("position"), field("count", p.count), field("target", p.target),
       field("compute_set", p.computeSet), field("exchange", p.exchange), field("stream", p.stream),
       field("operation", p.operation), derived("control_code", p.controlCode.sum()),
       field("control_code_by_tile", p.controlCode),
       field("original_kind", p.originalKind, {}, firstVersionWithOtherKinds));
});

constexpr auto rootColumns = [](auto& to, auto& id) {
    to(rowNumber("position"), field("program", id, required));
};
constexpr auto controlTable = storedTable<ProgramId>({"control_programs"}, rootColumns);
constexpr auto functionTable = storedTable<ProgramId>({"functions"}, rootColumns);

constexpr auto usedVariableTable =
    storedTable<VariableId>({"program_variables"}, [](auto& to, auto& id) {
        to(givenBack("program"), field("variable", id, required), givenBack("written"));
    });

void writePrograms(const Profile& profile, const Database& db) {
    std::vector<std::size_t> position(profile.programs.size(), 0);
    for (const Program& p : profile.programs)
        for (std::size_t i = 0; i < p.children.size(); ++i)
            position.at(p.children[i].index()) = i;
    RowWriter row(db, programTable);
    IntegerRows<3> variable(db, usedVariableTable.name);
    std::int64_t id = 0;
    for (const Program& p : profile.programs) {
        row(p, position[static_cast<std::size_t>(id)]);
        for (const VariableId v : p.variablesRead)
            variable({id, v.value(), 0});
        for (const VariableId v : p.variablesWritten)
            variable({id, v.value(), 1});
        ++id;
    }
    variable.finish();
}

IdVector<ProgramId, Program> readPrograms(const ProfileReader::Impl& file) {
    auto programs = readRows<IdVector<ProgramId, Program>>(file.rows(), programTable);
    Statement child = file.db.prepare(
        "SELECT parent, id FROM programs WHERE parent IS NOT NULL ORDER BY parent, position");
    const References<ProgramId> childAt(static_cast<std::int64_t>(programs.size()));
    while (child.step())
        element(programs, child.integer(0)).children.push_back(childAt.required(child, 1));
    eachRow(file.rows(), usedVariableTable, [&](VariableId variable, const Statement& given) {
        Program& p = element(programs, given.integer(0));
        (given.integer(1) != 0 ? p.variablesWritten : p.variablesRead).push_back(variable);
    });
    checkForest(programs);
    return programs;
}

} // namespace

TableGroup programTables() {
    return {1,
            tablesSql(R"sql(
-- The program tree. position: place among the children of parent. count: of a Repeat.
-- target: function of a Call. control_code: own bytes over all tiles, without children.
-- original_kind (since version 12): Poplar's name of a kind that is unknown here.
CREATE TABLE programs{};
-- Programs that the host runs.
CREATE TABLE control_programs{};
-- Programs that Calls run.
CREATE TABLE functions{};
-- Variables that a program reads (written 0) and writes (written 1).
CREATE TABLE program_variables{};
)sql",
                      programTable, controlTable, functionTable, usedVariableTable),
            {part<&Profile::programs>(writePrograms, readPrograms),
             part<&Profile::controlPrograms>(controlTable),
             part<&Profile::functions>(functionTable)},
            "CREATE INDEX programs_by_parent ON programs(parent, position)"};
}

} // namespace tilescope
