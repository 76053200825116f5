// A long profile does not hold up the window: everything is read by its workers, and in pieces.
#include <QElapsedTimer>
#include <QLineEdit>
#include <QListWidget>
#include <QTest>
#include <mutex>
#include <sqlite3.h>

#include "app/gui/frame_exercise.h"
#include "app/gui/window/command_palette.h"
#include "tests/support/loop_watch.h"
#include "tests/support/scale_profile.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/execution/trace_view.h"
#include "views/theme/style.h"

namespace responsive_test {
using namespace tilescope;
using namespace tilescope::gui;

namespace {

/// Every SQL statement started anywhere in the program, and its thread.
class StatementLog {
public:
    static StatementLog& instance() {
        static StatementLog log;
        return log;
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        inWindow_.clear();
        all_ = 0;
        wholeTrace_ = 0;
    }
    void add(const QString& sql) {
        const std::lock_guard lock(mutex_);
        ++all_;
        if (QThread::currentThread() == QCoreApplication::instance()->thread())
            inWindow_ << sql;
        // Reading all of the table instead of one step of it.
        if (sql.contains(QLatin1String("FROM trace_step_ipus")) &&
            !sql.contains(QLatin1String("WHERE")))
            ++wholeTrace_;
    }
    QStringList inWindow() {
        const std::lock_guard lock(mutex_);
        return inWindow_;
    }
    int all() {
        const std::lock_guard lock(mutex_);
        return all_;
    }
    int wholeTrace() {
        const std::lock_guard lock(mutex_);
        return wholeTrace_;
    }

private:
    std::mutex mutex_;
    QStringList inWindow_;
    int all_ = 0;
    int wholeTrace_ = 0;
};

int logStatement(unsigned, void*, void* statement, void*) {
    const char* sql = sqlite3_sql(static_cast<sqlite3_stmt*>(statement));
    StatementLog::instance().add(QString::fromUtf8(sql));
    return 0;
}

// SQLite calls this for each new connection.
int watchConnection(sqlite3* db, const char**, const void*) {
    return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, logStatement, nullptr);
}

} // namespace

class ResponsiveTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;
    std::unique_ptr<test::LoopWatch> watch_;

    views::TraceView& trace() {
        window_->showReport(Report::Trace);
        test::waitUntilIdle(*window_);
        return static_cast<views::TraceView&>(window_->view(Report::Trace));
    }
    /// Must hold for everything since the log was cleared.
    void verifyNothingHeldUp() {
        StatementLog& log = StatementLog::instance();
        QVERIFY2(log.inWindow().isEmpty(), qPrintable(log.inWindow().join(QLatin1Char('\n'))));
        QCOMPARE(log.wholeTrace(), 0);
        QVERIFY(watch_->beats() > 0);
    }

