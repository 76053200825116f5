// On-tile copies that rearrange an operand.
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr auto copyTable = storedTable<Copy>({.name = "copies", .since = 2}, [](auto& to, auto& c) {
    to(rowNumber("id"), field("compute_set", c.computeSet, required),
       field("program", c.program, required), field("exchange", c.exchange),
       field("variable", c.variable, required), field("result", c.result, required),
       field("cause", c.cause), field("shape", c.shape), field("source_order", c.sourceOrder),
       field("wanted_order", c.wantedOrder), field("run_elements", c.runElements),
       field("run_bytes", c.runBytes), field("strided", c.strided),
       field("transposed", c.transposed));
});

} // namespace

TableGroup copyTables() {
    return {copyTable.since,
            tablesSql(R"sql(
-- On-tile copies that put an operand in the order in which its operation reads it (since version
-- 2). variable: as its producer laid it out; result: what the operation reads; exchange: brought
-- the elements to the tiles, NULL if they were there. cause: firstOperand, otherOperand, plan,
-- consumer, reshape, part. Orders are those on a tile, outermost first: "[N][C/16][HW][16]" is
-- groups of 16 channels, innermost. run_elements, run_bytes: next to each other in both orders.
-- strided: 1 where runs are too short for the 64-bit moves of a plain copy. transposed: 1 where
-- blocks are transposed so that whole groups can move afterwards.
CREATE TABLE copies{};

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
                      copyTable),
            {part<&Profile::copies>(copyTable)}};
}

} // namespace tilescope
