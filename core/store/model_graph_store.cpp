#include "core/store/model_graph_store.h"

#include "core/base/damaged_profile.h"
#include "core/database/row_access.h"
#include "core/store/schema.h"

namespace tilescope {
namespace {

void bindId(Statement& statement, int at, OperationId id) {
    if (id.valid())
        statement.bind(at, std::int64_t{id.value()});
    else
        statement.bindNull(at);
}

void bindUnless(Statement& statement, int at, std::string_view text, bool known) {
    if (known)
        statement.bindNull(at);
    else
        statement.bind(at, text);
}

void writeUses(Statement& row, std::int64_t node, const std::vector<ModelTensorId>& tensors,
               bool written) {
    for (const ModelTensorId tensor : tensors) {
        row.bind(0, node).bind(1, std::int64_t{tensor.value()}).bind(2, std::int64_t{written});
        row.run();
    }
}

void checkOrder(const Statement& row, std::size_t expected) {
    if (row.integer(0) != static_cast<std::int64_t>(expected))
        throw DamagedProfile("the model's graph has a hole");
}

void readTensors(const Database& db, ModelGraph& graph) {
    Statement row = db.prepare(
        "SELECT id, name, type, shape, bytes, source, is_output FROM graph_tensors ORDER BY id");
    while (row.step()) {
        checkOrder(row, graph.tensors.size());
        if (row.integer(4) < 0)
            throw DamagedProfile("a tensor has a size that cannot be");
        const TensorSource source =
            row.isNull(5) ? TensorSource::Operation : known(tensorSourceFrom(row.text(5)), row, 5);
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

} // namespace

void writeModelGraph(const Database& db, const ModelGraph& graph,
                     const IdVector<OperationId, Operation>& operations) {
    Statement tensor = db.prepare("INSERT INTO graph_tensors VALUES(?,?,?,?,?,?,?)");
    const std::vector<std::string_view> makerNames = makers(graph);
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const ModelTensor& t = graph.tensors[ModelTensorId(i)];
        tensor.bind(0, static_cast<std::int64_t>(i))
            .bind(2, std::string_view(t.type))
            .bind(3, std::string_view(t.shape))
            .bind(4, t.bytes)
            .bind(6, std::int64_t{t.isOutput});
        bindUnless(tensor, 1, t.name, t.name == makerNames[i]);
        bindUnless(tensor, 5, toString(t.source), t.source == TensorSource::Operation);
        tensor.run();
    }
    Statement node = db.prepare("INSERT INTO graph_operations VALUES(?,?,?,?,?,?)");
    Statement use = db.prepare("INSERT INTO operation_tensors VALUES(?,?,?)");
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const ModelNode& n = graph.nodes[ModelNodeId(i)];
        const Operation* own = n.operation.valid() ? &operations[n.operation] : nullptr;
        node.bind(0, static_cast<std::int64_t>(i));
        bindUnless(node, 1, n.name, own != nullptr && own->name == n.name);
        bindUnless(node, 2, n.type, own != nullptr && own->type == n.type);
        bindId(node, 3, n.operation);
        node.bind(4, toString(n.phase)).bind(5, std::int64_t{n.stage});
        node.run();
        writeUses(use, static_cast<std::int64_t>(i), n.reads, false);
        writeUses(use, static_cast<std::int64_t>(i), n.writes, true);
    }
}

ModelGraph readModelGraph(const Database& db) {
    ModelGraph graph;
    if (db.integer("PRAGMA user_version") < firstVersionWithModelGraph)
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
        node.phase = known(modelPhaseFrom(row.text(4)), row, 4);
        node.stage = static_cast<std::int32_t>(row.integer(5));
        graph.nodes.add(std::move(node));
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

} // namespace tilescope
