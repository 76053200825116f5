// Lines of the program: stacks in a model's documents, and the operations that get their lines.
#include <QTemporaryDir>
#include <QTest>
#include <map>

#include <algorithm>
#include <random>
#include <set>

#include "core/analysis/accounting/cost_rows.h"
#include "core/analysis/insights/wait_causes.h"
#include "core/report/report.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "simulator/frontend/onnx_types/source_stacks.h"
#include "simulator/simulate.h"
#include "tests/simulator/model_text.h"
#include "tests/support/figures.h"
#include "tests/support/qt_text.h"
#include "tests/support/run_options_of.h"
#include "tests/support/test_main.h"

namespace source_lines_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

void addWeight(onnx::ModelProto& model, const std::string& name, const Shape& shape) {
    onnx::TensorProto& weight = *model.mutable_graph()->add_initializer();
    weight.set_name(name);
    weight.set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t size : shape)
        weight.add_dims(size);
    for (std::int64_t i = 0; i < elementsOf(shape); ++i)
        weight.add_float_data(1);
}

/// Two products with an exporter's stacks; the addition between them has none.
onnx::ModelProto documented() {
    onnx::ModelProto model = parseModel(R"(test (float[4,8] x) => (float[4,8] y) {
            h = MatMul(x, w1)
            s = Add(h, b)
            y = MatMul(s, w2)
        })");
    addWeight(model, "w1", {8, 8});
    addWeight(model, "w2", {8, 8});
    addWeight(model, "b", {8});
    auto& nodes = *model.mutable_graph()->mutable_node();
    const std::string outer = "/home/me/net/train.py(90): <module>\n";
    nodes[0].set_doc_string("/usr/lib/python3/dist-packages/torch/nn/linear.py(114): forward\n"
                            "/home/me/net/model.py(7): forward\n" +
                            outer);
    nodes[2].set_doc_string("/home/me/net/model.py(9): forward\n" + outer);
    return model;
}

Profile profileOf(const onnx::ModelProto& model, const std::map<std::string, std::string>& more) {
    RunOptions options = optionsOf(more);
    ImportOptions import;
    import.training = options.isTraining();
    return simulate(importOnnx(model, "test.onnx", import), options);
}

QStringList names(const ProfileView& profile, CostLayer layer) {
    QStringList list;
    for (const CostRow& row : costRows(profile, *accountingOf(profile), layer))
        if (row.kind.empty() && !list.contains(text(row.path)))
            list << text(row.path);
    list.sort();
    return list;
}

} // namespace

class SourceLinesTest : public QObject {
    Q_OBJECT

private slots:
    void stacksAreRead_data() {
        QTest::addColumn<QString>("document");
        QTest::addColumn<QString>("read");
        QTest::newRow("traced") << "a.py(3): f\nb.py(4): <module>\n"
                                << "a.py 3 f|b.py 4 <module>";
        QTest::newRow("scripted") << "  File \"a.py\", line 3, in f\n"
                                  << "a.py 3 f";
        QTest::newRow("scripted, no function") << "File \"a.py\", line 3\n"
                                               << "a.py 3 ";
        QTest::newRow("a path with parentheses") << "a (1)(2).py(3): f"
                                                 << "a (1)(2).py 3 f";
        QTest::newRow("a notebook") << "<ipython-input-3-ab>(1): <module>"
                                    << "<ipython-input-3-ab> 1 <module>";
        QTest::newRow("Windows") << "C:\\net\\a.py(3): f"
                                 << "C:\\net\\a.py 3 f";
        QTest::newRow("no number") << "a.py(x): f\n(3): f\na.py(): f\na.py(0): f"
                                   << "";
        QTest::newRow("too large a number") << "a.py(99999999999): f"
                                            << "";
        QTest::newRow("words") << "Computes a product.\nSee (3): there is more"
                               << "See  3 there is more";
        QTest::newRow("nothing") << ""
                                 << "";
    }
    void stacksAreRead() {
        QFETCH(QString, document);
        const std::string given = document.toStdString();
        QStringList read;
        for (const StackLine& line : stackLines(given))
            read << QStringLiteral("%1 %2 %3")
                        .arg(text(std::string(line.path)))
                        .arg(line.line)
                        .arg(text(std::string(line.function)));
        QTEST(read.join('|'), "read");
    }

    void anyDocumentIsReadWithoutHarm() {
        std::mt19937 random(7); // the same documents each time
        const std::string_view letters = "(): \n\"ab1,in File line\\<>\0\xff";
        for (int i = 0; i < 2000; ++i) {
            std::string document(random() % 200, ' ');
            for (char& c : document)
                c = letters[random() % letters.size()];
            SourceStacks stacks;
            static_cast<void>(stacks.add(document));
            const SourceCode code = stacks.take();
            for (std::size_t f = 0; f < code.frames.size(); ++f) {
                const SourceFrame& frame = code.frames[SourceFrameId(f)];
                QVERIFY(frame.line > 0 && frame.file.index() < code.files.size());
                QVERIFY(!frame.parent.valid() || frame.parent.index() < f);
            }
        }
    }

