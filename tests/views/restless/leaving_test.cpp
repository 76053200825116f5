// Profiles that are left while reports still read them. For long runs with a profile of one's own:
// TILESCOPE_LEAVING=1000 TILESCOPE_LEAVING_PROFILE=FILE restless_tests restless_leaving_test
#include <QAbstractItemView>
#include <QElapsedTimer>
#include <QLabel>
#include <QRegularExpression>
#include <QTabWidget>
#include <QtTest>
#include <functional>
#include <random>

#include "app/gui/window/command_palette.h"
#include "app/gui/window/home_screen.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/widgets/report_view.h"

namespace leaving_test {
using namespace tilescope;
using namespace tilescope::gui;

namespace {

/// When a report is left.
enum class Moment {
    AtOnce,        ///< its queries have hardly begun
    BeforeAnswers, ///< they have ended, but nobody has been told
    Meanwhile,     ///< at any time before it has loaded
    Count
};
constexpr int moments = static_cast<int>(Moment::Count);

/// All texts of a report, in tables, trees and labels, except how long a query took.
QStringList textsOf(const QWidget& report) {
    constexpr int mostRows = 20; // of a table, which are enough to tell two profiles apart
    static const QRegularExpression queryTime(R"(\brows? in [\d.]+ \S+)");
    QStringList texts;
    for (const QLabel* label : report.findChildren<QLabel*>())
        if (label->isVisible())
            texts << label->text().replace(queryTime, "rows in some time");
    for (const QAbstractItemView* view : report.findChildren<QAbstractItemView*>()) {
        if (!view->isVisible() || view->model() == nullptr)
            continue;
        for (int row = 0; row < std::min(mostRows, view->model()->rowCount()); ++row)
            for (int column = 0; column < view->model()->columnCount(); ++column)
                texts << view->model()->index(row, column).data().toString();
    }
    return texts;
}

/// All pages of a report's tabs one after the other, so that each has something to show.
void openEveryTab(MainWindow& window, const QWidget& report) {
    for (QTabWidget* tabs : report.findChildren<QTabWidget*>())
        for (int page = 0; page < tabs->count(); ++page) {
            tabs->setCurrentIndex(page);
            test::waitUntilIdle(window);
        }
}

/// A user's actions in each table, list and tree, all at once.
void useRows(const QWidget& report) {
    for (QAbstractItemView* view : report.findChildren<QAbstractItemView*>()) {
        if (view->model() == nullptr || view->model()->rowCount() == 0)
            continue;
        const QModelIndex index = view->model()->index(view->model()->rowCount() - 1, 0);
        emit view->clicked(index);
        emit view->doubleClicked(index);
        emit view->activated(index);
        view->setCurrentIndex({});
        view->setCurrentIndex(index);
    }
}

} // namespace

class LeavingTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;
    std::minstd_rand random_{1};

