// On-tile copies that rearrange an operand.
#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr std::int64_t firstVersionWithCopies = 2;

void writeCopies(const Profile& profile, const Database& db) {
    Insert row(db, "copies");
    std::int64_t id = 0;
    for (const Copy& c : profile.copies)
        row(id++, c.computeSet, c.program, c.exchange, c.variable, c.result, toString(c.cause),
            c.shape, c.sourceOrder, c.wantedOrder, c.runElements, c.runBytes, c.strided,
            c.transposed);
}

} // namespace

IdVector<CopyId, Copy> ProfileReader::copies() const {
    IdVector<CopyId, Copy> copies;
    if (!impl_->has(firstVersionWithCopies))
        return copies;
    const References<ComputeSetId> setAt(impl_->db, "compute_sets", "compute_set");
    const References<ProgramId> programAt(impl_->db, "programs");
    const References<ExchangeId> exchangeAt(impl_->db, "exchanges");
    const References<VariableId> variableAt(impl_->db, "variables");
    Statement row = impl_->db.prepare(
        "SELECT compute_set, program, exchange, variable, result, cause, shape, source_order, "
        "wanted_order, run_elements, run_bytes, strided, transposed FROM copies ORDER BY id");
    while (row.step()) {
        Copy c;
        c.computeSet = setAt.required(row, 0);
        c.program = programAt.required(row, 1);
        c.exchange = exchangeAt(row, 2);
        c.variable = variableAt.required(row, 3);
        c.result = variableAt.required(row, 4);
        c.cause = known(fromName<CopyCause>(row.text(5)), row, 5);
        c.shape = row.text(6);
        c.sourceOrder = row.text(7);
        c.wantedOrder = row.text(8);
        c.runElements = amountAt(row, 9);
        c.runBytes = amountAt(row, 10);
        c.strided = row.integer(11) != 0;
        c.transposed = row.integer(12) != 0;
        copies.add(std::move(c));
    }
    impl_->checkIds("copies", "id", copies.size());
    return copies;
}

TableGroup copyTables() {
    return {firstVersionWithCopies,
            R"sql(
-- On-tile copies that put an operand in the order in which its operation reads it (since version
-- 2). variable: as its producer laid it out; result: what the operation reads; exchange: brought
-- the elements to the tiles, NULL if they were there. cause: firstOperand, otherOperand, plan,
-- consumer, reshape, part. Orders are those on a tile, outermost first: "[N][C/16][HW][16]" is
-- groups of 16 channels, innermost. run_elements, run_bytes: next to each other in both orders.
-- strided: 1 where runs are too short for the 64-bit moves of a plain copy. transposed: 1 where
-- blocks are transposed so that whole groups can move afterwards.
CREATE TABLE copies(id INTEGER PRIMARY KEY, compute_set INTEGER, program INTEGER,
    exchange INTEGER, variable INTEGER, result INTEGER, cause TEXT, shape TEXT,
    source_order TEXT, wanted_order TEXT, run_elements INTEGER, run_bytes INTEGER,
    strided INTEGER, transposed INTEGER);

-- Copies with the names of what they belong to. copy_cycles: slowest tile, one execution.
CREATE VIEW copy_info AS
    SELECT c.id AS id, s.name AS compute_set, o.name AS operation, v.name AS variable, cause,
           source_order, wanted_order, run_elements, run_bytes, strided, transposed,
           s.cycles AS copy_cycles,
           (SELECT group_concat(t.name) FROM vertex_instances i
            JOIN vertex_types t ON t.id = i.vertex_type
            WHERE i.compute_set = c.compute_set) AS vertices
    FROM copies c JOIN compute_sets s ON s.compute_set = c.compute_set
    LEFT JOIN operations o ON o.id = s.operation
    LEFT JOIN variables v ON v.id = c.variable;
)sql",
            writeCopies, [](const ProfileReader& reader, Profile& profile) {
                profile.copies = reader.copies();
            }};
}

} // namespace tilescope
