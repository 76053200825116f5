// Exports of a profile for other tools.
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <map>
#include <sstream>

#include "app/cli/commands/cli.h"
#include "core/base/atomic_file.h"
#include "core/export/chrome_trace.h"
#include "core/store/profile_reader.h"
#include "core/store/profile_writer.h"
#include "tests/support/qt_text.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"

namespace export_test {
using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Written {
    QJsonArray events; ///< complete events of steps, without the runs
    ChromeTraceResult result;
};

Written chromeTrace(const Profile& p, const ChromeTraceOptions& options = {}) {
    const TraceIndex index(p.trace, p.info.target.ipus, p.info.target.tilesPerIpu);
    std::ostringstream out;
    Written written;
    written.result = writeChromeTrace(out, {p.info, index, p.programs, p.operations}, options);
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(out.str()));
    for (const QJsonValue& event : document["traceEvents"].toArray())
        if (event["ph"].toString() == "X" && event["cat"].toString() != "run")
            written.events.append(event);
    return written;
}

} // namespace

class ExportTest : public QObject {
    Q_OBJECT

private slots:
    void everyStepIsAnEvent() {
        const Profile p = sampleProfile({.ipus = 2});
        const TraceIndex index(p.trace, 2, p.info.target.tilesPerIpu);
        const Written written = chromeTrace(p);
        QCOMPARE(written.result.mergedSteps, 0);
        // Each step runs on each of the two IPUs.
        QCOMPARE(written.events.size(), index.stepCount() * 2);
        std::map<int, double> cycles;
        for (const QJsonValue& event : written.events)
            cycles[event["pid"].toInt()] += event["args"]["cycles"].toDouble();
        for (int ipu = 0; ipu < 2; ++ipu)
            QCOMPARE(cycles[ipu],
                     static_cast<double>(
                         index.statistics(IpuId(ipu), {0, index.totalCycles()}).sums.total()));
    }

    // What is given away has the lines, and neither texts nor the folders of a user.
    void aCopyHasNoTexts() {
        Profile p = sampleProfile();
        const SourceFileId mine =
            p.source.files.add({"/home/me/net/model.py", {}, "password = 'secret'"});
        const SourceFileId library =
            p.source.files.add({"/usr/lib/torch/nn.py", SourceOrigin::Library, {}});
        p.source.frames.add({{}, mine, 1, "forward"});
        p.source.frames.add({{}, library, 7, "forward"});
        for (ModelNode& node : p.modelGraph.nodes)
            node.source.frame = SourceFrameId(0);
        const QTemporaryDir folder;
        const std::string from = folder.filePath("from.pop").toStdString();
        const std::string to = folder.filePath("to.pop").toStdString();
        writeProfile(p, from);
        std::ostringstream out;
        std::ostringstream err;
        const auto run = [&](const std::vector<std::string>& arguments) {
            return cli::runCli(arguments, {out, err});
        };
        QCOMPARE(run({"export", from, "--format", "profile", "--strip-source", "-o", to}), 0);
        const Profile copy = ProfileReader(to).load();
        QCOMPARE(text(copy.source.files[mine].path), "model.py");
        QVERIFY(copy.source.files[mine].text.empty());
        QCOMPARE(copy.source.files[library].path, p.source.files[library].path);
        QVERIFY(copy.source.frames == p.source.frames);
        QVERIFY(copy.modelGraph == p.modelGraph);
        QFile written(QString::fromStdString(to));
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray bytes = written.readAll();
        QVERIFY(!bytes.contains("secret") && !bytes.contains("/home/me"));
        // As it is without the flag, and only there.
        QCOMPARE(run({"export", from, "--format", "profile", "-o", to}), 0);
        QVERIFY(ProfileReader(to).load().source == p.source);
        QCOMPARE(run({"export", from, "--format", "json", "--strip-source"}), 2);
        QCOMPARE(run({"export", from, "--format", "profile"}), 2);
    }

    // Nested slices of a track are drawn inside of each other, so steps must not overlap, not even
    // by the rounding of readers that add begin and duration.
    void eventsOfATrackDoNotOverlap() {
        std::map<std::pair<int, int>, double> ends;
        for (const QJsonValue& event : chromeTrace(sampleProfile({.ipus = 2})).events) {
            double& end = ends[{event["pid"].toInt(), event["tid"].toInt()}];
            QVERIFY(event["ts"].toDouble() >= end);
            end = event["ts"].toDouble() + event["dur"].toDouble();
        }
    }

    void timesAreThoseOfTheClock() {
        const Profile p = sampleProfile();
        const QJsonArray events = chromeTrace(p).events;
        const QJsonValue last = events.last();
        const TraceIndex index(p.trace, 1, p.info.target.tilesPerIpu);
        const double end = last["ts"].toDouble() + last["dur"].toDouble();
        QVERIFY(std::abs(end - static_cast<double>(index.totalCycles()) / p.info.target.clockHz *
                                   1e6) < 1e-3);
    }

