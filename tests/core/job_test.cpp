#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <filesystem>

#include "core/options/job.h"
#include "core/options/option_table.h"
#include "core/options/run_options.h"
#include "tests/support/qt_text.h"
#include "tests/support/test_main.h"

namespace job_test {
using namespace tilescope;
using namespace tilescope::test;
namespace fs = std::filesystem;

class JobTest : public QObject {
    Q_OBJECT

private slots:
    void readsModelAndOptions() {
        const Job job = parseJob(R"({"model": "nets/a.onnx", "batchSize": 4,
            "availableMemoryProportion": 0.25, "precision": "half",
            "replicatedTensorSharding": false, "engineOptions": {"prng.seed": 3}})",
                                 "job.json", "/jobs");
        QCOMPARE(text(job.model), "/jobs/nets/a.onnx");
        RunOptions options;
        setRunOptions(options, job.options);
        QCOMPARE(*options.batch.batchSize, 4);
        QCOMPARE(options.planning.availableMemoryProportion, 0.25);
        QVERIFY(options.model.precision == Precision::Half);
        QCOMPARE(text(options.engine.given.at("prng.seed")), "3");
    }

    /// The jobs that come with the program are well formed and their options compatible.
    void jobsOfTheRepository() {
        int jobs = 0;
        for (const auto& entry : fs::directory_iterator(TILESCOPE_SOURCE_DIR "/resources/jobs")) {
            const Job job = readJob(entry.path());
            RunOptions options;
            QCOMPARE(userError([&] {
                         setRunOptions(options, job.options);
                         validate(options);
                     }),
                     "no error");
            ++jobs;
        }
        QVERIFY(jobs >= 20);
    }

    void keepsZooNamesAndAbsolutePaths() {
        QCOMPARE(text(parseJob(R"({"model": "resnet50"})", "j", "/jobs").model), "resnet50");
        QCOMPARE(text(parseJob(R"({"model": "/m/a.onnx"})", "j", "/jobs").model), "/m/a.onnx");
        QCOMPARE(text(parseJob(R"({"model": "a.onnx"})", "j", "/jobs").model), "/jobs/a.onnx");
    }

    void refusesBadJobs_data() {
        QTest::addColumn<QByteArray>("job");
        QTest::addColumn<QString>("error");
        QTest::newRow("unknown key")
            << QByteArray(R"({"model": "a", "batchsize": 1})")
            << "job.json: unknown key 'batchsize'. Did you mean 'batchSize'? 'tilescope schema "
               "--job' lists the keys.";
        QTest::newRow("no model")
            << QByteArray(R"({"target": "mk2"})")
            << "job.json: the key 'model' is missing; it names an .onnx file or a zoo model";
        QTest::newRow("model is no text") << QByteArray(R"({"model": 3})")
                                          << "job.json: the value of 'model' must be text, or an "
                                             "object that lists operations";
        QTest::newRow("list") << QByteArray("[]")
                              << "job.json: a job is a JSON object with the key \"model\"";
        QTest::newRow("comment") << QByteArray("{ // no\n \"model\": \"a\"}")
                                 << "job.json:1:3: not valid JSON: syntax error";
        QTest::newRow("wrong kind") << QByteArray(R"({"model": "a", "batchSize": [1]})")
                                    << "job.json: the value of 'batchSize' must be text, a number, "
                                       "true or false";
        QTest::newRow("engine options as text")
            << QByteArray(R"({"model": "a", "engineOptions": "x"})")
            << "job.json: the value of 'engineOptions' must be an object";
    }
    void refusesBadJobs() {
        QFETCH(QByteArray, job);
        QFETCH(QString, error);
        QCOMPARE(userError([&] { (void)parseJob(job.toStdString(), "job.json", "/jobs"); }), error);
    }

    void missingFile() {
        QCOMPARE(userError([] { (void)readJob("/nowhere/job.json"); }),
                 "cannot read '/nowhere/job.json': No such file or directory");
    }

    void schemaHasEveryOption() {
        const QJsonDocument schema =
            QJsonDocument::fromJson(QByteArray::fromStdString(jobSchema()));
        QVERIFY(schema.isObject());
        const QJsonObject properties = schema["properties"].toObject();
        QCOMPARE(properties.size(), qsizetype(runOptionTable().size() + 1));
        QVERIFY(properties.contains("model"));
        for (const OptionSpec& spec : runOptionTable())
            QVERIFY2(properties.contains(text(spec.key)), spec.key.c_str());
        QCOMPARE(schema["additionalProperties"].toBool(true), false);
    }

    void examplesAreGood() {
        int jobs = 0;
        for (const auto& entry :
             fs::directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "resources" / "jobs")) {
            const Job job = readJob(entry.path());
            RunOptions options;
            setRunOptions(options, job.options);
            validate(options);
            ++jobs;
        }
        QVERIFY(jobs > 0);
    }
};

TILESCOPE_TEST(JobTest)

} // namespace job_test

#include "job_test.moc"