private slots:
    void initTestCase() {
        QApplication::setStyle(new views::WindowStyle);
        test::ScaleOptions options;
        options.steps = 300'000;
        options.ipus = 16;
        options.variables = 4000;
        options.tilesPerIpu = 64;
        const QString file =
            files_.writeProfile(QStringLiteral("long.pop"), test::scaleProfile(options));
        sqlite3_auto_extension(reinterpret_cast<void (*)()>(watchConnection));
        window_ = test::shownWindow({1280, 720});
        watch_ = std::make_unique<test::LoopWatch>();
        QSignalSpy changed(&window_->context().reports, &views::ReportPair::changed);
        window_->openProfiles({file});
        QTRY_COMPARE(changed.count(), 1);
        test::waitUntilIdle(*window_);
        QVERIFY(StatementLog::instance().all() > 0); // the log works
        verifyNothingHeldUp();
    }
    void cleanupTestCase() {
        watch_.reset();
        window_.reset();
        sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(watchConnection));
    }
    void init() {
        StatementLog::instance().clear();
        (void)watch_->takeLongest();
    }
    void cleanup() {
        // A figure to look at; how fast the machine is must not decide whether the test passes.
        qInfo("longest the event loop was held up: %.0f ms", watch_->takeLongest());
    }

    void reportsReadInTheBackground_data() {
        QTest::addColumn<int>("report");
        for (const Report report : reports)
            if (report != Report::Compare) // needs two profiles
                QTest::newRow(qPrintable(reportName(report))) << static_cast<int>(report);
    }
    void reportsReadInTheBackground() {
        QFETCH(int, report);
        window_->showReport(static_cast<Report>(report));
        test::waitUntilIdle(*window_);
        verifyNothingHeldUp();
    }

    void everyLookOfTheTraceDoes() {
        views::TraceView& view = trace();
        for (const views::TraceLook look :
             {views::TraceLook::Flat, views::TraceLook::Tiles, views::TraceLook::Flame}) {
            view.setLook(look);
            test::waitUntilIdle(*window_);
        }
        verifyNothingHeldUp();
    }

    void thePointerOverTilesDoes() {
        views::TraceView& view = trace();
        view.setLook(views::TraceLook::Tiles);
        test::waitUntilIdle(*window_);
        views::TilePlot& plot = view.tiles().plot();
        const QSignalSpy hovered(&plot, &views::PlotWidget::hovered);
        QString text;
        for (int i = 1; i < 10; ++i) {
            const QPoint where(plot.width() * i / 10, plot.height() / 2);
            const auto place = plot.placeAt(plot.yAxis->pixelToCoord(where.y()));
            text = QStringLiteral("Tile %1 of IPU %2 ").arg(place.tile).arg(place.lane);
            QMouseEvent move(QEvent::MouseMove, where, plot.mapToGlobal(where), Qt::NoButton,
                             Qt::NoButton, Qt::NoModifier);
            QApplication::sendEvent(&plot, &move);
        }
        test::waitUntilIdle(*window_);
        QVERIFY2(hovered.last()[0].toString().startsWith(text),
                 qPrintable(hovered.last()[0].toString()));
        // Not every tile does something all the time.
        const QRect area = plot.axisRect()->rect();
        constexpr int places = 8;
        for (int i = 0; i < places * places && view.selection().step() < 0; ++i) {
            QTest::mouseClick(&plot, Qt::LeftButton, {},
                              area.topLeft() +
                                  QPoint(area.width() * (i % places * 2 + 1) / (2 * places),
                                         area.height() * (i / places * 2 + 1) / (2 * places)));
            test::waitUntilIdle(*window_);
        }
        QVERIFY(view.selection().step() >= 0);
        view.setLook(views::TraceLook::Flame);
        test::waitUntilIdle(*window_);
        verifyNothingHeldUp();
    }

    void zoomsReadOnlyWhatIsInSight() {
        views::TraceView& view = trace();
        views::ZoomRange& zoom = window_->context().timeZoom;
        const double length = zoom.last();
        constexpr int steps = 12;
        for (int i = 0; i < steps; ++i) {
            const double span = length / (1 << i);
            zoom.setRange(length / 3, length / 3 + span);
            test::waitUntilIdle(*window_);
        }
        const auto& lanes = view.plot().trace().overview();
        QVERIFY(lanes);
        const int width = view.plot().axisRect()->width();
        std::size_t widest = 0;
        for (const views::TraceLane& lane : *lanes)
            for (const views::TraceRow& row : lane.rows)
                widest = std::max(widest, row.boxes.size());
        // However many steps there are, a row has a few boxes for each pixel.
        QVERIFY2(widest <= static_cast<std::size_t>(6 * std::max(width, 1500)),
                 qPrintable(QString::number(widest)));
        verifyNothingHeldUp();
    }

    void anythingIsFoundInTheBackground() {
        trace();
        CommandPalette palette(*window_);
        palette.setAttribute(Qt::WA_DeleteOnClose, false);
        palette.open();
        for (const QChar letter : QStringLiteral("stage1/layer"))
            QTest::keyClick(&palette.field(), letter.toLatin1());
        test::waitUntilIdle(*window_);
        QVERIFY(palette.list().count() > 0);
        palette.close();
        verifyNothingHeldUp();
    }

    void aStepBackIsImmediate() {
        views::TraceView& view = trace();
        views::ZoomRange& zoom = window_->context().timeZoom;
        views::History& history = window_->context().history;
        history.reset(); // from other tests
        const std::int64_t step = view.selection().step();
        const double before = zoom.span();
        QTest::mouseClick(&view.plot(), Qt::LeftButton, {}, view.plot().axisRect()->center());
        test::waitUntilIdle(*window_);
        QTest::keyClick(&view.plot(), Qt::Key_W);
        test::waitUntilIdle(*window_);
        QTest::keyClick(&view.plot(), Qt::Key_Period);
        test::waitUntilIdle(*window_);
        QVERIFY(history.canUndo());
        constexpr int frames = 3; // of 16 ms: other programs run, too
        while (history.canUndo()) {
            QElapsedTimer timer;
            timer.start();
            history.undo();
            QVERIFY2(timer.elapsed() <= frames * 16, qPrintable(QString::number(timer.elapsed())));
            test::waitUntilIdle(*window_);
        }
        QCOMPARE(zoom.span(), before);
        QCOMPARE(view.selection().step(), step);
        verifyNothingHeldUp();
    }

    void searchesAreCountedInTheBackgroundAndCanBeCancelled() {
        views::TraceView& view = trace();
        view.search().setText(QString::fromUtf8(test::scaleSearchText));
        QVERIFY(!window_->context().workers.idle());
        test::waitUntilIdle(*window_);
        const QString found = view.search().findChild<QLabel*>()->text();
        QVERIFY2(found.contains(QRegularExpression(QStringLiteral("[1-9]"))), qPrintable(found));
        // Clearing the text while the search is under way ends it.
        view.search().setText(QStringLiteral("stage1"));
        view.search().setText({});
        test::waitUntilIdle(*window_);
        QVERIFY(view.search().text().isEmpty());
        verifyNothingHeldUp();
    }
};

TILESCOPE_TEST(ResponsiveTest, QApplication)

} // namespace responsive_test

#include "responsive_test.moc"
