// Results of a sweep in the window: a heat map whose cells open as profiles.
#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QtTest>

#include "app/gui/candidates/candidates_panel.h"
#include "app/gui/window/home_screen.h"
#include "app/gui/window/message_bar.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/sweep/front_plot.h"
#include "views/sweep/heat_map_widget.h"
#include "views/sweep/sweep_view.h"
#include "views/tables/table_panel.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/report_view.h"

namespace sweep_test {
using namespace tilescope;
using namespace tilescope::gui;
using namespace tilescope::views;

class SweepViewTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    static PointResult fits(double throughput, std::int64_t maxTile, const std::string& profile) {
        PointResult result;
        result.status = PointStatus::Fits;
        result.memory = PointMemory{maxTile, maxTile, 100 * maxTile, 100 * maxTile, 50, 60, 0};
        result.time = PointTime{1000, 1e-6, throughput};
        result.profile = profile;
        return result;
    }

    // Two batch sizes by three proportions: one does not fit, one was not run.
    QString writeSweep(const std::string& folder, bool third = false) {
        const std::string path = files_.path(QString::fromStdString(folder)).toStdString();
        std::vector<SweepAxis> axes{parseAxis("batchSize=1,2"),
                                    parseAxis("availableMemoryProportion=0.1,0.2,0.3")};
        if (third)
            axes.push_back(parseAxis("precision=float,half"));
        const SweepGrid grid(axes);
        SweepStore store(path, {"mlp", "", "TileScope", {}}, grid, SweepStore::IfOther::Replace);
        for (const char* point : {"a", "b"}) {
            QDir().mkpath(QString::fromStdString(path + "/" + point));
            writeProfile(test::sampleProfile({.changed = *point == 'b'}),
                         path + "/" + point + "/profile.pop");
        }
        store.record(0, fits(100, 4000, "a/profile.pop"));
        store.record(1, fits(300, 3000, "b/profile.pop"));
        store.record(2, fits(200, 2000, ""));
        PointResult large;
        large.status = PointStatus::OutOfMemory;
        large.message = "Out of memory on tile 3";
        large.memory = PointMemory{700000, 0, 0, 0, 0, 0, 5};
        store.record(3, large);
        store.record(4, fits(250, 1000, "gone/profile.pop"));
        return QString::fromStdString(path);
    }
    SweepView& open(const QString& path) {
        window_->openProfiles({path});
        test::waitUntilIdle(*window_);
        return *window_->sweep();
    }
    static QPoint middle(const HeatMapWidget& map, int cell) {
        return map.cellRect(cell).center().toPoint();
    }

private slots:
    void initTestCase() { test::prepareWindows(); }
    void init() { window_ = test::shownWindow({1280, 720}); }
    void cleanup() { window_.reset(); }

    void aFolderOrItsDatabaseOpens() {
        const QString folder = writeSweep("sweep");
        SweepView& view = open(folder);
        QVERIFY(view.isVisible());
        QCOMPARE(view.map().map().rows.size(), std::size_t(2));
        QCOMPARE(view.map().map().columns.size(), std::size_t(3));
        QVERIFY(window_->windowTitle().contains("sweep.db"));
        QVERIFY(open(folder + "/sweep.db").isVisible());
        QVERIFY(!window_->grab().isNull());
        window_->context().preferences.setTheme(ThemeChoice::Dark);
        QVERIFY(!window_->grab().isNull());
    }

