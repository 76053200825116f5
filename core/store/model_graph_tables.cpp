// The model's graph: operations and the tensors between them.
#include "core/store/table_group.h"

namespace tilescope {
namespace {

constexpr std::int64_t firstVersionWithModelGraph = 5;

TensorSource sourceAt(const Statement& row, int at) {
    return row.isNull(at) ? TensorSource::Operation : valueAt<TensorSource>(row, at);
}

SourceLink linkAt(const Statement& row, int at) {
    return row.isNull(at) ? SourceLink::Written : valueAt<SourceLink>(row, at);
}

constexpr auto nodeTable = storedTable<ModelNode>(
    {.name = "graph_operations",
     .from = "(SELECT g.*, o.name AS own_name, o.type AS own_type FROM graph_operations g LEFT "
             "JOIN operations o ON o.id = g.operation)"},
    [](auto& to, auto& m) {
        to(rowNumber("id"), given<std::string_view>("name"), given<std::string_view>("type"),
           field("operation", m.operation), field("phase", m.phase), field("stage", m.stage),
           readFrom("coalesce(name, own_name)", m.name),
           readFrom("coalesce(type, own_type)", m.type),
           field("source_frame", m.source.frame, nullptr, firstVersionWithSource),
           derived("source_link",
                   m.source.frame.valid() ? std::optional(m.source.link) : std::nullopt),
           readFrom("source_link", m.source.link, linkAt, firstVersionWithSource));
    });

constexpr auto graphTensorTable =
    storedTable<ModelTensor>({"graph_tensors"}, [](auto& to, auto& m) {
        to(rowNumber("id"), given<std::string_view>("name"), readFrom("name", m.name),
           field("type", m.type), field("shape", m.shape), field("bytes", m.bytes),
           derived("source",
                   m.source == TensorSource::Operation ? std::nullopt : std::optional(m.source)),
           readFrom("source", m.source, sourceAt), field("is_output", m.isOutput));
    });

constexpr auto nodeTensorTable =
    storedTable<ModelTensorId>({"operation_tensors"}, [](auto& to, auto& id) {
        to(givenBack("graph_operation"), field("tensor", id, required), givenBack("written"));
    });

constexpr auto nodeCallTable = storedTable<OperationId>(
    {.name = "operation_calls", .since = 7, .key = "graph_operation, position"},
    [](auto& to, auto& id) {
        to(givenBack("graph_operation"), given("position"), field("call", id, required));
    });

/// A text, or none if it is known from elsewhere.
std::optional<std::string_view> textUnless(bool isKnown, std::string_view text) {
    return isKnown ? std::nullopt : std::optional(text);
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
    RowWriter tensor(db, graphTensorTable);
    const std::vector<std::string_view> makerNames = makers(graph);
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const ModelTensor& t = graph.tensors[ModelTensorId(i)];
        tensor(t, textUnless(t.name == makerNames[i], t.name));
    }
    RowWriter node(db, nodeTable);
    RowWriter use(db, nodeTensorTable);
    RowWriter call(db, nodeCallTable);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const ModelNode& n = graph.nodes[ModelNodeId(i)];
        const Operation* own = n.operation.valid() ? &profile.operations[n.operation] : nullptr;
        node(n, textUnless(own != nullptr && own->name == n.name, n.name),
             textUnless(own != nullptr && own->type == n.type, n.type));
        for (const ModelTensorId read : n.reads)
            use(read, i, false);
        for (const ModelTensorId written : n.writes)
            use(written, i, true);
        for (std::size_t at = 0; at < n.calls.size(); ++at)
            call(n.calls[at], i, at);
    }
}

ModelGraph readModelGraph(const ProfileReader::Impl& of) {
    ModelGraph graph;
    if (!of.has(firstVersionWithModelGraph))
        return graph;
    if (of.db.integer("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN "
                      "('graph_tensors', 'graph_operations', 'operation_tensors')") < 3)
        throw DamagedProfile("the tables of the model's graph are missing");
    const RowSource file = of.rows();
    graph.tensors = readRows<IdVector<ModelTensorId, ModelTensor>>(file, graphTensorTable);
    graph.nodes = readRows<IdVector<ModelNodeId, ModelNode>>(file, nodeTable);
    eachRow(file, nodeCallTable, [&](OperationId call, const Statement& given) {
        element(graph.nodes, given.integer(0)).calls.push_back(call);
    });
    eachRow(file, nodeTensorTable, [&](ModelTensorId tensor, const Statement& given) {
        ModelNode& node = element(graph.nodes, given.integer(0));
        (given.integer(1) != 0 ? node.writes : node.reads).push_back(tensor);
    });
    const std::vector<std::string_view> makerNames = makers(graph);
    for (std::size_t i = 0; i < makerNames.size(); ++i)
        if (graph.tensors[ModelTensorId(i)].name.empty())
            graph.tensors[ModelTensorId(i)].name = makerNames[i];
    return graph;
}

} // namespace

std::int64_t ProfileReader::modelOperations() const {
    if (!impl_->has(firstVersionWithModelGraph) || !info().has(ProfilePart::Graph))
        return impl_->db.integer("SELECT count(*) FROM operations");
    return impl_->db.integer(
        fmt::format("SELECT count(*) FROM graph_operations g LEFT JOIN operations o "
                    "ON o.id = g.operation WHERE coalesce(g.type, o.type) <> '{}'",
                    callType));
}

TableGroup modelGraphTables() {
    return {firstVersionWithModelGraph,
            tablesSql(R"sql(
-- The model's graph (since version 5), in the order of execution: operations after import, training
-- and other transforms, before repeated parts became functions. operation: whose program and costs
-- are its own; several places share one where it is in a function. name and type: NULL where
-- they are the operation's. phase: forward, backward, update. Calls have no tensors. source_frame (since
-- version 12): the innermost line that made it; source_link: why: written, inferred, gradient, moved, update.
CREATE TABLE graph_operations{};
-- name: NULL where it is that of the operation that makes it. source: input, weight, constant,
-- remote, NULL where an operation makes it. is_output: 1 for results of the model.
CREATE TABLE graph_tensors{};
-- What each operation reads (written 0) and makes or changes (written 1), in the operation's order.
CREATE TABLE operation_tensors{};
-- The calls that an operation runs in (since version 7), outermost first. call: their operation.
CREATE TABLE operation_calls{};

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
                      nodeTable, graphTensorTable, nodeTensorTable, nodeCallTable),
            {part<&Profile::modelGraph>(writeModelGraph, readModelGraph)}};
}

} // namespace tilescope