    void deepStacksEnd() {
        std::string document;
        for (std::size_t i = 0; i < 2 * deepestStack; ++i)
            document += "a.py(3): recursive\n";
        SourceStacks stacks;
        static_cast<void>(stacks.add(document));
        QCOMPARE(stacks.take().frames.size(), deepestStack);
    }

    void equalStacksShareFrames() {
        SourceStacks stacks;
        const SourceFrameId first = stacks.add("b.py(2): g\na.py(1): f\n");
        const SourceFrameId second = stacks.add("b.py(3): g\na.py(1): f\n");
        QCOMPARE(stacks.add("b.py(2): g\na.py(1): f\n"), first);
        QVERIFY(first != second);
        const SourceCode code = stacks.take();
        QCOMPARE(code.frames.size(), std::size_t{3});
        QCOMPARE(code.files.size(), std::size_t{2});
    }

    void operationsHaveTheirLines() {
        const auto profile = ProfileView::of(profile_);
        QCOMPARE(names(*profile, CostLayer::Line), QStringList({"model.py:7", "model.py:9"}));
        QCOMPARE(names(*profile, CostLayer::Function), QStringList("model.py:forward"));
        QCOMPARE(names(*profile, CostLayer::Stack),
                 QStringList({"train.py:90;model.py:7", "train.py:90;model.py:9"}));
        for (const ModelNode& node : profile_.modelGraph.nodes)
            if (node.name == "s") // its reader's
                QVERIFY(node.source.link == SourceLink::Inferred);
    }

    void everythingInTrainingHasALine() {
        const Profile trained = profileOf(
            documented(), {{"mode", "training"}, {"loss", "mse"}, {"optimizer", "momentum"}});
        std::set<SourceLink> links;
        for (const ModelNode& node : trained.modelGraph.nodes) {
            if (node.type == callType)
                continue;
            QVERIFY2(node.source.frame.valid(), node.name.c_str());
            links.insert(node.source.link);
            if (node.phase == ModelPhase::Update)
                QVERIFY(node.source.link == SourceLink::Update);
        }
        QVERIFY(links.contains(SourceLink::Gradient) && links.contains(SourceLink::Update));
    }

    void sumsAreThoseOfOperations() {
        for (const char* ipus : {"1", "2"})
            for (const bool trains : {false, true}) {
                std::map<std::string, std::string> options{{"ipus", ipus}};
                if (ipus == std::string("2"))
                    options.insert({"execution", "sharded"});
                if (trains)
                    options.insert({{"mode", "training"}, {"loss", "mse"}});
                const Profile profile = profileOf(documented(), options);
                const auto view = ProfileView::of(profile);
                QCOMPARE(text(contradictions(*view, figuresOf(*view))), QString());
            }
    }

    void aFileKeepsThem() {
        Profile profile = profile_;
        profile.source.files[SourceFileId(0)].text = "import torch\n\nx = 'ü'\n";
        profile.source.anchors.push_back({SourceAnchorKind::Optimizer, SourceFrameId(0)});
        const QTemporaryDir folder;
        const std::string file = folder.filePath("profile.pop").toStdString();
        writeProfile(profile, file);
        const Profile read = ProfileReader(file).load();
        QVERIFY(read.source == profile.source);
        QVERIFY(read.modelGraph == profile.modelGraph);
    }

    void updatesBelongToTheOptimizersLine() {
        Profile profile = profileOf(
            documented(), {{"mode", "training"}, {"loss", "mse"}, {"gradientAccumulation", "2"}});
        SourceStacks stacks(std::move(profile.source));
        const SourceFrameId made = stacks.add("/home/me/net/train.py(80): <module>\n");
        profile.source = stacks.take();
        profile.source.anchors.push_back({SourceAnchorKind::Optimizer, made});
        const auto view = ProfileView::of(profile);
        for (const CostRow& row : costRows(*view, *accountingOf(*view), CostLayer::Line))
            if (row.kind.empty())
                QCOMPARE(row.measured(ModelPhase::Update) > 0, row.path == "train.py:80");
    }

    void theReportHasTexts() {
        Profile profile = profile_;
        for (SourceFile& file : profile.source.files)
            if (file.path.ends_with("model.py"))
                file.text = "1\n2\n3\n4\n5\n6\n    h = self.first(x)\n8\n    return y\n";
        const auto view = ProfileView::of(profile);
        const Document document = sourceReport(*view, {});
        const Table& table = document.tables.at(0);
        const std::size_t path = table.columnOf("path");
        const std::size_t at = table.columnOf("text");
        QStringList found;
        for (const Row& row : table.rows)
            if (const auto* line = std::get_if<std::string>(&row.cells[at]))
                found << text(std::get<std::string>(row.cells[path]) + " " + *line);
        found.sort();
        QCOMPARE(found, QStringList({"model.py:7 h = self.first(x)", "model.py:9 return y"}));
    }

