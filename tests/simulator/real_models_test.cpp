// Each real model beside the checkout, as inference and as training.
#include <filesystem>

#include <QtTest>

#include "simulator/simulate.h"
#include "support/invariants.h"
#include "tests/support/test_main.h"

namespace real_models_test {
using namespace tilescope;
using namespace tilescope::sim;
using namespace tilescope::test;

class RealModelsTest : public QObject {
    Q_OBJECT

private slots:
    void simulates_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("mode");
        const std::filesystem::path directory = TILESCOPE_SHARED_DIR "/models";
        if (!std::filesystem::is_directory(directory)) {
            qInfo("left out: there are no real models beside the checkout");
            return;
        }
        int models = 0;
        for (const auto& entry : std::filesystem::directory_iterator(directory)) {
            if (entry.path().extension() != ".onnx")
                continue;
            ++models;
            // Every one of them can be trained, whether or not it fits.
            for (const char* mode : {"inference", "training"})
                QTest::addRow("%s %s", entry.path().stem().c_str(), mode)
                    << QString::fromStdString(entry.path().string()) << QString(mode);
        }
        QVERIFY(models > 0);
    }

    void simulates() {
        if (!std::filesystem::is_directory(TILESCOPE_SHARED_DIR "/models"))
            return;
        QFETCH(QString, file);
        QFETCH(QString, mode);
        RunOptions options;
        options.batch.mode = mode.toStdString();
        const Profile profile = simulateModel(file.toStdString(), options);
        QVERIFY(profile.info.mode == options.batch.mode);
        // The invariants of training are checked on smaller models: on these they take minutes.
        const std::string wrong = options.isTraining() ? "" : complaints(profile);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }
};

TILESCOPE_TEST(RealModelsTest)

} // namespace real_models_test

#include "real_models_test.moc"
