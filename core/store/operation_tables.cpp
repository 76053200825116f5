// Messages, and the operations of the graph that was compiled.
#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

void writeOperations(const Profile& profile, const Database& db) {
    Insert message(db, "messages");
    std::int64_t messageId = 0;
    for (const Message& m : profile.messages)
        message(messageId++, toString(m.severity), m.text, m.operation);
    Insert operation(db, "operations");
    std::int64_t id = 0;
    for (const Operation& op : profile.operations)
        operation(id++, op.name, op.type, op.flops, op.outputShape, op.plan, op.options);
}

} // namespace

std::vector<Message> ProfileReader::messages() const {
    std::vector<Message> messages;
    Statement row = impl_->db.prepare("SELECT severity, text, operation FROM messages ORDER BY id");
    while (row.step())
        messages.push_back({known(fromName<Severity>(row.text(0)), row, 0), row.text(1),
                            idAt<OperationId>(row, 2)});
    return messages;
}

IdVector<OperationId, Operation> ProfileReader::operations() const {
    IdVector<OperationId, Operation> operations;
    Statement row = impl_->db.prepare(
        "SELECT name, type, flops, output_shape, plan, options FROM operations ORDER BY id");
    while (row.step())
        operations.add(
            {row.text(0), row.text(1), row.real(2), row.text(3), row.text(4), row.text(5)});
    impl_->checkIds("operations", "id", operations.size());
    return operations;
}

TableGroup operationTables() {
    return {1,
            R"sql(
-- Messages of the compiler. severity: info, warning, error.
CREATE TABLE messages(id INTEGER PRIMARY KEY, severity TEXT, text TEXT, operation INTEGER);

-- Operations of the model's graph; plan and options are JSON objects or empty.
CREATE TABLE operations(id INTEGER PRIMARY KEY, name TEXT, type TEXT, flops REAL,
    output_shape TEXT, plan TEXT, options TEXT);
)sql",
            writeOperations, [](const ProfileReader& reader, Profile& profile) {
                profile.messages = reader.messages();
                profile.operations = reader.operations();
            }};
}

} // namespace tilescope
