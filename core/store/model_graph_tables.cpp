// The model's graph: operations and the tensors between them.
#include <fmt/format.h>

#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/store/profile_reader_impl.h"
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr std::int64_t firstVersionWithModelGraph = 5;
constexpr std::int64_t firstVersionWithCalls = 7;

/// A text, or none if it is known from elsewhere.
std::optional<std::string_view> textUnless(bool isKnown, std::string_view text) {
    return isKnown ? std::nullopt : std::optional(text);
}

void checkOrder(const Statement& row, std::size_t expected) {
    if (row.integer(0) != static_cast<std::int64_t>(expected))
        throw DamagedProfile("the model's graph has a gap");
}

void readTensors(const Database& db, ModelGraph& graph) {
    Statement row = db.prepare(
        "SELECT id, name, type, shape, bytes, source, is_output FROM graph_tensors ORDER BY id");
    while (row.step()) {
        checkOrder(row, graph.tensors.size());
        if (row.integer(4) < 0)
            throw DamagedProfile("a tensor has an impossible size");
        const TensorSource source = row.isNull(5)
                                        ? TensorSource::Operation
                                        : known(fromName<TensorSource>(row.text(5)), row, 5);
        graph.tensors.add(
            {row.text(1), row.text(2), row.text(3), row.integer(4), source, row.integer(6) != 0});
    }
}

/// For each tensor the name of the node that makes it.
std::vector<std::string_view> makers(const ModelGraph& graph) {
    std::vector<std::string_view> names(graph.tensors.size());
    for (const ModelNode& node : graph.nodes)
        for (const ModelTensorId tensor : node.writes)
            if (names[tensor.index()].empty())
                names[tensor.index()] = node.name;
    return names;
}

/// Names and types of nodes are stored where they differ from those of the node's operation, names
/// of tensors where they differ from that of the node that makes them.
void writeModelGraph(const Profile& profile, const Database& db) {
    const ModelGraph& graph = profile.modelGraph;
    Insert tensor(db, "graph_tensors");
    const std::vector<std::string_view> makerNames = makers(graph);
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const ModelTensor& t = graph.tensors[ModelTensorId(i)];
        tensor(i, textUnless(t.name == makerNames[i], t.name), t.type, t.shape, t.bytes,
               textUnless(t.source == TensorSource::Operation, toString(t.source)), t.isOutput);
    }
    Insert node(db, "graph_operations");
    Insert use(db, "operation_tensors");
    Insert call(db, "operation_calls");
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const ModelNode& n = graph.nodes[ModelNodeId(i)];
        const Operation* own = n.operation.valid() ? &profile.operations[n.operation] : nullptr;
        node(i, textUnless(own != nullptr && own->name == n.name, n.name),
             textUnless(own != nullptr && own->type == n.type, n.type), n.operation,
             toString(n.phase), n.stage);
        for (const ModelTensorId read : n.reads)
            use(i, read, false);
        for (const ModelTensorId written : n.writes)
            use(i, written, true);
        for (std::size_t at = 0; at < n.calls.size(); ++at)
            call(i, at, n.calls[at]);
    }
}

} // namespace

std::int64_t ProfileReader::modelOperations() const {
    if (!impl_->has(firstVersionWithModelGraph))
        return impl_->db.integer("SELECT count(*) FROM operations");
    return impl_->db.integer(
        fmt::format("SELECT count(*) FROM graph_operations g LEFT JOIN operations o "
                    "ON o.id = g.operation WHERE coalesce(g.type, o.type) <> '{}'",
                    callType));
}