    void cellsSayWhatTheyAre() {
        SweepView& view = open(writeSweep("sweep"));
        const HeatMap& map = view.map().map();
        QCOMPARE(map.cells[1].value, 300);
        QVERIFY(!map.cells[3].value);
        QCOMPARE(map.cells[3].label, std::string("OOM"));
        QCOMPARE(map.cells[5].label, std::string("not run"));
        QTest::mouseClick(&view.map(), Qt::LeftButton, {}, middle(view.map(), 3));
        QCOMPARE(view.map().current(), 3);
        QVERIFY2(test::labelText(view, "details").contains("Out of memory on tile 3"),
                 qPrintable(test::labelText(view, "details")));
        QVERIFY(!test::button<QPushButton>(view, "Open profile").isEnabled());
        QVERIFY(view.map().accessibleDescription().contains("batchSize=2"));
        QTest::mouseClick(&view.map(), Qt::LeftButton, {}, middle(view.map(), 2));
        QVERIFY2(test::labelText(view, "details").contains("--keep-profiles"),
                 qPrintable(test::labelText(view, "details")));
    }

    void otherValuesHaveOtherCells() {
        SweepView& view = open(writeSweep("sweep"));
        view.values().setCurrentText("Fullest tile");
        // A point that does not fit has its bytes, too.
        QCOMPARE(view.map().map().cells[3].value, 700000);
        QCOMPARE(view.map().map().cells[3].label, std::string("OOM"));
        QCOMPARE(view.map().map().cells[0].value, 4000);
    }

    void aCellOpensAsAProfile() {
        SweepView& view = open(writeSweep("sweep"));
        QSignalSpy changed(&window_->context().reports, &ReportPair::changed);
        QTest::mouseDClick(&view.map(), Qt::LeftButton, {}, middle(view.map(), 0));
        QTRY_COMPARE(changed.count(), 1);
        QVERIFY(window_->view(gui::Report::Summary).isVisible());
        QVERIFY(!view.isVisible());
        // Closing it leads back.
        window_->context().reports.close();
        QVERIFY(view.isVisible());
        test::waitUntilIdle(*window_);
    }

    void twoCellsOpenAsAComparison() {
        SweepView& view = open(writeSweep("sweep"));
        QTest::mouseClick(&view.map(), Qt::LeftButton, {}, middle(view.map(), 1));
        QTest::mouseClick(&view.map(), Qt::LeftButton, Qt::ShiftModifier, middle(view.map(), 0));
        QCOMPARE(view.map().marked(), 1);
        QVERIFY(test::labelText(view, "details")
                    .startsWith("Marked: batchSize=1, availableMemoryProportion=0.2"));
        QVERIFY(test::button<QPushButton>(view, "Compare the two").isEnabled());
        QSignalSpy changed(&window_->context().reports, &ReportPair::changed);
        QTest::mouseClick(&test::button<QPushButton>(view, "Compare the two"), Qt::LeftButton);
        QTRY_COMPARE(changed.count(), 1);
        QVERIFY(window_->windowTitle().contains("sample-changed on mk2  \u2192  sample on mk2"));
        test::waitUntilIdle(*window_);
    }

    void theKeyboardGoesThroughTheCells() {
        SweepView& view = open(writeSweep("sweep"));
        HeatMapWidget& map = view.map();
        QCOMPARE(map.current(), 0);
        QTest::keyClick(&map, Qt::Key_Space);
        QTest::keyClick(&map, Qt::Key_Right);
        QCOMPARE(map.current(), 1);
        QCOMPARE(map.marked(), 0);
        QVERIFY(test::button<QPushButton>(view, "Compare the two").isEnabled());
        QTest::keyClick(&map, Qt::Key_Down);
        QCOMPARE(map.current(), 4);
        QTest::keyClick(&map, Qt::Key_Down);
        QCOMPARE(map.current(), 4);
        QVERIFY(!test::button<QPushButton>(view, "Compare the two").isEnabled());
        QTest::keyClick(&map, Qt::Key_Up);
        QTest::keyClick(&map, Qt::Key_Left);
        QSignalSpy wanted(&view, &SweepView::profilesWanted);
        QTest::keyClick(&map, Qt::Key_Return);
        QCOMPARE(wanted.count(), 1);
        test::waitUntilIdle(*window_);
    }

