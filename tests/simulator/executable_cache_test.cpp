// Programs that were compiled earlier: the same profiles, and when they are compiled again.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fstream>
#include <onnx/onnx_pb.h>

#include "core/base/atomic_file.h"
#include "core/options/option_table.h"
#include "core/profile/host.h"
#include "simulator/executable_cache.h"
#include "simulator/import_model.h"
#include "simulator/kept_work.h"
#include "simulator/simulate.h"
#include "simulator/zoo/zoo.h"
#include "tests/support/compare_profile.h"
#include "tests/support/profile_sql.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace executable_cache_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

bool isFromCache(const Profile& p) {
    return std::any_of(p.messages.begin(), p.messages.end(), [](const Message& m) {
        return m.text.starts_with("loaded from the executable cache; ");
    });
}

/// Without times and the origin of the program.
Profile plain(Profile p) {
    p.info.createdAt.clear();
    p.info.timings.clear();
    p.info.options.erase("executableCache");
    p.hostSpans.clear();
    std::erase_if(p.messages, [](const Message& m) {
        return m.text.starts_with("loaded from the executable cache; ");
    });
    return p;
}

QString difference(const Profile& a, const Profile& b) {
    return text(firstDifference(plain(a), plain(b)));
}

} // namespace

class ExecutableCacheTest : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

    RunOptions cached(const std::map<std::string, std::string>& values) {
        RunOptions options;
        setRunOptions(options, values);
        options.engine.executableCache = directory_.filePath("cache").toStdString();
        return options;
    }

