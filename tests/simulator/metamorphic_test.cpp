// Names in a model and the structure of its file do not change any figure.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <onnx/onnx_pb.h>
#include <random>
#include <set>

#include "core/options/option_table.h"
#include "simulator/frontend/import.h"
#include "simulator/import_model.h"
#include "simulator/simulate.h"
#include "simulator/zoo/zoo.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace metamorphic_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

using Random = std::mt19937;
using Change = void (*)(onnx::ModelProto& model, Random& random);

/// Everything that is counted, without names.
QString figuresOf(const Profile& profile) {
    std::int64_t flops = 0;
    for (const Operation& operation : profile.operations)
        flops += static_cast<std::int64_t>(operation.flops);
    std::int64_t overflowed = 0, used = 0, gaps = 0, alwaysLive = 0, most = 0;
    for (const TileMemory& tile : profile.tileMemory) {
        overflowed += tile.overflowed;
        used += tile.excludingGaps;
        gaps += tile.includingGaps;
        alwaysLive += tile.alwaysLive;
        most += tile.maxNotAlwaysLive;
    }
    std::int64_t received = 0;
    for (const Exchange& exchange : profile.exchanges)
        received += exchange.bytesReceived.sum();
    std::map<std::string_view, std::int64_t> categories;
    for (const CategoryMemory& memory : profile.categoryMemory)
        categories[toString(memory.category)] += memory.bytes.sum();
    std::string text = fmt::format(
        "cycles {} operations {} flops {} programs {} sets {} exchanges {} received {} vertices {} "
        "edges {} used {} with gaps {} always live {} at most {} over {}",
        profile.info.cycles, profile.operations.size(), flops, profile.programs.size(),
        profile.computeSets.size(), profile.exchanges.size(), received, profile.info.vertices,
        profile.info.edges, used, gaps, alwaysLive, most, overflowed);
    for (const auto& [category, bytes] : categories)
        text += fmt::format(" {} {}", category, bytes);
    return test::text(text);
}

QString figuresOf(const onnx::ModelProto& model, const RunOptions& options) {
    return figuresOf(simulate(
        importOnnx(model, "net", sourceOf("net", options.batch, options.model).import), options));
}

/// A weight with data instead of the node that fills it.
void giveData(onnx::ModelProto& model, Random& random) {
    auto& graph = *model.mutable_graph();
    std::map<std::string, onnx::TensorProto> shapes;
    for (const auto& initializer : graph.initializer())
        shapes[initializer.name()] = initializer;
    for (int i = graph.node_size(); i-- > 0;) {
        const onnx::NodeProto node = graph.node(i);
        if (node.op_type() != "ConstantOfShape")
            continue;
        const onnx::TensorProto& shape = shapes.at(node.input(0));
        std::vector<std::int64_t> sizes(shape.int64_data().begin(), shape.int64_data().end());
        if (sizes.empty()) {
            sizes.resize(shape.raw_data().size() / sizeof(std::int64_t));
            std::memcpy(sizes.data(), shape.raw_data().data(), shape.raw_data().size());
        }
        auto& weight = *graph.add_initializer();
        weight.set_name(node.output(0));
        weight.set_data_type(onnx::TensorProto::FLOAT);
        std::vector<float> values(1);
        for (const std::int64_t size : sizes) {
            weight.add_dims(size);
            values.resize(values.size() * static_cast<std::size_t>(size));
        }
        for (float& value : values)
            value = static_cast<float>(random() % 1000) / 1000;
        weight.set_raw_data(values.data(), values.size() * sizeof(float));
        graph.mutable_node()->DeleteSubrange(i, 1);
    }
}