ModelGraph ProfileReader::modelGraph() const {
    const Database& db = impl_->db;
    ModelGraph graph;
    if (!impl_->has(firstVersionWithModelGraph))
        return graph;
    if (db.integer("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN "
                   "('graph_tensors', 'graph_operations', 'operation_tensors')") < 3)
        throw DamagedProfile("the tables of the model's graph are missing");
    readTensors(db, graph);
    const std::int64_t operations = db.integer("SELECT count(*) FROM operations");
    Statement row = db.prepare(
        "SELECT g.id, coalesce(g.name, o.name), coalesce(g.type, o.type), operation, phase, stage "
        "FROM graph_operations g LEFT JOIN operations o ON o.id = g.operation ORDER BY g.id");
    while (row.step()) {
        checkOrder(row, graph.nodes.size());
        ModelNode node;
        node.name = row.text(1);
        node.type = row.text(2);
        if (!row.isNull(3))
            node.operation = idBelow<OperationId>(row, 3, operations);
        node.phase = known(fromName<ModelPhase>(row.text(4)), row, 4);
        node.stage = static_cast<std::int32_t>(row.integer(5));
        graph.nodes.add(std::move(node));
    }
    if (impl_->has(firstVersionWithCalls)) {
        Statement call = db.prepare("SELECT graph_operation, call FROM operation_calls "
                                    "ORDER BY graph_operation, position");
        while (call.step())
            element(graph.nodes, call.integer(0))
                .calls.push_back(idBelow<OperationId>(call, 1, operations));
    }
    const auto tensors = static_cast<std::int64_t>(graph.tensors.size());
    Statement use =
        db.prepare("SELECT graph_operation, tensor, written FROM operation_tensors ORDER BY rowid");
    while (use.step()) {
        ModelNode& node = element(graph.nodes, use.integer(0));
        (use.integer(2) != 0 ? node.writes : node.reads)
            .push_back(idBelow<ModelTensorId>(use, 1, tensors));
    }
    const std::vector<std::string_view> makerNames = makers(graph);
    for (std::size_t i = 0; i < makerNames.size(); ++i)
        if (graph.tensors[ModelTensorId(i)].name.empty())
            graph.tensors[ModelTensorId(i)].name = makerNames[i];
    return graph;
}

TableGroup modelGraphTables() {
    return {firstVersionWithModelGraph,
            R"sql(
-- The model's graph (since version 5), in the order of execution: operations after import, training
-- and other transforms, before repeated parts became functions. operation: whose program and costs
-- are its own; several places share one where it is in a function. name and type: NULL where
-- they are the operation's. phase: forward, backward, update. Calls have no tensors.
CREATE TABLE graph_operations(id INTEGER PRIMARY KEY, name TEXT, type TEXT, operation INTEGER,
    phase TEXT, stage INTEGER);
-- name: NULL where it is that of the operation that makes it. source: input, weight, constant,
-- remote, NULL where an operation makes it. is_output: 1 for results of the model.
CREATE TABLE graph_tensors(id INTEGER PRIMARY KEY, name TEXT, type TEXT, shape TEXT,
    bytes INTEGER, source TEXT, is_output INTEGER);
-- What each operation reads (written 0) and makes or changes (written 1), in the operation's order.
CREATE TABLE operation_tensors(graph_operation INTEGER, tensor INTEGER, written INTEGER);
-- The calls that an operation runs in (since version 7), outermost first. call: their operation.
CREATE TABLE operation_calls(graph_operation INTEGER, position INTEGER, call INTEGER,
    PRIMARY KEY(graph_operation, position)) WITHOUT ROWID;

-- Edges of the model's graph: names of the operations that make and read a tensor.
CREATE VIEW graph_edges AS
    SELECT coalesce(p.name, a.name) AS producer, coalesce(c.name, b.name) AS consumer,
           coalesce(t.name, p.name, a.name) AS tensor, t.shape AS shape, t.type AS type, t.bytes AS bytes
    FROM operation_tensors w JOIN operation_tensors r
         ON w.written = 1 AND r.written = 0 AND r.tensor = w.tensor
         AND r.graph_operation > w.graph_operation
    JOIN graph_tensors t ON t.id = w.tensor
    JOIN graph_operations p ON p.id = w.graph_operation
    JOIN graph_operations c ON c.id = r.graph_operation
    LEFT JOIN operations a ON a.id = p.operation LEFT JOIN operations b ON b.id = c.operation;
)sql",
            writeModelGraph, [](const ProfileReader& reader, Profile& profile) {
                profile.modelGraph = reader.modelGraph();
            }};
}

} // namespace tilescope