    void moreAxesEachStandAtAValue() {
        SweepView& view = open(writeSweep("three", true));
        const QList<QComboBox*> boxes = view.findChildren<QComboBox*>();
        QCOMPARE(boxes.size(), 4);
        QCOMPARE(boxes[3]->accessibleName(), "precision");
        QCOMPARE(view.map().map().cells[0].value, 100);
        boxes[3]->setCurrentText("half");
        QCOMPARE(view.map().map().cells[0].value, 300);
        // Rows and columns are never the same axis.
        boxes[1]->setCurrentText("availableMemoryProportion");
        QCOMPARE(view.map().map().rowKey, std::string("availableMemoryProportion"));
        QVERIFY(view.map().map().columnKey != view.map().map().rowKey);
    }

    void theFrontIsOfPointsThatNoOtherBeats() {
        SweepView& view = open(writeSweep("front"));
        QStringList points;
        for (const FrontPoint& point : view.front().points())
            points << QStringLiteral("%1%2").arg(point.point).arg(point.onFront ? "*" : "");
        // By memory: 1,000 bytes with 250 samples a second, 2,000 with 200, 3,000 with 300.
        QCOMPARE(points.join(' '), QStringLiteral("4* 2 1* 0"));
    }

    void plotTableAndMapShowOnePoint() {
        SweepView& view = open(writeSweep("three points", true));
        const FrontPoint last = view.front().points().back();
        QTest::mouseClick(&view.front(), Qt::LeftButton, {}, view.front().placeOf(last).toPoint());
        const auto inTable = [&view] { return view.table().chosenIds().at(0); };
        QCOMPARE(inTable(), static_cast<std::int32_t>(last.point));
        const QString chosen = view.map().accessibleDescription();
        // Another value of an axis that the map does not show.
        QTableView& rows = view.table().view();
        const int row = view.table().model().rowOf(1);
        QTest::mouseClick(rows.viewport(), Qt::LeftButton, {},
                          rows.visualRect(rows.model()->index(row, 0)).center());
        QVERIFY(view.map().accessibleDescription() != chosen);
        QVERIFY(view.map().accessibleDescription().contains("precision=half"));
        QCOMPARE(inTable(), 1);
    }

    // A kilobyte more among hundreds is seen.
    void pointsThatDifferLittleAreApart() {
        FrontPlot plot(window_->context());
        plot.resize(500, 300);
        const std::vector<FrontPoint> close{{0, 209'000, 100, true}, {1, 210'000, 300, true}};
        plot.setPoints(close, {"a", "b"});
        QVERIFY(plot.placeOf(close[1]).x() - plot.placeOf(close[0]).x() > 60);
        QVERIFY(plot.rect().contains(plot.placeOf(close[0]).toPoint()) &&
                plot.rect().contains(plot.placeOf(close[1]).toPoint()));
        QVERIFY(!plot.grab().isNull());
        const std::vector<FrontPoint> same{{0, 5000, 100, true}};
        plot.setPoints(same, {"a"});
        QVERIFY(plot.rect().contains(plot.placeOf(same[0]).toPoint()));
    }

    // A sweep that is under way adds points; what is chosen stays.
    void reloadingKeepsTheCells() {
        const QString folder = writeSweep("growing");
        SweepView& view = open(folder);
        view.map().setCurrent(5);
        QCOMPARE(view.map().map().cells[5].label, std::string("not run"));
        {
            const SweepResults there = readSweep(view.file());
            SweepStore store(folder.toStdString(), there.identity, there.grid,
                             SweepStore::IfOther::Refuse);
            store.record(5, fits(999, 10, ""));
        }
        view.reload();
        test::waitUntilIdle(*window_);
        QCOMPARE(view.map().current(), 5);
        QCOMPARE(view.map().map().cells[5].value, 999);
    }

