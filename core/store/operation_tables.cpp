// Messages, and the operations of the graph that was compiled.
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr auto messageTable = storedTable<Message>({"messages"}, [](auto& to, auto& m) {
    to(rowNumber("id"), field("severity", m.severity), field("text", m.text),
       field("operation", m.operation, idAt<OperationId>));
});

constexpr auto operationTable = storedTable<Operation>({"operations"}, [](auto& to, auto& o) {
    to(rowNumber("id"), field("name", o.name), field("type", o.type), field("flops", o.flops),
       field("output_shape", o.outputShape), field("plan", o.plan), field("options", o.options));
});

} // namespace

TableGroup operationTables() {
    return {1,
            tablesSql(R"sql(
-- Messages of the compiler. severity: info, warning, error.
CREATE TABLE messages{};

-- Operations of the model's graph; plan and options are JSON objects or empty.
CREATE TABLE operations{};
)sql",
                      messageTable, operationTable),
            {part<&Profile::messages>(messageTable), part<&Profile::operations>(operationTable)}};
}

} // namespace tilescope
