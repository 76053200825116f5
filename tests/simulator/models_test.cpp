// Whole models: every invariant of a profile, on every target and precision.
#include <filesystem>

#include <QTemporaryDir>
#include <QtTest>

#include "core/base/error.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "simulator/simulate.h"
#include "simulator/zoo/zoo.h"
#include "support/invariants.h"
#include "tests/support/test_main.h"

namespace models_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

namespace {

RunOptions optionsFor(const std::string& target, Precision precision, std::int64_t batch) {
    RunOptions options;
    options.machine.target = targetPreset(target);
    options.model.precision = precision;
    options.batch.batchSize = batch;
    return options;
}

bool hasLayers(const std::string& model) {
    for (const ZooEntry& entry : zooEntries())
        for (const ZooOption& option : entry.options)
            if (entry.name == model && option.key == "layers")
                return true;
    return false;
}

} // namespace

class ModelsTest : public QObject {
    Q_OBJECT

private slots:
    void zoo_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("target");
        QTest::addColumn<bool>("half");
        QTest::addColumn<int>("batch");
        const auto add = [](const std::string& model, const char* target, bool half, int batch) {
            QTest::addRow("%s %s %s %d", model.c_str(), target, half ? "half" : "float", batch)
                << QString::fromStdString(model) << QString(target) << half << batch;
        };
        // The layers of a transformer are alike: some tell as much as all.
        for (const ZooEntry& entry : zooEntries()) {
            if (entry.name == "mlp" || entry.name == "mnist-cnn") {
                for (const char* target : {"mk1", "mk2", "bow"})
                    for (const bool half : {false, true})
                        for (const int batch : {1, 4})
                            add(entry.name, target, half, batch);
                continue;
            }
            // The large ones take their time: each value once, one run under a sanitizer.
            add(entry.name, "mk2", true, 4);
            if (test::hasAddressSanitizer())
                continue;
            add(entry.name, "mk1", false, 1);
            add(entry.name, "bow", false, 4);
        }
    }

    void zoo() {
        QFETCH(QString, model);
        QFETCH(QString, target);
        QFETCH(bool, half);
        QFETCH(int, batch);
        RunOptions options =
            optionsFor(target.toStdString(), half ? Precision::Half : Precision::Float, batch);
        if (hasLayers(model.toStdString()))
            options.model.sizes["layers"] = "2";
        const Profile profile = simulateModel(model.toStdString(), options);
        const std::string wrong = complaints(profile);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QCOMPARE(profile.info.batchSize, batch);
        if (!profile.info.fits)
            QCOMPARE(outOfMemoryText(profile), profile.messages.back().text);
    }

    void bertLargeOnOneIpu() {
        RunOptions options = optionsFor("mk2", Precision::Half, 1);
        options.model.sizes["head"] = "squad";
        const Profile profile = simulateModel("bert-large", options);
        const std::string wrong = complaints(profile);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void smallTransformersFitOneIpu() {
        for (const char* model : {"bert-base", "gpt2-small", "vit-base"})
            QVERIFY2(simulateModel(model, optionsFor("mk2", Precision::Half, 1)).info.fits, model);
    }

    void recomputationWithoutEffectIsSaid() {
        RunOptions options;
        options.batch.mode = "training";
        options.memory.recompute = Recompute::NormOnly;
        const Profile profile = simulateModel("mlp", options);
        QVERIFY(std::any_of(profile.messages.begin(), profile.messages.end(), [](const Message& m) {
            return m.text.starts_with("option recompute has no effect");
        }));
    }

    // Without checkpoints there is little to make again: the peak stays where it was.
    void recomputationSaysWhatItMakesAgain() {
        RunOptions options;
        options.batch.mode = "training";
        options.memory.recompute = Recompute::All;
        const auto said = [&](const char* text) {
            const Profile profile = simulateModel("mnist-cnn", options);
            return std::any_of(profile.messages.begin(), profile.messages.end(),
                               [&](const Message& m) {
                                   return m.text.starts_with("recomputation makes") &&
                                          m.text.find(text) != std::string::npos;
                               });
        };
        QVERIFY(said("again of the"));
        QVERIFY(said("--checkpoint NAME"));
        options.memory.recompute = Recompute::None;
        QVERIFY(!said("again of the"));
    }

    void operationListsRunAsTheyStand() {
        const std::string job = TILESCOPE_SOURCE_DIR "/resources/jobs/matmul_chain.json";
        RunOptions options;
        options.batch.deviceIterations = 2;
        QVERIFY_THROWS_EXCEPTION(UserError, simulateModel(job, options));
        options = {};
        options.batch.mode = "training";
        QVERIFY_THROWS_EXCEPTION(UserError, simulateModel(job, options));
        options = {};
        options.execution.scheme = Execution::Phased;
        options.execution.phases = 2;
        QVERIFY_THROWS_EXCEPTION(UserError, simulateModel(job, options));
    }

    void modelOptionsAreForBuiltInModels() {
        RunOptions options;
        options.model.sizes["layers"] = "2";
        QVERIFY_THROWS_EXCEPTION(UserError, simulateModel("/none/file.onnx", options));
    }

    void manyIterations() {
        RunOptions options;
        options.batch.deviceIterations = 1'000'000;
        const Profile many = simulateModel("mnist-cnn", options);
        const Profile one = simulateModel("mnist-cnn", {});
        const std::string wrong = complaints(many);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QCOMPARE(many.info.cycles, 1'000'000 * one.info.cycles);
        QCOMPARE(many.programs.size(), one.programs.size());
        QVERIFY(many.trace.bodies.size() <= one.trace.bodies.size() + 1);
    }

    void theFileTellsTheSame() {
        QTemporaryDir directory;
        const std::filesystem::path file = directory.filePath("profile.pop").toStdString();
        const Profile written = simulateModel("mnist-cnn", {});
        writeProfile(written, file);
        const ProfileReader reader(file);
        const Profile read = reader.load();
        const std::string wrong = complaints(read);
        QVERIFY2(wrong.empty(), wrong.c_str());
        QVERIFY(read.tileMemory == written.tileMemory);
        QVERIFY(read.steps == written.steps);

        // The curve of the file's summary table is the sum of the variables that live.
        std::vector<std::int64_t> live(read.steps.size(), 0);
        for (const Variable& variable : read.variables)
            if (!variable.alwaysLive && variable.liveness.valid())
                for (std::size_t step = 0; step < live.size(); ++step)
                    if (read.livenessClasses[variable.liveness].contains(StepId(step)))
                        live[step] += variable.bytes.sum();
        QVERIFY(reader.livenessCurve().notAlwaysLive == live);
    }
};

TILESCOPE_TEST(ModelsTest)

} // namespace models_test

#include "models_test.moc"