    void waitsAreAtTheLineThatCausesThem() {
        Profile profile = profile_;
        SourceStacks stacks(std::move(profile.source));
        const SourceFrameId call = stacks.add("/home/me/net/train.py(81): <module>\n");
        profile.source = stacks.take();
        profile.source.anchors.push_back({SourceAnchorKind::Call, call});
        const auto view = ProfileView::of(profile);
        std::int64_t wanted = 0;
        for (const CausedWait& wait : causedWaits(*view))
            wanted += wait.anchor == SourceAnchorKind::Call ? wait.cycles : 0;
        QVERIFY(wanted > 0);
        const Table table = sourceReport(*view, {}).tables.at(0);
        std::int64_t found = 0;
        for (const Row& row : table.rows)
            if (const auto* cycles =
                    std::get_if<std::int64_t>(&row.cells[table.columnOf("waitCycles")]))
                found += std::get<std::string>(row.cells.at(0)) == "train.py:81" ? *cycles : 0;
        QCOMPARE(found, wanted);
        ReportRequest first; // the waits are those of the last run
        first.run = 0;
        const Table loading = sourceReport(*view, first).tables.at(0);
        for (const Row& row : loading.rows)
            QVERIFY(
                std::holds_alternative<std::monostate>(row.cells[loading.columnOf("waitCycles")]));
    }

    // What calls itself has its cycles once; a caller without operations of its own has a row.
    void callersHaveTheCyclesOfWhatTheyCall() {
        Profile profile = profile_;
        SourceStacks stacks(std::move(profile.source));
        const SourceFrameId twice = stacks.add("/home/me/net/model.py(5): again\n"
                                               "/home/me/net/model.py(5): again\n"
                                               "/home/me/net/train.py(90): <module>\n");
        profile.source = stacks.take();
        for (ModelNode& node : profile.modelGraph.nodes)
            if (node.name == "y")
                node.source.frame = twice;
        const auto view = ProfileView::of(profile);
        const auto figures = [&](const char* by, const std::string& path) {
            ReportRequest request;
            request.breakdown = by;
            const Table table = sourceReport(*view, request).tables.at(0);
            for (const Row& row : table.rows)
                if (std::get<std::string>(row.cells.at(0)) == path)
                    return std::pair(
                        std::get<std::int64_t>(row.cells[table.columnOf("measuredCycles")]),
                        std::get<std::int64_t>(row.cells[table.columnOf("inclusiveCycles")]));
            return std::pair(std::int64_t{-1}, std::int64_t{-1});
        };
        const auto [own, total] = figures("line", "model.py:5");
        QVERIFY(own > 0);
        QCOMPARE(total, own);
        const auto [ownOfScript, ofScript] = figures("line", "train.py:90");
        QCOMPARE(ownOfScript, std::int64_t{0});
        const auto [first, firstTotal] = figures("line", "model.py:7");
        QCOMPARE(first, firstTotal);
        const auto [between, betweenTotal] = figures("line", "model.py:9");
        QCOMPARE(between, betweenTotal);
        QCOMPARE(ofScript, own + first + between);
        const auto [ownOfFile, ofFile] = figures("file", "train.py");
        QCOMPARE(ownOfFile, std::int64_t{0});
        QCOMPARE(ofFile, ofScript);
    }

    void librariesMoveCostsAndChangeNoSum() {
        const auto view = ProfileView::of(profile_);
        ReportRequest libraries;
        libraries.breakdown = "line:libraries";
        const auto cycles = [&](const ReportRequest& request) {
            const Table table = sourceReport(*view, request).tables.at(0);
            std::int64_t sum = 0;
            for (const Row& row : table.rows)
                sum += std::get<std::int64_t>(row.cells[table.columnOf("measuredCycles")]);
            return sum;
        };
        QCOMPARE(cycles(libraries), cycles({}));
        const Table table = sourceReport(*view, libraries).tables.at(0);
        QVERIFY(std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
            return std::get<std::string>(row.cells.at(0)).ends_with("linear.py:114");
        }));
    }

    void modelsWithoutStacksSaySo() {
        const Profile plain = profileOf(parseModel(R"(test (float[4,8] x) => (float[4,8] y)
            { y = Relu(x) })"),
                                        {});
        const Document document = sourceReport(*ProfileView::of(plain), {});
        QVERIFY(document.tables.at(0).rows.empty());
        QVERIFY(plain.source == SourceCode());
    }

private:
    const Profile profile_ = profileOf(documented(), {});
};

TILESCOPE_TEST(SourceLinesTest)

} // namespace source_lines_test

#include "source_lines_test.moc"
