// The program tree.
#include <algorithm>
#include <limits>
#include <span>

#include "core/store/program_forest.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

/// From this version on programs may be of kinds that only other tools have.
constexpr std::int64_t firstVersionWithOtherKinds = 12;

/// From this version on the variables of a program are lists in its row; before, each was a row.
constexpr std::int64_t firstVersionWithVariableLists = 15;

/// Whether they exist is checked for all at once.
std::vector<VariableId> variablesAt(const Statement& row, int at) {
    std::vector<VariableId> variables;
    if (row.isNull(at))
        return variables;
    const std::span<const std::byte> text = row.blob(at);
    // Of tens of thousands of lists most have a few numbers.
    variables.reserve(
        static_cast<std::size_t>(std::count(text.begin(), text.end(), std::byte{','})) + 1);
    forNumbers(text, [&](std::int64_t number) {
        if (number < 0 || number > std::numeric_limits<std::int32_t>::max())
            throw DamagedProfile("a row has an impossible id");
        variables.emplace_back(static_cast<std::int32_t>(number));
    });
    return variables;
}

constexpr auto programTable = storedTable<Program>({"programs"}, [](auto& to, auto& p) {
    to(rowNumber("id"), field("name", p.name), field("kind", p.kind), field("parent", p.parent),
       givenBack("position"), field("count", p.count), field("target", p.target),
       field("compute_set", p.computeSet), field("exchange", p.exchange), field("stream", p.stream),
       field("operation", p.operation), derived("control_code", p.controlCode.sum()),
       field("control_code_by_tile", p.controlCode),
       field("original_kind", p.originalKind, {}, firstVersionWithOtherKinds),
       field("variables_read", p.variablesRead, variablesAt, firstVersionWithVariableLists),
       field("variables_written", p.variablesWritten, variablesAt, firstVersionWithVariableLists));
});

constexpr auto rootColumns = [](auto& to, auto& id) {
    to(rowNumber("position"), field("program", id, required));
};
constexpr auto controlTable = storedTable<ProgramId>({"control_programs"}, rootColumns);
constexpr auto functionTable = storedTable<ProgramId>({"functions"}, rootColumns);

void writePrograms(const Profile& profile, const Database& db) {
    std::vector<std::size_t> position(profile.programs.size(), 0);
    for (const Program& p : profile.programs)
        for (std::size_t i = 0; i < p.children.size(); ++i)
            position.at(p.children[i].index()) = i;
    RowWriter row(db, programTable);
    std::size_t id = 0;
    for (const Program& p : profile.programs)
        row(p, position[id++]);
}

/// Programs are mostly numbered in the order of their positions.
void addChildren(IdVector<ProgramId, Program>& programs,
                 const std::vector<std::int64_t>& positions) {
    for (std::size_t i = 0; i < programs.size(); ++i)
        if (const ProgramId parent = programs[ProgramId(i)].parent; parent.valid())
            programs[parent].children.emplace_back(i);
    const auto isBefore = [&](ProgramId a, ProgramId b) {
        return positions[a.index()] < positions[b.index()];
    };
    for (Program& program : programs)
        if (!std::is_sorted(program.children.begin(), program.children.end(), isBefore))
            std::stable_sort(program.children.begin(), program.children.end(), isBefore);
}

void readVariablesInRows(const Database& db, IdVector<ProgramId, Program>& programs) {
    Statement row = db.prepare("SELECT program, variable, written FROM program_variables");
    while (row.step()) {
        Program& p = element(programs, row.integer(0));
        (row.integer(2) != 0 ? p.variablesWritten : p.variablesRead)
            .push_back(idAt<VariableId>(row, 1));
    }
}

void checkVariables(const IdVector<ProgramId, Program>& programs,
                    const References<VariableId>& variableAt) {
    for (const Program& program : programs)
        for (const auto* variables : {&program.variablesRead, &program.variablesWritten})
            for (const VariableId variable : *variables)
                if (!variableAt.known(variable).valid())
                    throw DamagedProfile("a row refers to one that does not exist");
}

IdVector<ProgramId, Program> readPrograms(const ProfileReader::Impl& file) {
    IdVector<ProgramId, Program> programs;
    std::vector<std::int64_t> positions;
    programs.reserve(rowsOf(file.rows(), programTable));
    eachRow(file.rows(), programTable, [&](Program& program, const Statement& given) {
        programs.add(std::move(program));
        positions.push_back(given.integer(0));
    });
    checkForest(programs);
    addChildren(programs, positions);
    checkCalls(programs);
    if (!file.has(firstVersionWithVariableLists))
        readVariablesInRows(file.db, programs);
    checkVariables(programs, References<VariableId>(file.db));
    return programs;
}

} // namespace

TableGroup programTables() {
    return {1,
            tablesSql(R"sql(
-- The program tree. position: place among the children of parent. count: of a Repeat.
-- target: function of a Call. control_code: own bytes over all tiles, without children.
-- original_kind (since version 12): Poplar's name of a kind that is unknown here. variables_read,
-- variables_written (since version 15): ids as a JSON array, NULL if there are none.
CREATE TABLE programs{};
-- Programs that the host runs.
CREATE TABLE control_programs{};
-- Programs that Calls run.
CREATE TABLE functions{};
-- Variables that a program reads (written 0) and writes (written 1); a table before version 15.
CREATE VIEW program_variables AS
    SELECT p.id AS program, v.value AS variable, 0 AS written
    FROM programs p, json_each(p.variables_read) v
    UNION ALL
    SELECT p.id AS program, v.value AS variable, 1 AS written
    FROM programs p, json_each(p.variables_written) v;
)sql",
                      programTable, controlTable, functionTable),
            {part<&Profile::programs>(writePrograms, readPrograms),
             part<&Profile::controlPrograms>(controlTable),
             part<&Profile::functions>(functionTable)},
            "CREATE INDEX programs_by_parent ON programs(parent, position)"};
}

} // namespace tilescope
