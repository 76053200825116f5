// Links to a place in profiles: the command line that opens the window there, and the way back.
#include <QAction>
#include <QClipboard>
#include <QMenuBar>
#include <QProcess>
#include <QStatusBar>
#include <QtTest>

#include "app/gui/arguments.h"
#include "app/gui/window/main_window.h"
#include "core/base/error.h"
#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"
#include "tests/views/sample_files.h"
#include "views/widgets/report_view.h"

namespace link_test {
using namespace tilescope;
using namespace tilescope::gui;

class LinkTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;

    /// Opens a window at the place and waits until everything is shown.
    static std::unique_ptr<MainWindow> open(const DeepLink& link) {
        auto window = std::make_unique<MainWindow>(Memory::None);
        window->show();
        QSignalSpy changed(&window->context().reports, &views::ReportPair::changed);
        window->openLink(link);
        if (!changed.wait())
            qFatal("the profile was not opened");
        test::waitUntilIdle(*window);
        return window;
    }
    /// Parses a command line as a shell does, and then as the program does.
    static Arguments parsed(const QString& line) {
        QProcess shell;
        shell.start("sh", {"-c", "printf '%s\\n' " + line});
        shell.waitForFinished();
        QStringList words =
            QString::fromUtf8(shell.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
        if (words.takeFirst() != "tilescope-gui")
            qFatal("another program");
        return parseArguments(words);
    }
    static DeepLink linkOf(const Arguments& arguments, const ProfileView& profile) {
        const Report report = beginsWith(arguments);
        return {arguments.profiles, report, resolve(arguments.selected, report, profile),
                arguments.range};
    }
    static QString statusOf(const MainWindow& window) {
        return window.statusBar()->findChild<QLabel*>()->text();
    }

private slots:
    static void initTestCase() { test::prepareWindows(); }

    void theTraceIsOpenedAtAnOperation() {
        const QString a = files_.write("a.pop");
        const ProfileViewPtr profile = test::openSample(a);
        const auto operation = resolve(selectWishesFrom("layer1/conv"), Report::Trace, *profile);
        QCOMPARE((*profile->operations())[operation.operation].name, std::string("layer1/conv"));
        const auto window = open({{a}, Report::Trace, operation, AxisRange{2000, 9000}});
        QCOMPARE(window->currentReport(), Report::Trace);
        QCOMPARE(window->context().selection.current().operation, operation.operation);
        // A step of it was looked up and its program is selected.
        const ProgramId program = window->context().selection.current().program;
        QVERIFY(program.valid());
        QCOMPARE((*profile->programs())[program].operation, operation.operation);
        QCOMPARE(window->context().timeZoom.from(), 2000.0);
        QCOMPARE(window->context().timeZoom.to(), 9000.0);
    }

    void withoutARangeTheOperationIsInSight() {
        const QString a = files_.write("a.pop");
        const auto operation =
            resolve(selectWishesFrom("operation=conv1"), Report::Trace, *test::openSample(a));
        const auto window = open({{a}, Report::Trace, operation, {}});
        QVERIFY(!window->context().timeZoom.showsAll());
        QVERIFY(window->session().link().range.has_value());
    }

    void rangesAreOfTheReportsAxis_data() {
        QTest::addColumn<QString>("report");
        QTest::newRow("tiles") << "memory";
        QTest::newRow("steps") << "liveness";
        QTest::newRow("cycles") << "trace";
        QTest::newRow("iterations") << "values";
    }
    void rangesAreOfTheReportsAxis() {
        QFETCH(QString, report);
        const QString a = files_.write("a.pop", {.withValues = true});
        const AxisRange range{2, 7};
        const auto window = open({{a}, reportFrom(report), {}, range});
        const views::ZoomRange* axis = window->view(reportFrom(report)).axis();
        QVERIFY(axis != nullptr);
        QVERIFY2(!axis->showsAll(), qPrintable(QString::number(axis->last())));
        QVERIFY(axis->from() <= 2);
        QVERIFY(axis->to() >= 7 && axis->to() < axis->last());
        window->showReport(Report::Summary);
        QVERIFY(!window->session().link().range);
    }

    void whatIsShownCanBeCopied() {
        const QString a = files_.write("it's a.pop");
        const QString b = files_.write("b.pop", {.changed = true});
        const auto window = open({{a, b}, Report::Memory, {}, AxisRange{3, 40}});
        const auto variables = window->context().reports.source()->variables();
        window->context().selection.update([](views::Selected& s) {
            s.tiles = {TileId(3), TileId(5)};
            s.variable = VariableId(2);
            s.operation = OperationId(1);
        });
        test::waitUntilIdle(*window);
        QAction* copy = nullptr;
        for (QAction* each : window->findChildren<QAction*>())
            if (each->text().remove('&') == "Copy link to this view")
                copy = each;
        QVERIFY(copy != nullptr && copy->isEnabled());
        copy->trigger();
        const QString line = QGuiApplication::clipboard()->text();
        QVERIFY2(line.startsWith("tilescope-gui ") && line.contains("operation=relu1"),
                 qPrintable(line));
        QVERIFY(statusOf(*window).contains(line));
        const DeepLink before = window->session().link();
        const DeepLink again = linkOf(parsed(line), *window->context().reports.source());
        QCOMPARE(again.files, before.files);
        QCOMPARE(again.report, Report::Memory);
        QVERIFY(again.selected == before.selected);
        QVERIFY(again.range == before.range);
        QVERIFY((before.range == AxisRange{3, 40}));
    }

    void namesThatMeanSomethingElseAreNumbers() {
        Profile profile = test::sampleProfile({});
        const auto add = [&](std::string name) {
            Operation operation;
            operation.name = std::move(name);
            return profile.operations.add(std::move(operation));
        };
        for (const OperationId id : {add("two,tile=3"), add("17"), add("conv1"), add("line\nline"),
                                     add("quo'te $HOME `x`"), add("")}) {
            views::Selected selected;
            selected.operation = id;
            const auto view = ProfileView::of(profile);
            const QString line = commandLine({{"p.pop"}, Report::Operations, selected, {}}, *view);
            const DeepLink again = linkOf(parsed(line), *view);
            QVERIFY2(again.selected == selected, qPrintable(line));
        }
    }

    void aStepOfTheTraceIsItsProgram() {
        const ProfileViewPtr profile = test::openSample(files_.write("a.pop"));
        const auto wishes = selectWishesFrom("conv1/Convolve");
        const views::Selected selected = resolve(wishes, Report::Trace, *profile);
        QCOMPARE((*profile->programs())[selected.program].name, std::string("conv1/Convolve"));
        QVERIFY(!resolve(wishes, Report::Liveness, *profile).program.valid());
        QVERIFY(resolve(wishes, Report::Liveness, *profile).step.valid());
    }

    void whatIsNotThereIsAMistake_data() {
        QTest::addColumn<QString>("report");
        QTest::addColumn<QString>("wish");
        QTest::addColumn<QString>("text");
        QTest::newRow("name") << "trace"
                              << "conv9"
                              << "--select: the profile has no operation or step 'conv9'. Did you "
                                 "mean 'conv1'?";
        QTest::newRow("kind") << "trace"
                              << "variable=conv1"
                              << "--select: the profile has no variable 'conv1'.";
        QTest::newRow("another's") << "operations"
                                   << "conv1/Convolve"
                                   << "--select: the profile has no operation 'conv1/Convolve'.";
        QTest::newRow("number") << "memory"
                                << "tile=99999"
                                << "--select: the profile has no such tile: 99999 is not below";
        QTest::newRow("line") << "operations"
                              << "line=net.py:1"
                              << "--select: no operation of the profile is at line 'net.py:1'. It "
                                 "has no lines";
        QTest::newRow("batch") << "pipeline"
                               << "batch=3"
                               << "--select: the profile has no batch";
        QTest::newRow("tensor") << "values"
                                << "tensor=0"
                                << "--select: the profile has no such tensor: 0 is not below 0";
    }
    void whatIsNotThereIsAMistake() {
        QFETCH(QString, report);
        QFETCH(QString, wish);
        QFETCH(QString, text);
        const ProfileViewPtr profile = test::openSample(files_.write("a.pop"));
        try {
            resolve(selectWishesFrom(wish), reportFrom(report), *profile);
            QFAIL("accepted");
        } catch (const UserError& error) {
            QVERIFY2(QString::fromUtf8(error.what()).startsWith(text), error.what());
        }
    }

    void theProgramSaysSoBeforeTheWindowOpens_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        const QString a = files_.write("a.pop");
        QTest::newRow("good") << QStringList{a, "--view=trace", "--select=conv1", "--range=1:2",
                                             "--check"}
                              << 0;
        QTest::newRow("name") << QStringList{a, "--view=trace", "--select=conv9"} << 2;
        QTest::newRow("view") << QStringList{a, "--view=tracks"} << 2;
        QTest::newRow("file") << QStringList{a + "x", "--select=conv1"} << 2;
        QTest::newRow("target") << QStringList{a, "--compare", a + "x", "--check"} << 2;
    }
    void theProgramSaysSoBeforeTheWindowOpens() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QProcess process;
        process.start(test::programPath("tilescope-gui"), arguments);
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), status);
        QCOMPARE(process.readAllStandardError().contains("tilescope-gui: error: "), status != 0);
    }

    void picturesShowThePlace() {
        const QString a = files_.write("a.pop");
        const auto picture = [&](const QStringList& more) {
            const QString file = files_.path(QString::number(more.size()) + ".png");
            QProcess process;
            process.start(test::programPath("tilescope-gui"),
                          QStringList{a, "--grab", "trace=" + file, "--size=900x600"} + more);
            return process.waitForFinished(60'000) && process.exitCode() == 0 ? QImage(file)
                                                                              : QImage();
        };
        const QImage whole = picture({});
        const QImage there = picture({"--select=layer1/conv"});
        const QImage part = picture({"--select=layer1/conv", "--range=2000:9000"});
        QVERIFY(!whole.isNull() && !there.isNull() && !part.isNull());
        QVERIFY(whole != there && there != part);
    }

    void aRangeBeyondTheEndIsSaid() {
        const QString a = files_.write("a.pop");
        const auto window = open({{a}, Report::Memory, {}, AxisRange{1'000'000, 1'000'001}});
        QVERIFY2(statusOf(*window).startsWith("--range: 1,000,000 is beyond the end"),
                 qPrintable(statusOf(*window)));
        QVERIFY(window->view(Report::Memory).axis()->showsAll());
    }

    void anotherProfileIsNotShownThere() {
        const QString a = files_.write("a.pop");
        MainWindow window(Memory::None);
        window.show();
        views::Selected selected;
        selected.operation = OperationId(1);
        window.openLink({{files_.path("gone.pop")}, Report::Trace, selected, AxisRange{1, 2}});
        test::openProfiles(window, {a});
        QVERIFY(!window.context().selection.current().operation.valid());
        QCOMPARE(window.currentReport(), Report::Summary);
    }
};

TILESCOPE_TEST(LinkTest, QApplication)

} // namespace link_test

#include "link_test.moc"