/// Calls `change` with every name of a value, once for each place.
void visitNames(onnx::GraphProto& graph, const std::function<void(std::string&)>& change) {
    for (auto& node : *graph.mutable_node()) {
        std::for_each(node.mutable_input()->begin(), node.mutable_input()->end(), change);
        std::for_each(node.mutable_output()->begin(), node.mutable_output()->end(), change);
    }
    for (auto& initializer : *graph.mutable_initializer())
        change(*initializer.mutable_name());
    for (auto* values : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
        for (auto& value : *values)
            change(*value.mutable_name());
}

void renameAll(onnx::ModelProto& model, Random& random) {
    std::map<std::string, std::string> names;
    const auto another = [&](std::string& name) {
        if (!name.empty())
            name = names.try_emplace(name, fmt::format("{:08x}#\x01{}\x01", random(), names.size()))
                       .first->second;
    };
    visitNames(*model.mutable_graph(), another);
    for (auto& node : *model.mutable_graph()->mutable_node())
        another(*node.mutable_name());
    model.mutable_graph()->set_name("Engine::run");
}

void shuffleInitializers(onnx::ModelProto& model, Random& random) {
    auto& list = *model.mutable_graph()->mutable_initializer();
    for (int i = list.size(); i > 1; --i)
        list.SwapElements(i - 1, static_cast<int>(random() % static_cast<unsigned>(i)));
}

/// Adds nodes that no output needs.
void addDeadNodes(onnx::ModelProto& model, Random& random) {
    auto& graph = *model.mutable_graph();
    constexpr int count = 5;
    for (int i = 0; i < count; ++i) {
        const int after = static_cast<int>(random() % static_cast<unsigned>(graph.node_size()));
        if (graph.node(after).op_type() == "ConstantOfShape")
            continue;
        auto& dead = *graph.add_node();
        dead.set_op_type("Identity");
        dead.set_name(fmt::format("dead{}", i));
        dead.add_input(graph.node(after).output(0));
        dead.add_output(fmt::format("dead{}/out", i));
        for (int at = graph.node_size() - 1; at > after + 1; --at)
            graph.mutable_node()->SwapElements(at, at - 1);
    }
}

/// An Identity before one operand of some nodes.
void addIdentities(onnx::ModelProto& model, Random& random) {
    onnx::GraphProto& graph = *model.mutable_graph();
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    for (const onnx::NodeProto& node : graph.node()) {
        onnx::NodeProto changed = node;
        if (node.input_size() > 0 && node.op_type() != "ConstantOfShape" && random() % 3 == 0) {
            auto& identity = *nodes.Add();
            identity.set_op_type("Identity");
            identity.add_input(node.input(0));
            identity.add_output(fmt::format("{}/same{}", node.input(0), nodes.size()));
            changed.set_input(0, identity.output(0));
        }
        *nodes.Add() = std::move(changed);
    }
    *graph.mutable_node() = nodes;
}

/// Weights that are read later than others may be made later.
void moveFillers(onnx::ModelProto& model, Random& random) {
    auto& nodes = *model.mutable_graph()->mutable_node();
    int fillers = 0;
    for (int i = 0; i < nodes.size(); ++i)
        if (nodes.Get(i).op_type() == "ConstantOfShape") {
            for (int at = i; at > fillers; --at)
                nodes.SwapElements(at, at - 1);
            ++fillers;
        }
    for (int i = fillers; i > 1; --i)
        nodes.SwapElements(i - 1, static_cast<int>(random() % static_cast<unsigned>(i)));
}

/// Another order that has each node after what it reads.
void permuteNodes(onnx::ModelProto& model, Random& random) {
    auto& nodes = *model.mutable_graph()->mutable_node();
    std::map<std::string, int> makers;
    for (int i = 0; i < nodes.size(); ++i)
        for (const auto& output : nodes.Get(i).output())
            makers.emplace(output, i);
    std::vector<std::set<int>> open(static_cast<std::size_t>(nodes.size())); // what is to be made
    for (int i = 0; i < nodes.size(); ++i)
        for (const auto& input : nodes.Get(i).input())
            if (const auto maker = makers.find(input); maker != makers.end())
                open[static_cast<std::size_t>(i)].insert(maker->second);
    google::protobuf::RepeatedPtrField<onnx::NodeProto> permuted;
    std::set<int> left;
    for (int i = 0; i < nodes.size(); ++i)
        left.insert(i);
    while (!left.empty()) {
        std::vector<int> ready;
        for (const int node : left)
            if (open[static_cast<std::size_t>(node)].empty())
                ready.push_back(node);
        const int next = ready[random() % ready.size()];
        left.erase(next);
        for (const int node : left)
            open[static_cast<std::size_t>(node)].erase(next);
        *permuted.Add() = nodes.Get(next);
    }
    nodes = permuted;
}

void useConstantNodes(onnx::ModelProto& model, Random& random) {
    auto& graph = *model.mutable_graph();
    for (int i = graph.initializer_size(); i-- > 0;) {
        if (random() % 4 == 0)
            continue;
        auto& constant = *graph.add_node();
        constant.set_op_type("Constant");
        constant.add_output(graph.initializer(i).name());
        auto& value = *constant.add_attribute();
        value.set_name("value");
        value.set_type(onnx::AttributeProto::TENSOR);
        *value.mutable_t() = graph.initializer(i);
        for (int at = graph.node_size() - 1; at > 0; --at)
            graph.mutable_node()->SwapElements(at, at - 1);
        graph.mutable_initializer()->DeleteSubrange(i, 1);
    }
}

} // namespace

class MetamorphicTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

    static RunOptions optionsOf(const QString& model) {
        std::map<std::string, std::string> values{{"batchSize", "2"}};
        if (model == "mnist-cnn")
            values = {{"mode", "training"}, {"optimizer", "adam"}, {"batchSize", "4"}};
        RunOptions options;
        setRunOptions(options, values);
        return options;
    }

    static onnx::ModelProto modelOf(const QString& name) {
        ZooOptions sizes;
        if (name == "bert-base")
            sizes = {{"layers", "2"}, {"sequenceLength", "64"}};
        return zooModel(name.toStdString(), sizes);
    }

