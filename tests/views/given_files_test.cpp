// Files that go with an open profile: traces of its host, and the job that it ran; and what is said
// of files that cannot be read.
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QtTest>

#include "app/gui/run/run_dialog.h"
#include "app/gui/window/given_files.h"
#include "app/gui/window/header_strip.h"
#include "app/gui/window/host_trace_dialog.h"
#include "tests/support/sample_capture.h"
#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"

namespace given_files_test {
using namespace tilescope;
using namespace tilescope::gui;

namespace {

constexpr const char* trace = R"({"traceEvents": [
 {"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"name":"Main"}},
 {"ph":"X","name":"load","cat":"data","pid":7,"tid":1,"ts":1000,"dur":400},
 {"ph":"X","name":"step","pid":7,"tid":1,"ts":1500,"dur":10},
 {"ph":"s","name":"flow","pid":7,"tid":1,"ts":1500,"id":1}]})";

} // namespace

class GivenFilesTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    QTemporaryDir settings_;
    static constexpr int patienceMs = 60'000; // of a slow machine

    /// As if a user had dropped them on the window.
    static void drop(MainWindow& window, const QStringList& files) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& file : files)
            urls << QUrl::fromLocalFile(file);
        data.setUrls(urls);
        QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&window, &event);
    }
    std::unique_ptr<MainWindow> windowWith(const QString& file) const {
        auto window = test::shownWindow();
        test::openProfiles(*window, {file});
        return window;
    }
    QString unknownRun(const QString& name) const {
        Profile profile = test::sampleProfile();
        profile.info.origin = {OriginKind::Measured, "Poplar", "3.3.0", {}};
        profile.info.options.clear();
        profile.info.coverage.rows = {{ProfilePart::Run, Covered::None, "not in the file"},
                                      {ProfilePart::Options, Covered::None, "not in the file"}};
        return files_.writeProfile(name, profile);
    }
    static HostTraceDialog& dialogOf(const MainWindow& window) {
        return test::child<HostTraceDialog>(window);
    }