    // A trace that would take years to write stays within its bound.
    void moreStepsThanWantedAreMerged() {
        const Profile p = sampleProfile({.repeats = 1'000'000'000});
        ChromeTraceOptions options;
        options.mostEvents = 200;
        const Written written = chromeTrace(p, options);
        QVERIFY(written.result.mergedSteps > 1'000'000'000);
        QVERIFY(written.events.size() <= 400);
    }

    void aRangeIsWritten() {
        const Profile p = sampleProfile();
        const TraceIndex index(p.trace, 1, p.info.target.tilesPerIpu);
        ChromeTraceOptions options;
        options.range = {index.totalCycles() / 2, index.totalCycles() / 2 + 1};
        QCOMPARE(chromeTrace(p, options).events.size(), 1);
    }

    // Perfetto drops events before 0, and shows the names given to tracks.
    void theHostIsAProcessWithNamedLanes() {
        const Profile p = sampleProfile({.ipus = 2});
        const TraceIndex index(p.trace, 2, p.info.target.tilesPerIpu);
        const HostTimeline host(p.hostSpans, index,
                                HostCopies(p.trace, p.info.target, p.programs, p.streams),
                                p.info.target);
        const auto written = [&](const ChromeTraceOptions& options) {
            std::ostringstream out;
            writeChromeTrace(out, {p.info, index, p.programs, p.operations, &host}, options);
            return QJsonDocument::fromJson(QByteArray::fromStdString(out.str()));
        };
        const QJsonDocument all = written({});
        QStringList lanes;
        std::map<int, double> ends;
        std::map<QString, double> begins;
        for (const QJsonValue& event : all["traceEvents"].toArray()) {
            QVERIFY(event["ts"].toDouble() >= 0);
            if (event["pid"].toInt() != 2)
                continue;
            if (event["name"].toString() == "thread_name")
                lanes << event["args"]["name"].toString();
            if (event["ph"].toString() != "X")
                continue;
            double& end = ends[event["tid"].toInt()];
            QVERIFY(event["ts"].toDouble() >= end - 1e-3);
            end = event["ts"].toDouble() + event["dur"].toDouble();
            begins.emplace(event["name"].toString(), event["ts"].toDouble());
        }
        QCOMPARE(lanes, (QStringList{"Compilation", "Loading", "Engine", "Stream callbacks"}));
        QCOMPARE(begins.at("import"), 0.0);
        const HostSpan& last = p.hostSpans.back();
        const double execution = (last.start + last.seconds) * 1e6;
        QVERIFY(std::abs(begins.at("Engine::run #0 (weightsFromHost)") - execution) < 1e-3);
        QVERIFY(std::abs(all["otherData"]["executionBegins"].toDouble() - execution) < 1e-3);
        QVERIFY(begins.contains("IPU waits for host") && begins.contains("host waits for IPU"));
        // Part of the execution has its own times, without earlier events.
        const std::int64_t middle = index.totalCycles() / 2;
        ChromeTraceOptions part;
        part.range = {middle, middle + 10};
        const QJsonArray events = written(part)["traceEvents"].toArray();
        const double cycle = 1e6 / p.info.target.clockHz;
        for (const QJsonValue& event : events) {
            QVERIFY(event["cat"].toString() != "compilation");
            if (event["cat"].toString() == "callback")
                QVERIFY(event["ts"].toDouble() <= static_cast<double>(middle + 10) * cycle);
        }
    }

    void commandsWriteFiles() {
        QTemporaryDir folder;
        const std::string root = folder.path().toStdString();
        writeProfile(sampleProfile(), root + "/a.pop");
        const auto run = [&](std::vector<std::string> words) {
            std::ostringstream out;
            std::ostringstream err;
            words.insert(words.begin(), {"export", root + "/a.pop", "--format"});
            return cli::runCli(words, {out, err});
        };
        QCOMPARE(run({"json", "-o", root + "/new/all.json"}), 0);
        const QJsonDocument all =
            QJsonDocument::fromJson(QByteArray::fromStdString(readFile(root + "/new/all.json")));
        QCOMPARE(all["summary"]["model"].toString(), "sample");
        QCOMPARE(all["operations"]["operations"].toArray().size(), 10);
        QCOMPARE(run({"chrome-trace", "-o", root + "/trace.json"}), 0);
        QVERIFY(!QJsonDocument::fromJson(
                     QByteArray::fromStdString(readFile(root + "/trace.json")))["traceEvents"]
                     .toArray()
                     .isEmpty());
        QCOMPARE(run({"csv", "-o", root + "/tables"}), 0);
        const std::string operations = readFile(root + "/tables/operations.csv");
        QCOMPARE(std::count(operations.begin(), operations.end(), '\n'), 11);
        QVERIFY(QDir(folder.path() + "/tables").exists("vertices_computeSets.csv"));
    }
};

TILESCOPE_TEST(ExportTest)

} // namespace export_test

#include "export_test.moc"
