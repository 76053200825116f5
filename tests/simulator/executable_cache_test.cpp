// Programs that were compiled earlier: the same profiles, and when they are compiled again.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fstream>

#include "core/profile/host.h"
#include "simulator/kept_work.h"
#include "simulator/simulate.h"
#include "simulator/zoo/zoo.h"
#include "tests/support/compare_profile.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace executable_cache_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

bool isFromCache(const Profile& p) {
    return std::any_of(p.messages.begin(), p.messages.end(), [](const Message& m) {
        return m.text.starts_with("nothing was compiled: ");
    });
}

/// Without times and what tells where the program came from.
Profile plain(Profile p) {
    p.info.createdAt.clear();
    p.info.timings.clear();
    p.info.options.erase("executableCache");
    p.hostSpans.clear();
    // A file has no order among variables that begin at one address.
    for (Placement& placement : p.placements)
        std::sort(placement.variables.begin(), placement.variables.end(),
                  [](const PlacedVariable& a, const PlacedVariable& b) {
                      return std::pair(a.offset, a.variable) < std::pair(b.offset, b.variable);
                  });
    std::erase_if(p.messages,
                  [](const Message& m) { return m.text.starts_with("nothing was compiled: "); });
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
        options.executableCache = directory_.filePath("cache").toStdString();
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
        without.executableCache.clear();
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
        without.executableCache.clear();
        const Profile alone = simulateModel("mlp", without);
        QVERIFY(!isFromCache(simulateModel("mlp", options, {}, &kept)));
        const Profile second = simulateModel("mlp", options);
        QVERIFY(isFromCache(second));
        QCOMPARE(difference(second, alone), "");
        // The program in memory is that of other plans; the file is of each point's own.
        options.availableMemoryProportion = 0.5;
        without.availableMemoryProportion = 0.5;
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
        for (const auto& entry : std::filesystem::directory_iterator(options.executableCache))
            std::ofstream(entry.path(), std::ios::trunc) << "no profile";
        QVERIFY(!isFromCache(simulateModel("mlp", options)));
        QVERIFY(isFromCache(simulateModel("mlp", options)));
    }

    void aFileIsNoDirectory() {
        RunOptions options;
        options.executableCache = directory_.filePath("file").toStdString();
        std::ofstream(options.executableCache) << "x";
        QVERIFY(userError([&] { static_cast<void>(simulateModel("mlp", options)); })
                    .startsWith("option executableCache (--executable-cache): cannot make the "
                                "directory"));
    }
};

TILESCOPE_TEST(ExecutableCacheTest)

} // namespace executable_cache_test

#include "executable_cache_test.moc"