    void oneAxisIsOneRow() {
        const std::string path = files_.path("one").toStdString();
        const SweepGrid grid({parseAxis("batchSize=1,2,3")});
        SweepStore store(path, {"mlp", "", "TileScope", {}}, grid, SweepStore::IfOther::Replace);
        store.record(2, fits(7, 10, ""));
        SweepView& view = open(QString::fromStdString(path));
        QCOMPARE(view.map().map().rows.size(), std::size_t(1));
        QCOMPARE(view.map().map().cells[2].value, 7);
        QVERIFY(!window_->grab().isNull());
    }

    // Its other points are flipped through, as other runs of the model.
    void keptProfilesJoinTheCandidates() {
        const QString folder = writeSweep("joining");
        writeProfile(test::sampleProfile(), folder.toStdString() + "/b/profile.pop");
        SweepView& view = open(folder);
        QCOMPARE(view.keptProfiles().size(), 2); // that of another point is gone
        QTest::mouseDClick(&view.map(), Qt::LeftButton, {}, middle(view.map(), 0));
        QTRY_VERIFY(window_->context().reports.source());
        for (QAction* action : window_->findChildren<QAction*>())
            if (action->text() == "Candidates")
                action->trigger();
        auto& panel = *window_->findChild<CandidatesPanel*>();
        QTRY_VERIFY(panel.isVisible());
        test::waitUntilIdle(*window_);
        QCOMPARE(panel.table().model().rowCount(), 2);
    }

    void theMenuReloadsAndClosesIt() {
        const auto action = [this](const QString& text) -> QAction& {
            for (QAction* each : window_->findChildren<QAction*>())
                if (each->text() == text && qobject_cast<QMenu*>(each->parent()) != nullptr)
                    return *each;
            qFatal("no action '%s'", qPrintable(text));
        };
        QAction& reload = action("Re&load");
        QAction& close = action("&Close");
        QVERIFY(!reload.isEnabled() && !close.isEnabled());
        SweepView& view = open(writeSweep("sweep"));
        QVERIFY(reload.isEnabled() && close.isEnabled());
        reload.trigger();
        QVERIFY(!window_->context().workers.idle());
        test::waitUntilIdle(*window_);
        QVERIFY(view.isVisible());
        // With a profile open both act on the page in front.
        QAction& tryAll = action("&Try all suggestions…");
        QVERIFY(!tryAll.isEnabled());
        QSignalSpy changed(&window_->context().reports, &ReportPair::changed);
        QTest::mouseDClick(&view.map(), Qt::LeftButton, {}, middle(view.map(), 0));
        QTRY_COMPARE(changed.count(), 1);
        QVERIFY(tryAll.isEnabled());
        close.trigger();
        QTRY_VERIFY(view.isVisible());
        QVERIFY(close.isEnabled() && !tryAll.isEnabled());
        close.trigger();
        QVERIFY(window_->sweep() == nullptr);
        QVERIFY(window_->findChild<gui::HomeScreen*>()->isVisible());
        QCOMPARE(window_->windowTitle(), QString("TileScope"));
        QVERIFY(!reload.isEnabled() && !close.isEnabled());
    }

    void aDamagedDatabaseIsExplained() {
        const QString folder = writeSweep("damaged");
        QFile file(folder + "/sweep.db");
        QVERIFY(file.resize(5000));
        SweepView& view = open(folder);
        QVERIFY(view.panel().showsMessage());
        QVERIFY2(test::messageText(view.panel()).contains("sweep.db"),
                 qPrintable(test::messageText(view.panel())));
    }

    void aProfileIsNoSweep() {
        QVERIFY(!isSweep(files_.write("p.pop").toStdString()));
        QVERIFY(!isSweep(files_.path("nothing").toStdString()));
        QVERIFY(!isSweep(files_.writeBytes("short.db", "SQLite").toStdString()));
    }
};

TILESCOPE_TEST(SweepViewTest, QApplication)

} // namespace sweep_test

#include "sweep_test.moc"