    void goTo(Report report) {
        QTest::keySequence(window_.get(), QKeySequence(reportKeys(report)));
        QCOMPARE(window_->currentReport(), report);
    }
    void waitFor(Moment moment, qint64 mostMs) {
        constexpr int patienceMs = 60'000;
        if (moment == Moment::BeforeAnswers)
            QVERIFY(window_->context().workers.wait(patienceMs));
        if (moment != Moment::Meanwhile)
            return;
        const auto time = static_cast<qint64>(random_() % static_cast<quint64>(mostMs + 1));
        for (QElapsedTimer timer = started(); timer.elapsed() < time;)
            QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
    }
    static QElapsedTimer started() {
        QElapsedTimer timer;
        timer.start();
        return timer;
    }
    void openAndWait(const QStringList& files) {
        test::openProfiles(*window_, files);
        window_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() {
        window_ = test::shownWindow({1280, 720});
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    }
    void cleanup() { window_.reset(); }

    void aReportIsClosedBeforeItHasLoaded() {
        const int wanted = qEnvironmentVariableIntValue("TILESCOPE_LEAVING");
        const int count = wanted > 0 ? wanted : moments * static_cast<int>(reports.size());
        QString file = qEnvironmentVariable("TILESCOPE_LEAVING_PROFILE");
        if (file.isEmpty())
            file = files_.write("a.pop", {.withRecord = true, .withValues = true});
        qint64 loadMs = 0;
        for (int i = 0; i < count; ++i) {
            // The first round loads, to see how long that takes.
            const Report report = reports.at(static_cast<std::size_t>(i) % reports.size());
            const auto moment = static_cast<Moment>(i / static_cast<int>(reports.size()) % moments);
            window_->openProfiles({file});
            QTRY_VERIFY_WITH_TIMEOUT(window_->context().reports.source(), 60'000);
            const QElapsedTimer timer = started();
            goTo(report);
            waitFor(moment, loadMs);
            QTest::keySequence(window_.get(), QKeySequence(QKeySequence::Close));
            QVERIFY(!window_->context().reports.source());
            QVERIFY(window_->findChild<HomeScreen*>()->isVisible());
            // The workers finish, and everything that they have posted arrives.
            QVERIFY(window_->context().workers.wait(60'000));
            test::waitUntilIdle(*window_);
            loadMs = std::max(loadMs, std::min<qint64>(timer.elapsed(), 2000));
            if (wanted > 0 && (i + 1) % 100 == 0)
                qInfo("%d closed", i + 1);
        }
    }

    void whatWasBegunForAnotherProfileIsNotShown_data() {
        QTest::addColumn<int>("report");
        for (const Report report : reports)
            QTest::newRow(qPrintable(reportName(report))) << static_cast<int>(report);
    }
    // The first profile's report is hidden when its answers come, and another profile is open.
    void whatWasBegunForAnotherProfileIsNotShown() {
        QFETCH(const int, report);
        const QString first = files_.write("first.pop", {.ipus = 2, .withValues = true});
        const QString second = files_.write("second.pop", {.changed = true});
        const Report seen = static_cast<Report>(report);
        const Report other = seen == Report::Summary ? Report::Query : Report::Summary;
        openAndWait({second});
        goTo(seen);
        test::waitUntilIdle(*window_);
        const QStringList alone = textsOf(window_->view(seen));

        init();
        openAndWait({first});
        goTo(other);
        test::waitUntilIdle(*window_);
        goTo(seen);
        goTo(other);
        QVERIFY(window_->context().workers.wait(60'000));
        // Nothing of this has been delivered yet, as the answers come by events.
        window_->context().reports.close();
        window_->openProfiles({second});
        QTRY_VERIFY(window_->context().reports.source());
        test::waitUntilIdle(*window_);
        goTo(seen);
        test::waitUntilIdle(*window_);
        QCOMPARE(textsOf(window_->view(seen)), alone);
    }

    void rowsOfProfilesThatWereLeft_data() { whatWasBegunForAnotherProfileIsNotShown_data(); }
    // A quick user selects in contents that are no longer shown.
    void rowsOfProfilesThatWereLeft() {
        QFETCH(const int, report);
        const QString small = files_.write("small.pop");
        const QString large =
            files_.write("large.pop", {.ipus = 2, .withRecord = true, .withValues = true});
        openAndWait({large, small});
        const Report seen = static_cast<Report>(report);
        goTo(seen);
        test::waitUntilIdle(*window_);
        openEveryTab(*window_, window_->view(seen));
        views::ReportPair& pair = window_->context().reports;
        const auto use = [&] { useRows(window_->view(seen)); };
        connect(&window_->context().workers, &views::Workers::profilesLeft, this, use);
        connect(&pair, &views::ReportPair::changed, this, use);
        const std::vector<std::function<void()>> changes{
            [&] { pair.swap(); }, [&] { pair.closeTarget(); },
            [&] {
                test::openProfiles(*window_, {large, small});
            },
            [&] { pair.swap(); }, [&] { pair.close(); }};
        for (const auto& change : changes) {
            change();
            use();
            test::waitUntilIdle(*window_);
            if (window_->currentReport() != seen && pair.source())
                goTo(seen);
            test::waitUntilIdle(*window_);
        }
        QVERIFY(!pair.source());
        disconnect(&pair, nullptr, this, nullptr);
        disconnect(&window_->context().workers, nullptr, this, nullptr);
    }

    // Its hits are ids of the profile that was open.
    void thePaletteClosesWithItsProfile() {
        openAndWait({files_.write("a.pop")});
        QTest::keySequence(window_.get(), QKeySequence("Ctrl+P"));
        const QPointer<CommandPalette> palette = window_->findChild<CommandPalette*>();
        QVERIFY(palette);
        QTest::keyClicks(palette->focusWidget(), "conv");
        window_->context().reports.close();
        QTRY_VERIFY(!palette);
    }

    // A dialog whose queries are under way goes with the window.
    void theWindowGoesWhileThePaletteSearches() {
        openAndWait({files_.write("a.pop")});
        QTest::keySequence(window_.get(), QKeySequence("Ctrl+P"));
        const QPointer<CommandPalette> palette = window_->findChild<CommandPalette*>();
        QVERIFY(palette);
        QTest::keyClicks(palette->focusWidget(), "conv");
        window_.reset();
        QVERIFY(!palette);
    }
};

TILESCOPE_TEST(LeavingTest, QApplication)

} // namespace leaving_test

#include "leaving_test.moc"