private slots:
    void figuresStay_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("data");
        QTest::addColumn<Change>("change");
        const std::pair<const char*, Change> changes[] = {{"renamed", renameAll},
                                                          {"dead nodes", addDeadNodes},
                                                          {"identities", addIdentities},
                                                          {"fillers moved", moveFillers}};
        for (const char* model : {"mnist-cnn", "bert-base", "efficientnet"})
            for (const auto& [what, change] : changes)
                QTest::addRow("%s: %s", model, what) << model << false << change;
        const std::pair<const char*, Change> ofData[] = {{"renamed", renameAll},
                                                         {"shuffled", shuffleInitializers},
                                                         {"Constant nodes", useConstantNodes},
                                                         {"identities", addIdentities}};
        for (const char* model : {"mnist-cnn", "mlp"})
            for (const auto& [what, change] : ofData)
                QTest::addRow("%s with data: %s", model, what) << model << true << change;
    }
    void figuresStay() {
        QFETCH(QString, name);
        QFETCH(bool, data);
        QFETCH(Change, change);
        const unsigned seed = std::random_device()();
        qInfo("seed %u", seed);
        Random random(seed);
        onnx::ModelProto model = modelOf(name);
        if (data)
            giveData(model, random);
        const RunOptions options = optionsOf(name);
        const QString before = figuresOf(model, options);
        change(model, random);
        QCOMPARE(figuresOf(model, options), before);
    }

    void permutedNodesAreTheSameWork_data() {
        QTest::addColumn<QString>("name");
        for (const char* model : {"bert-base", "efficientnet"})
            QTest::newRow(model) << model;
    }
    /// The order of nodes is the schedule: which of them arranges shared operands, and which parts
    /// repeat, depends on it; the computation does not.
    void permutedNodesAreTheSameWork() {
        QFETCH(QString, name);
        const unsigned seed = std::random_device()();
        qInfo("seed %u", seed);
        Random random(seed);
        RunOptions options = optionsOf(name);
        setRunOptions(options, {{"outline", "off"}});
        const auto work = [&](const onnx::ModelProto& model) {
            const Profile profile = simulate(
                importOnnx(model, "net", sourceOf("net", options.batch, options.model).import),
                options);
            std::map<std::string, std::string> operations;
            for (const Operation& operation : profile.operations)
                operations[operation.name] = fmt::format("{} {}", operation.type, operation.flops);
            return std::pair(operations, profile.info.cycles);
        };
        onnx::ModelProto model = modelOf(name);
        const auto before = work(model);
        permuteNodes(model, random);
        const auto after = work(model);
        QVERIFY(after.first == before.first);
        constexpr double share = 0.05; // of the cycles, for other arrangements
        QVERIFY(std::abs(static_cast<double>(after.second - before.second)) <
                share * static_cast<double>(before.second));
    }

    /// The same as a file, with its initialisers in another one.
    void externalData() {
        Random random(1);
        onnx::ModelProto model = modelOf("mnist-cnn");
        giveData(model, random);
        const RunOptions options = optionsOf("mnist-cnn");
        const QString before = figuresOf(model, options);
        std::string bytes;
        for (auto& initializer : *model.mutable_graph()->mutable_initializer()) {
            if (!initializer.has_raw_data()) {
                std::string raw(reinterpret_cast<const char*>(initializer.int64_data().data()),
                                static_cast<std::size_t>(initializer.int64_data_size()) * 8);
                initializer.set_raw_data(raw);
                initializer.clear_int64_data();
            }
            const std::pair<std::string, std::string> entries[] = {
                {"location", "weights.bin"},
                {"offset", std::to_string(bytes.size())},
                {"length", std::to_string(initializer.raw_data().size())}};
            bytes += initializer.raw_data();
            initializer.clear_raw_data();
            initializer.set_data_location(onnx::TensorProto::EXTERNAL);
            for (const auto& [key, value] : entries) {
                auto& entry = *initializer.add_external_data();
                entry.set_key(key);
                entry.set_value(value);
            }
        }
        const std::string file = directory_.filePath("net.onnx").toStdString();
        std::ofstream(file, std::ios::binary) << model.SerializeAsString();
        std::ofstream(directory_.filePath("weights.bin").toStdString(), std::ios::binary) << bytes;
        QCOMPARE(figuresOf(simulateModel(file, options)), before);
    }

    void fileOfAZooModel_data() {
        QTest::addColumn<QString>("name");
        for (const char* model : {"mnist-cnn", "mlp", "efficientnet"})
            QTest::newRow(model) << model;
    }
    void fileOfAZooModel() {
        QFETCH(QString, name);
        const RunOptions options = optionsOf(name);
        const std::string file = directory_.filePath(name + ".onnx").toStdString();
        exportZooModel(name.toStdString(), {}, file);
        QCOMPARE(figuresOf(simulateModel(file, options)),
                 figuresOf(simulateModel(name.toStdString(), options)));
    }

    void cacheMissAndHit() {
        RunOptions options = optionsOf("mnist-cnn");
        const QString without = figuresOf(simulateModel("mnist-cnn", options));
        options.engine.executableCache = directory_.filePath("cache").toStdString();
        QCOMPARE(figuresOf(simulateModel("mnist-cnn", options)), without);
        QCOMPARE(figuresOf(simulateModel("mnist-cnn", options)), without);
    }
};

TILESCOPE_TEST(MetamorphicTest)

} // namespace metamorphic_test

#include "metamorphic_test.moc"
