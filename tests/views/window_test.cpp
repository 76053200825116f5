// The whole window: opens profiles, shows every report, and shows errors where they occur.
#include <QDragEnterEvent>
#include <QMimeData>
#include <QtTest>

#include "app/gui/window/message_bar.h"
#include "app/gui/window/recent_files.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/execution/trace_view.h"
#include "views/liveness/liveness_view.h"
#include "views/memory/memory_view.h"
#include "views/programs/programs_view.h"
#include "views/widgets/loading_panel.h"

#include <QLabel>
#include <QPushButton>
#include <QTreeView>

namespace window_test {
using namespace tilescope;
using namespace tilescope::gui;
using views::Selected;

namespace {

QStringList warnings;

void countWarnings(QtMsgType type, const QMessageLogContext&, const QString& text) {
    // The test's machine may lack a runtime directory; that is not the window's fault.
    if (type != QtDebugMsg && type != QtInfoMsg && !text.contains("XDG_RUNTIME_DIR"))
        warnings << text;
}

} // namespace

class WindowTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    void open(const QStringList& files) { test::openProfiles(*window_, files); }
    template <class View> View& view(Report report) {
        window_->showReport(report);
        test::waitUntilIdle(*window_);
        return static_cast<View&>(window_->view(report));
    }
    // Texts of empty states and errors that can be seen.
    QString visibleMessages() {
        QString all;
        for (const views::LoadingPanel* panel : window_->findChildren<views::LoadingPanel*>())
            if (panel->isVisible() && panel->showsMessage())
                all += test::messageText(*panel) + '\n';
        return all;
    }
    // Without the enter Qt knows no target for the drop.
    void drop(const QStringList& files) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& file : files)
            urls.append(QUrl::fromLocalFile(file));
        data.setUrls(urls);
        QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(window_.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(window_.get(), &drop);
    }
    void drag(views::PlotWidget& plot, QPoint from, QPoint to,
              Qt::KeyboardModifiers modifiers = {}) {
        QTest::mousePress(&plot, Qt::LeftButton, modifiers, from);
        QTest::mouseMove(&plot, (from + to) / 2);
        QMouseEvent move(QEvent::MouseMove, to, plot.mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                         modifiers);
        QCoreApplication::sendEvent(&plot, &move);
        QTest::mouseRelease(&plot, Qt::LeftButton, modifiers, to);
    }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() {
        warnings.clear();
        qInstallMessageHandler(countWarnings);
        window_ = test::shownWindow();
    }
    void cleanup() {
        window_.reset();
        qInstallMessageHandler(nullptr);
        QCOMPARE(warnings, QStringList());
    }

    void showsEveryReport_data() {
        QTest::addColumn<QStringList>("files");
        const QString a = files_.write("a.pop");
        QTest::newRow("one") << QStringList{a};
        QTest::newRow("two") << QStringList{a, files_.write("b.pop", {.ipus = 2, .changed = true})};
        QTest::newRow("out of memory")
            << QStringList{files_.write("large.pop", {.tooLarge = true})};
    }
    void showsEveryReport() {
        QFETCH(QStringList, files);
        open(files);
        for (const Report report : reports) {
            window_->showReport(report);
            test::waitUntilIdle(*window_);
            QVERIFY(window_->view(report).isVisible());
            QVERIFY2(!visibleMessages().contains("cannot be shown"), qPrintable(visibleMessages()));
            QVERIFY(!window_->grab().isNull());
        }
        window_->context().preferences.setTheme(views::ThemeChoice::Dark);
        window_->context().preferences.setByteUnits(ByteUnits::Si);
        for (const Report report : reports) {
            window_->showReport(report);
            test::waitUntilIdle(*window_);
        }
    }

    void titlesNameTheModels() {
        QCOMPARE(window_->windowTitle(), QStringLiteral("TileScope"));
        open({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        QVERIFY(window_->windowTitle().contains("sample on mk2"));
        QVERIFY(window_->windowTitle().contains("sample-changed on mk2"));
        window_->context().reports.close();
        QCOMPARE(window_->windowTitle(), QStringLiteral("TileScope"));
    }

    void stridedCopiesLeadToTheirStepAndVariable() {
        open({files_.write("copy.pop", {.withCopy = true})});
        window_->showReport(Report::Insights);
        test::waitUntilIdle(*window_);
        QWidget* card = nullptr;
        for (QLabel* label : window_->view(Report::Insights).findChildren<QLabel*>())
            if (label->text() == "'conv1' spends 61.7 % of its cycles on strided copies")
                card = label->parentWidget();
        QVERIFY(card);
        QStringList texts;
        for (const QLabel* label : card->findChildren<QLabel*>())
            texts << label->text();
        QVERIFY2(texts.contains("[C][HW]") && texts.contains("[HW][C]") &&
                     texts.contains("1 element, 2 B"),
                 qPrintable(texts.join('\n')));
        std::map<QString, QPushButton*> buttons;
        for (QPushButton* button : card->findChildren<QPushButton*>())
            buttons[button->text()] = button;
        QVERIFY(buttons.contains("Show in Execution Trace") &&
                buttons.contains("Show in Liveness") && buttons.contains("another model \u2026"));
        buttons["Show in Execution Trace"]->click();
        test::waitUntilIdle(*window_);
        QVERIFY(window_->view(Report::Trace).isVisible());
        window_->showReport(Report::Insights);
        buttons["Show in Liveness"]->click();
        test::waitUntilIdle(*window_);
        const Selected& now = window_->context().selection.current();
        const auto& source = *window_->context().reports.source();
        const ProgramId program = (*source.steps({}))[now.step];
        QCOMPARE(QString::fromStdString((*source.programs({}))[program].name),
                 "conv1/PreArrange-0");
        QCOMPARE(QString::fromStdString((*source.variables({}))[now.variable].name), "input");
        QVERIFY(window_->view(Report::Liveness).isVisible());
    }

    void badProfilesAreExplained_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("text");
        QTest::newRow("empty") << files_.writeBytes("empty.pop", {})
                               << "is empty: the run that should have written it did not finish";
        QTest::newRow("foreign") << files_.writeBytes("foreign.pop", QByteArray(5000, 'x'))
                                 << "foreign.pop";
        QTest::newRow("truncated") << files_.writeTruncated("cut.pop") << "is damaged or truncated";
        QTest::newRow("missing") << files_.path("none.pop") << "no such file";
    }
    void badProfilesAreExplained() {
        QFETCH(QString, file);
        QFETCH(QString, text);
        open({files_.write("a.pop")});
        window_->openProfiles({file});
        QTRY_VERIFY2(test::shownMessage(*window_).contains(text),
                     qPrintable(test::shownMessage(*window_)));
        QVERIFY(window_->context().reports.source());
        // A good profile takes the message away.
        open({files_.path("a.pop")});
        QVERIFY(!test::child<gui::MessageBar>(*window_).isVisible());
    }

    void dropOpens() {
        const QString file = files_.write("a.pop");
        drop({file});
        QTRY_VERIFY(window_->context().reports.source());
        QCOMPARE(QString::fromStdString(window_->context().reports.source()->file().string()),
                 file);
    }

    void dropOfTwoCompares() {
        drop({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        QTRY_VERIFY(window_->context().reports.target());
    }

    void dropOfSomethingElseIsRefused() {
        QMimeData data;
        data.setText("no file");
        QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, {});
        enter.ignore();
        QCoreApplication::sendEvent(window_.get(), &enter);
        QVERIFY(!enter.isAccepted());
    }

    void missingDataSayWhy() {
        open({files_.write("large.pop", {.tooLarge = true})});
        view<views::TraceView>(Report::Trace);
        QVERIFY2(visibleMessages().contains("does not fit in memory"),
                 qPrintable(visibleMessages()));
        open({files_.write("a.pop")});
        test::waitUntilIdle(*window_);
        QVERIFY2(!visibleMessages().contains("does not fit"), qPrintable(visibleMessages()));
        window_->showReport(Report::Compare);
        test::waitUntilIdle(*window_);
        QVERIFY(visibleMessages().contains("Only one profile is open"));
    }

    void aClickOnATileIsFollowedEverywhere() {
        open({files_.write("a.pop")});
        auto& memory = view<views::MemoryView>(Report::Memory);
        views::PlotWidget& plot = memory.plot().plot();
        const QPoint tile700(static_cast<int>(plot.xAxis->coordToPixel(700.5)), plot.height() / 2);
        QTest::mouseClick(&plot, Qt::LeftButton, {}, tile700);
        test::waitUntilIdle(*window_);
        QCOMPARE(window_->context().selection.current().tiles.size(), std::size_t(1));
        const TileId tile = window_->context().selection.current().tiles.front();
        QVERIFY(std::abs(tile.value() - 700) <= 1);
        QTest::mouseClick(&plot, Qt::LeftButton, Qt::ShiftModifier, tile700 - QPoint(100, 0));
        QCOMPARE(window_->context().selection.current().tiles.size(), std::size_t(2));
        window_->context().history.back();
        QCOMPARE(window_->context().selection.current().tiles, std::vector<TileId>{tile});
        test::waitUntilIdle(*window_);
    }

    void aStepOfTheTreeIsFoundInTheTrace() {
        open({files_.write("a.pop")});
        auto& programs = view<views::ProgramsView>(Report::Programs);
        const ProgramId convolve = programs.model().find("layer1/conv/Convolve", {}, true);
        programs.tree().setCurrentIndex(programs.model().indexOf(convolve));
        test::waitUntilIdle(*window_);
        QCOMPARE(window_->context().selection.current().program, convolve);
        auto& trace = view<views::TraceView>(Report::Trace);
        const views::TracePlottable::Hit none = trace.plot().trace().hit(-5, 0);
        QVERIFY(none.box == nullptr);
        QVERIFY(trace.plot().trace().laneRows().rows.at(0) > 1);
        QCOMPARE(window_->context().selection.current().program, convolve);
    }

    void zoomingAndPanningByMouseAndKeyboard() {
        open({files_.write("a.pop")});
        auto& liveness = view<views::LivenessView>(Report::Liveness);
        views::PlotWidget& plot = liveness.plot().plot();
        views::ZoomRange& zoom = plot.zoom();
        QTest::keyClick(&plot, Qt::Key_W);
        QVERIFY(!zoom.showsAll());
        const double from = zoom.from();
        drag(plot, {500, 60}, {400, 60});
        QVERIFY(zoom.from() > from);
        QTest::keyClick(&plot, Qt::Key_F);
        QVERIFY(zoom.showsAll());
        QWheelEvent wheel({600, 60}, plot.mapToGlobal(QPointF(600, 60)), {}, {0, 240}, Qt::NoButton,
                          {}, Qt::NoScrollPhase, false);
        const double under = plot.xAxis->pixelToCoord(600);
        QCoreApplication::sendEvent(&plot, &wheel);
        QVERIFY(!zoom.showsAll());
        QVERIFY(std::abs(plot.xAxis->pixelToCoord(600) - under) < 0.01);
    }

    void shiftDragSelectsARangeOfTheTrace() {
        open({files_.write("a.pop")});
        auto& trace = view<views::TraceView>(Report::Trace);
        QSignalSpy selected(&trace.plot(), &views::PlotWidget::rangeSelected);
        drag(trace.plot(), {300, 80}, {700, 80}, Qt::ShiftModifier);
        QCOMPARE(selected.count(), 1);
        QVERIFY(selected[0][0].toDouble() < selected[0][1].toDouble());
        test::waitUntilIdle(*window_);
    }

    void everyFrameIsCounted() {
        open({files_.write("big.pop", {.ipus = 2})});
        auto& memory = view<views::MemoryView>(Report::Memory);
        memory.showSection("By category");
        test::waitUntilIdle(*window_);
        auto& trace = view<views::TraceView>(Report::Trace);
        views::FrameTimes& times = window_->context().frameTimes;
        times.reset();
        for (int i = 0; i < 40; ++i) {
            window_->context().timeZoom.zoomAt(window_->context().timeZoom.last() * 0.4,
                                               i < 20 ? 0.8 : 1.25);
            trace.plot().replot(QCustomPlot::rpImmediateRefresh);
            QCoreApplication::processEvents();
        }
        test::waitUntilIdle(*window_);
        QVERIFY(times.frames() >= 40);
    }

    void recentFilesKeepTheNewestFirst() {
        RecentFiles recent;
        recent.clear();
        recent.add("/tmp/a.pop");
        recent.add("/tmp/b.pop", "/tmp/c.pop");
        recent.add("/tmp/a.pop");
        QCOMPARE(recent.entries().size(), 2);
        QCOMPARE(recent.entries().front(), QStringLiteral("/tmp/a.pop"));
        QCOMPARE(RecentFiles::filesOf(recent.entries()[1]).size(), 2);
        for (int i = 0; i < 100; ++i)
            recent.add(QStringLiteral("/tmp/%1.pop").arg(i));
        // Profiles do not push comparisons out.
        QCOMPARE(recent.profiles().size(), RecentFiles::mostEntries);
        QCOMPARE(recent.comparisons().size(), 1);
        recent.remove("/tmp/99.pop");
        QCOMPARE(recent.entries().front(), QStringLiteral("/tmp/98.pop"));
        recent.clear();
    }
};

TILESCOPE_TEST(WindowTest, QApplication)

} // namespace window_test

#include "window_test.moc"