private slots:
    void theSecondRunIsTheFirst_data() {
        using Options = std::map<std::string, std::string>;
        QTest::addColumn<QString>("model");
        QTest::addColumn<Options>("values");
        QTest::newRow("plain") << "mnist-tutorial" << Options{{"deviceIterations", "7"}};
        QTest::newRow("training") << "mnist-tutorial"
                                  << Options{{"mode", "training"}, {"optimizer", "adam"}};
        QTest::newRow("pipelined") << "mnist-tutorial"
                                   << Options{{"mode", "training"},
                                              {"ipus", "2"},
                                              {"execution", "pipelined"},
                                              {"gradientAccumulation", "4"}};
        QTest::newRow("does not fit") << "mlp" << Options{{"batchSize", "400000"}};
    }
    void theSecondRunIsTheFirst() {
        QFETCH(QString, model);
        using Options = std::map<std::string, std::string>;
        QFETCH(Options, values);
        const RunOptions options = cached(values);
        RunOptions without = options;
        without.engine.executableCache.clear();
        const Profile alone = simulateModel(model.toStdString(), without);
        const Profile first = simulateModel(model.toStdString(), options);
        const Profile second = simulateModel(model.toStdString(), options);
        QVERIFY(!isFromCache(first) && isFromCache(second));
        QCOMPARE(difference(first, alone), "");
        QCOMPARE(difference(second, alone), "");
        // What it took, instead of the phases of a compilation.
        QCOMPARE(text(second.hostSpans.front().name), "cache");
        QVERIFY(second.info.timings.contains("cache") && !second.info.timings.contains("plan"));
    }

    void keptWorkLeavesAndTakesPrograms() {
        KeptWork kept;
        RunOptions options = cached({{"batchSize", "7"}});
        RunOptions without = options;
        without.engine.executableCache.clear();
        const Profile alone = simulateModel("mlp", without);
        QVERIFY(!isFromCache(simulateModel("mlp", options, {}, &kept)));
        const Profile second = simulateModel("mlp", options);
        QVERIFY(isFromCache(second));
        QCOMPARE(difference(second, alone), "");
        // The program in memory is that of other plans; the file is of each point's own.
        options.planning.availableMemoryProportion = 0.5;
        without.planning.availableMemoryProportion = 0.5;
        QVERIFY(!isFromCache(simulateModel("mlp", options, {}, &kept)));
        const Profile third = simulateModel("mlp", options, {}, &kept);
        QVERIFY(isFromCache(third));
        QCOMPARE(difference(third, simulateModel("mlp", without)), "");
    }

    void otherOptionsAreCompiled() {
        QVERIFY(!isFromCache(simulateModel("mlp", cached({{"batchSize", "2"}}))));
        QVERIFY(isFromCache(simulateModel("mlp", cached({{"batchSize", "2"}}))));
        QVERIFY(!isFromCache(simulateModel("mlp", cached({{"batchSize", "3"}}))));
    }

    void anotherFileIsCompiled() {
        const std::string file = directory_.filePath("net.onnx").toStdString();
        exportZooModel("mlp", {}, file);
        QVERIFY(!isFromCache(simulateModel(file, cached({}))));
        QVERIFY(isFromCache(simulateModel(file, cached({}))));
        exportZooModel("mnist-tutorial", {}, file);
        QVERIFY(!isFromCache(simulateModel(file, cached({}))));
    }

    void otherFilesThatDecideAreCompiled() {
        const std::string declared = directory_.filePath("own.json").toStdString();
        const auto declare = [&](int cycles) {
            std::ofstream(declared, std::ios::trunc) << "{\"own.domain.Op\": {\"vertex\": \"Op\", "
                                                        "\"inputs\": [\"linear\"], \"cycles\": \""
                                                     << cycles << "\"}}";
        };
        declare(10);
        const RunOptions options = cached({{"customOperations", declared}, {"batchSize", "6"}});
        QVERIFY(!isFromCache(simulateModel("mlp", options)));
        QVERIFY(isFromCache(simulateModel("mlp", options)));
        declare(20);
        QVERIFY(!isFromCache(simulateModel("mlp", options)));
    }

    void damageIsCompiledAgain() {
        const RunOptions options = cached({{"batchSize", "5"}});
        static_cast<void>(simulateModel("mlp", options));
        for (const auto& entry :
             std::filesystem::directory_iterator(options.engine.executableCache))
            std::ofstream(entry.path(), std::ios::trunc) << "no profile";
        QVERIFY(!isFromCache(simulateModel("mlp", options)));
        QVERIFY(isFromCache(simulateModel("mlp", options)));
    }

    /// Rows that belong to others are gone, with the right check sums.
    void whatDoesNotHoldTogetherIsCompiledAgain_data() {
        QTest::addColumn<QByteArray>("sql");
        for (const char* sql :
             {"DELETE FROM control_programs", "DELETE FROM liveness_intervals",
              "DELETE FROM liveness_steps", "DELETE FROM functions",
              "DELETE FROM memory_by_tile WHERE tile > 5", "DELETE FROM memory_by_tile",
              "DELETE FROM placement_chunks", "DELETE FROM control_programs WHERE position > 0",
              "UPDATE programs SET compute_set = NULL", "UPDATE programs SET exchange = NULL",
              "UPDATE programs SET stream = NULL",
              "UPDATE programs SET kind = 'Call', target = 0 WHERE kind = 'OnTileExecute'",
              "UPDATE programs SET kind = 'Repeat' WHERE kind = 'OnTileExecute'",
              "UPDATE variables SET liveness_class = NULL",
              "UPDATE control_programs SET program = (SELECT max(id) FROM programs)"})
            QTest::newRow(sql) << QByteArray(sql);
    }
    void whatDoesNotHoldTogetherIsCompiledAgain() {
        QFETCH(QByteArray, sql);
        RunOptions options = cached({{"batchSize", "9"}});
        const QTemporaryDir own; // other tests leave what is no profile in theirs
        options.engine.executableCache = own.path().toStdString();
        const Profile whole = simulateModel("mlp", options);
        bool changed = false;
        for (const auto& entry :
             std::filesystem::directory_iterator(options.engine.executableCache)) {
            const std::string before = readFile(entry.path());
            QCOMPARE(text(changeProfile(entry.path(), sql.toStdString())), "");
            changed = changed || readFile(entry.path()) != before;
        }
        QVERIFY(changed);
        const Profile again = simulateModel("mlp", options);
        // Some statements find nothing in this program.
        if (isFromCache(again))
            QVERIFY2(sql.contains("functions"), sql.constData());
        QCOMPARE(difference(again, whole), "");
    }

    /// A shape in another file decides the program.
    void aConstantInAnotherFileIsRead() {
        onnx::ModelProto model = zooModel("mlp");
        auto& graph = *model.mutable_graph();
        onnx::TensorProto& shape = *graph.mutable_initializer(0);
        const std::vector<std::int64_t> sizes(shape.int64_data().begin(), shape.int64_data().end());
        std::string bytes(reinterpret_cast<const char*>(sizes.data()), sizes.size() * 8);
        if (sizes.empty())
            bytes = shape.raw_data();
        shape.clear_int64_data();
        shape.clear_raw_data();
        shape.set_data_location(onnx::TensorProto::EXTERNAL);
        auto& location = *shape.add_external_data();
        location.set_key("location");
        location.set_value("shapes.bin");
        const std::string file = directory_.filePath("outside.onnx").toStdString();
        std::ofstream(file, std::ios::binary) << model.SerializeAsString();
        const std::string beside = directory_.filePath("shapes.bin").toStdString();
        std::ofstream(beside, std::ios::binary) << bytes;
        const RunOptions options = cached({});
        const Profile first = simulateModel(file, options);
        RunOptions plain = options;
        plain.engine.executableCache.clear();
        QCOMPARE(first.info.cycles, simulateModel("mlp", plain).info.cycles);
        QVERIFY(isFromCache(simulateModel(file, options)));
        const ModelSource source = sourceOf(file, options.batch, options.model);
        const std::string before = ExecutableCache::contentOf(source);
        bytes.front() = static_cast<char>(bytes.front() + 1);
        std::ofstream(beside, std::ios::binary) << bytes;
        QVERIFY(ExecutableCache::contentOf(source) != before);
    }

    void aFileIsNoDirectory() {
        RunOptions options;
        options.engine.executableCache = directory_.filePath("file").toStdString();
        std::ofstream(options.engine.executableCache) << "x";
        QVERIFY(userError([&] { static_cast<void>(simulateModel("mlp", options)); })
                    .startsWith("option executableCache (--executable-cache): cannot make the "
                                "directory"));
    }
};

TILESCOPE_TEST(ExecutableCacheTest)

} // namespace executable_cache_test

#include "executable_cache_test.moc"