private slots:
    void initTestCase() {
        test::prepareWindows();
        QCoreApplication::setOrganizationName(QStringLiteral("TileScopeTest"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings_.path());
        qputenv("PATH", test::programFolder().toUtf8() + ':' + qgetenv("PATH"));
        qputenv("XDG_CACHE_HOME", settings_.filePath(QStringLiteral("cache")).toLocal8Bit());
    }

    void aDroppedTraceIsAddedToACopy() {
        const QString profile = files_.write(QStringLiteral("a.pop"));
        const QString file = files_.writeBytes(QStringLiteral("t.json"), trace);
        const auto window = windowWith(profile);
        drop(*window, {file});
        HostTraceDialog& dialog = dialogOf(*window);
        QCOMPARE(dialog.output(), files_.path(QStringLiteral("a-host.pop")));
        QVERIFY(!dialog.clock().offset && dialog.clock().zero.empty());
        dialog.setOffset(-2);
        QCOMPARE(*dialog.clock().offset, -2.0);
        dialog.setZero(QStringLiteral("step"));
        QVERIFY(!dialog.clock().offset);
        QSignalSpy changed(&window->context().reports, &views::ReportPair::changed);
        test::button<QPushButton>(dialog, QStringLiteral("Add")).click();
        QTRY_COMPARE_WITH_TIMEOUT(changed.count(), 1, patienceMs);
        test::waitUntilIdle(*window);
        QCOMPARE(window->session().files(), QStringList{files_.path(QStringLiteral("a-host.pop"))});
        const auto record = window->context().reports.source()->hostRecord();
        QCOMPARE(record->events.size(), std::size_t{2});
        QVERIFY(std::abs(record->events[0].start + 500e-6) < 1e-9); // before "step"
        QTRY_VERIFY(test::shownMessage(*window).contains(QLatin1String("2 events")));
        QVERIFY(test::shownMessage(*window).contains(QLatin1String("no view shows")));
        QVERIFY(test::openSample(profile)->hostRecord()->events.empty()); // as it was
        QCOMPARE(nameBeside(profile, QStringLiteral("-host")),
                 files_.path(QStringLiteral("a-host-2.pop")));
    }

    void mistakesAreSaidInTheDialog() {
        const auto window = windowWith(files_.write(QStringLiteral("b.pop")));
        window->openProfiles({files_.writeBytes(QStringLiteral("t.json"), trace)});
        HostTraceDialog& dialog = dialogOf(*window);
        dialog.setZero(QStringLiteral("<b>none</b>"));
        dialog.start();
        QTRY_VERIFY_WITH_TIMEOUT(dialog.problem().contains(QLatin1String("'<b>none</b>'")),
                                 patienceMs);
        QVERIFY(!test::child<QProgressBar>(dialog).isVisible());
        dialog.setOutput(files_.path(QStringLiteral("b.pop")));
        dialog.start();
        QVERIFY(dialog.problem().contains(QLatin1String("exists")));
        dialog.setOutput(files_.path(QStringLiteral("no/such/folder\n/x.pop")));
        dialog.setOffset(0);
        dialog.start();
        test::waitUntilIdle(*window);
        QVERIFY(!QFileInfo::exists(files_.path(QStringLiteral("b-host.pop"))));
    }

    void aTraceCanBeCancelled() {
        QByteArray large = "[";
        for (int i = 0; i < 50'000; ++i)
            large += R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},)";
        const auto window = windowWith(files_.write(QStringLiteral("c.pop")));
        drop(*window, {files_.writeBytes(QStringLiteral("large.json"), large)});
        HostTraceDialog& dialog = dialogOf(*window);
        dialog.start();
        QVERIFY(dialog.running());
        dialog.reject();
        test::waitUntilIdle(*window);
        QVERIFY(!QFileInfo::exists(files_.path(QStringLiteral("c-host.pop"))));
    }

    void aTraceWithoutAProfileOpensAlone() {
        const auto window = test::shownWindow();
        drop(*window, {files_.writeBytes(QStringLiteral("t.json"), trace)});
        QVERIFY(window->findChild<HostTraceDialog*>() == nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(window->context().reports.source() != nullptr, patienceMs);
        QVERIFY(window->context().reports.source()->info().origin.kind == OriginKind::Measured);
        test::waitUntilIdle(*window);
        // Of a machine there is nothing to say.
        QCOMPARE(window->currentReport(), Report::Trace);
        const auto textsOf = [](const QWidget& within) {
            QStringList texts;
            for (const QLabel* label : within.findChildren<QLabel*>())
                if (label->isVisible())
                    texts << test::labelText(*label);
            return texts.join('|');
        };
        const QString header = textsOf(test::child<HeaderStrip>(*window));
        QVERIFY2(header.contains("a program on the host") && !header.contains("fits"),
                 qPrintable(header));
        for (const Report report : {Report::Insights, Report::Memory, Report::Operations}) {
            window->showReport(report);
            test::waitUntilIdle(*window);
            const QString said = textsOf(*window);
            QVERIFY2(said.contains("This profile has no machine"), qPrintable(said));
        }
        window->showReport(Report::Summary);
        test::waitUntilIdle(*window);
        const QString summary = textsOf(window->view(Report::Summary));
        QVERIFY2(summary.contains("nothing is known of the machine") &&
                     !summary.contains("the fullest tile ("),
                 qPrintable(summary));
        // Another profile is as ever.
        test::openProfiles(*window, {files_.write(QStringLiteral("plain.pop"))});
        window->showReport(Report::Memory);
        test::waitUntilIdle(*window);
        QVERIFY(window->view(Report::Memory).isVisible());
    }

    void tracesOfSeveralProgramsOpenAsOneProfile_data() {
        QTest::addColumn<int>("traces");
        QTest::addRow("two") << 2;
        QTest::addRow("three") << 3;
    }
    void tracesOfSeveralProgramsOpenAsOneProfile() {
        QFETCH(const int, traces);
        QStringList files;
        for (int i = 0; i < traces; ++i)
            files << files_.writeBytes(QStringLiteral("rank%1.json").arg(i), trace);
        const auto window = test::shownWindow();
        drop(*window, files);
        QTRY_VERIFY_WITH_TIMEOUT(window->context().reports.source() != nullptr, patienceMs);
        test::waitUntilIdle(*window);
        QVERIFY(window->context().reports.target() == nullptr);
        QVERIFY(window->currentReport() != Report::Compare);
        const auto record = window->context().reports.source()->hostRecord();
        QCOMPARE(record->events.size(), 2 * static_cast<std::size_t>(traces));
        std::set<std::string> threads;
        for (const HostEvent& event : record->events)
            threads.insert(event.thread);
        QCOMPARE(threads.size(), static_cast<std::size_t>(traces));
        // As a session or a recent entry opens it again.
        const QStringList again = window->session().files();
        window->reload();
        test::waitUntilIdle(*window);
        QCOMPARE(window->session().files(), again);
    }

    // Advice with values and Run again are there as soon as the job is.
    void aDroppedJobIsThatOfAnImportedProfile() {
        const QString profile = unknownRun(QStringLiteral("d.pop"));
        const QString job =
            files_.writeBytes(QStringLiteral("job.json"), R"({"model": "mlp", "batchSize": 3})");
        const auto window = windowWith(profile);
        const auto& attach = test::button<QPushButton>(window->view(Report::Summary),
                                                       QStringLiteral("Attach its job"));
        QVERIFY(attach.isVisible());
        QSignalSpy changed(&window->context().reports, &views::ReportPair::changed);
        drop(*window, {job});
        QTRY_VERIFY_WITH_TIMEOUT(changed.count() > 0, patienceMs);
        test::waitUntilIdle(*window);
        const ProfileInfo& info = window->context().reports.source()->info();
        QVERIFY(info.has(ProfilePart::Options) && info.has(ProfilePart::Run));
        QCOMPARE(info.batchSize, std::int64_t{3});
        QCOMPARE(runAgain(*window->context().reports.source()).model, QStringLiteral("mlp"));
        QTRY_VERIFY(!attach.isVisible());
        QCOMPARE(window->session().files(), QStringList{profile});
    }

    // Likewise of a capture, which remains known as it is.
    void aCaptureKeepsItsJob() {
        const QString file = files_.path(QStringLiteral("my_model.capture"));
        test::writeSampleCapture(file.toStdString());
        const QString job = files_.writeBytes(QStringLiteral("job.json"), R"({"model": "mlp"})");
        const auto window = windowWith(file);
        QSignalSpy changed(&window->context().reports, &views::ReportPair::changed);
        window->dialogs().attachJob(job);
        QTRY_VERIFY_WITH_TIMEOUT(changed.count() > 0, patienceMs);
        test::waitUntilIdle(*window);
        QCOMPARE(window->session().files(), QStringList{file});
        window->reload();
        test::waitUntilIdle(*window);
        QVERIFY(window->context().reports.source()->info().has(ProfilePart::Options));
    }

    void aWrongJobIsRefused() {
        const auto window = windowWith(unknownRun(QStringLiteral("e.pop")));
        window->dialogs().attachJob(files_.writeBytes(
            QStringLiteral("job.json"), R"({"model": "mlp", "execution": "sharded", "ipus": 8})"));
        QTRY_VERIFY2_WITH_TIMEOUT(
            test::shownMessage(*window).contains(QLatin1String("runs on 8 IPUs")),
            qPrintable(test::shownMessage(*window)), patienceMs);
        QVERIFY(!window->context().reports.source()->info().has(ProfilePart::Options));
    }

    void aJobWithoutSuchAProfileIsRun() {
        const auto window = windowWith(files_.write(QStringLiteral("f.pop")));
        drop(*window, {files_.writeBytes(QStringLiteral("job.json"), R"({"model": "mlp"})")});
        QVERIFY(test::child<RunDialog>(*window).isVisible());
        QVERIFY(test::child<RunDialog>(*window).commandLine().contains(QLatin1String("job.json")));
    }

    void otherFormsAreSaidInASentence_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("said");
        QTest::addRow("old JSON") << "graph.json" << QByteArray(R"({"graphProfile": {"model": 1}})")
                                  << "up to 2.1 are not read";
        QTest::addRow("old CBOR") << "execution.cbor" << QByteArray("\xA2\x64name\x01")
                                  << "up to 2.1 are not read";
        QTest::addRow("PopVision") << "host.pvti" << QByteArray(200, 'p') << "form is closed";
        QTest::addRow("Perfetto") << "host.pftrace" << QByteArray("\x0A\x05") << "traceconv json";
    }
    void otherFormsAreSaidInASentence() {
        QFETCH(const QString, name);
        QFETCH(const QByteArray, content);
        QFETCH(const QString, said);
        const QString file = files_.writeBytes(name, content);
        const auto empty = test::shownWindow();
        drop(*empty, {file});
        QTRY_VERIFY_WITH_TIMEOUT(test::shownMessage(*empty).contains(said), patienceMs);
        const auto window = windowWith(files_.write(QStringLiteral("g.pop")));
        window->openProfiles({file});
        QTRY_VERIFY_WITH_TIMEOUT(test::shownMessage(*window).contains(said), patienceMs);
        QVERIFY(window->context().reports.source() != nullptr);
    }
};

TILESCOPE_TEST(GivenFilesTest, QApplication)

} // namespace given_files_test

#include "given_files_test.moc"
