// Runs of one model at the side of the window: what they are, and flipping through them.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest>

#include "app/gui/candidates/candidates_panel.h"
#include "app/gui/run/sweep_dialog.h"
#include "tests/support/sample_profile.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"

namespace candidates_test {
using namespace tilescope;
using namespace tilescope::gui;

class CandidatesTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;
    QStringList runs_; ///< source and three others of the model

    CandidatesPanel& panel() { return *window_->findChild<CandidatesPanel*>(); }
    QString target() {
        const ProfileViewPtr& open = window_->context().reports.target();
        return open ? QString::fromStdString(open->file().string()) : QString();
    }
    QString cell(int row, int column) {
        const views::TableModel& model = panel().table().model();
        return model.data(model.index(row, column), Qt::DisplayRole).toString();
    }
    void settle() { test::waitUntilIdle(*window_); }
    void openPanel() {
        window_->recent().clear();
        for (const QString& run : runs_)
            window_->recent().add(run);
        Profile other = test::sampleProfile();
        other.info.model = "another";
        window_->recent().add(files_.writeProfile("another.pop", other));
        window_->recent().add("/nowhere/profile.pop");
        test::openProfiles(*window_, {runs_.front()});
        for (QAction* action : window_->findChildren<QAction*>())
            if (action->text() == "Candidates")
                action->trigger();
        settle();
        QVERIFY(panel().isVisible());
    }

    /// Opens the second run as a user does who is in its folder.
    void openRelative() {
        const QString before = QDir::currentPath();
        QDir::setCurrent(QFileInfo(runs_[1]).path());
        test::openProfiles(*window_, {QFileInfo(runs_[1]).fileName()});
        QDir::setCurrent(before);
        settle();
    }

private slots:
    void initTestCase() {
        test::prepareWindows();
        for (const int batch : {1, 2, 4, 8}) {
            Profile run = test::sampleProfile();
            run.info.batchSize = batch;
            run.info.options["batchSize"] = std::to_string(batch);
            run.info.throughput = 1000.0 * batch;
            run.info.fits = batch < 8;
            runs_ << files_.writeProfile(QStringLiteral("batch%1.pop").arg(batch).toLatin1(), run);
        }
    }
    void init() { window_ = test::shownWindow(); }

    void aRunIsListedOnceWhateverItsNameWas() {
        openPanel();
        const int all = panel().table().model().rowCount();
        openRelative();
        QCOMPARE(panel().table().model().rowCount(), all);
        QStringList names;
        for (int row = 0; row < all; ++row)
            names << cell(row, 0);
        QCOMPARE(names.count("source"), 1);
        QVERIFY(window_->context().reports.source()->file().is_absolute());
    }
    void cleanup() {
        window_->recent().clear();
        window_.reset();
    }

    void runsOfTheModelAreListed() {
        openPanel();
        const QAbstractItemModelTester tester(&panel().table().model());
        QCOMPARE(panel().table().model().rowCount(), 4); // no other model, no missing file
        QStringList names;
        QStringList changes;
        for (int row = 0; row < 4; ++row) {
            names << cell(row, 0);
            changes << cell(row, 1);
        }
        QVERIFY2(names.contains("source"), qPrintable(names.join('|')));
        QVERIFY2(!names.filter("4").isEmpty(), qPrintable(names.join('|')));
        QVERIFY2(!changes.filter("50.0 %").isEmpty(), qPrintable(changes.join('|')));
        // Live memory of all on one scale: the largest reaches the top.
        QString bars;
        for (int row = 0; row < 4; ++row)
            bars += cell(row, 5);
        QVERIFY2(bars.contains(QChar(0x2588)), qPrintable(bars));
        QCOMPARE(QString::fromStdString(sparkline({0, 4, 8}, 8)),
                 QString(QChar(0x2581)) + QChar(0x2585) + QChar(0x2588));
        QCOMPARE(columnsOf({1, 5, 2, 3, 9}, 2), (std::vector<std::int64_t>{5, 9}));
        QVERIFY(!panel().grab().isNull());
    }

    // A source that did not run has no time to be compared with: rates are shown.
    void aNarrowPanelHasRatesWhereTimesAreUnknown() {
        std::vector<Candidate> runs(2);
        runs[1].info.throughput = 2000;
        const auto keys = [&](const ProfileInfo& source) {
            QStringList list;
            for (const Column& column : candidateTable(runs, {}, source, Columns::Few).columns)
                list << QString::fromStdString(column.key);
            return list.join(' ');
        };
        QCOMPARE(keys(runs[0].info), "run samples fullestTile live");
        QCOMPARE(keys(runs[1].info), "run time fullestTile live");
    }

    void arrowKeysFlipThroughThem() {
        openPanel();
        QTableView& table = panel().table().view();
        table.setFocus();
        table.setCurrentIndex(panel().table().model().index(0, 0));
        QStringList seen;
        for (int i = 0; i < 3; ++i) {
            QTest::keyClick(&table, Qt::Key_Down);
            QElapsedTimer timer;
            timer.start();
            settle();
            seen << target();
            QVERIFY(table.hasFocus());
        }
        seen.removeAll(QString());
        seen.removeDuplicates();
        QVERIFY2(seen.size() >= 2, qPrintable(seen.join('|')));
        for (const QString& file : seen)
            QVERIFY(runs_.contains(file));
        // The row of the source shows it alone.
        for (int row = 0; row < 4; ++row)
            if (cell(row, 0) == "source")
                emit panel().table().chosen(panel().table().model().idAt(row));
        settle();
        QVERIFY(target().isEmpty());
    }

    void anyTwoArePinned() {
        openPanel();
        emit panel().table().chosen(panel().table().model().idAt(1));
        settle();
        const QString chosen = target().isEmpty() ? runs_.front() : target();
        if (target().isEmpty()) { // the second row is the source
            emit panel().table().chosen(panel().table().model().idAt(2));
            settle();
        }
        const QString pinned = target();
        QVERIFY(!pinned.isEmpty() && !chosen.isEmpty());
        panel().pin();
        settle();
        QCOMPARE(QString::fromStdString(window_->context().reports.source()->file().string()),
                 pinned);
        QCOMPARE(target(), runs_.front());
    }

    void theTargetIsKept() {
        openPanel();
        emit panel().table().chosen(panel().table().model().idAt(cell(0, 0) == "source" ? 1 : 0));
        settle();
        const QString kept = target();
        QVERIFY(!kept.isEmpty());
        panel().keepsTarget().setChecked(true);
        QStringList sources;
        for (int row = 0; row < 4; ++row) {
            emit panel().table().chosen(panel().table().model().idAt(row));
            settle();
            QCOMPARE(target(), kept);
            sources << QString::fromStdString(window_->context().reports.source()->file().string());
        }
        sources.removeDuplicates();
        QCOMPARE(sources.size(), 3); // all but the target
    }

    void aNarrowPanelHasFewerColumns() {
        window_->resize(1280, 720);
        openPanel();
        QVERIFY(panel().width() <= 400);
        QCOMPARE(panel().table().model().columnCount(), 4);
        QVERIFY(cell(0, 3).contains(QChar(0x2581)) || cell(0, 3).contains(QChar(0x2588)));
        // The last column is in sight, too.
        QTableView& view = panel().table().view();
        QVERIFY(view.columnViewportPosition(3) + view.columnWidth(3) <= view.viewport()->width());
        QVERIFY(view.columnWidth(0) >= 100);
    }

    void aSweepJoinsTheList() {
        openPanel();
        RunRequest run;
        run.model = "mlp";
        run.options = {{"batchSize", "2"}, {"tilesPerIpu", "64"}};
        SweepDialog dialog(test::programPath("tilescope"), run);
        dialog.values().setText("1,2");
        dialog.show();
        const QString command = dialog.arguments().join(' ');
        QVERIFY2(command.startsWith("sweep mlp"), qPrintable(command));
        QVERIFY2(command.contains("--vary batchSize=1,2"), qPrintable(command));
        QVERIFY2(!command.contains("--batch-size"), qPrintable(command)); // it is what varies
        QSignalSpy finished(&dialog, &SweepDialog::finished);
        QSignalSpy ended(&dialog, &SweepDialog::ended);
        dialog.start();
        QVERIFY(ended.wait(60'000));
        QCOMPARE(finished.count(), 1);
        const QStringList points = sweptProfiles(finished.first().first().toString());
        QCOMPARE(points.size(), 2);
        emit window_->dialogs().runsReady(points); // of another model: not shown for this one
        settle();
        QCOMPARE(panel().table().model().rowCount(), 4);
        test::openProfiles(*window_, {points.front()});
        settle();
        QCOMPARE(panel().table().model().rowCount(), 2);
    }

    void aWrongValueIsSaid() {
        RunRequest run;
        run.model = "mlp";
        SweepDialog dialog(test::programPath("tilescope"), run);
        dialog.values().setText("many");
        QSignalSpy ended(&dialog, &SweepDialog::ended);
        QSignalSpy finished(&dialog, &SweepDialog::finished);
        dialog.show();
        dialog.start();
        QVERIFY(ended.wait(60'000));
        QVERIFY(finished.isEmpty() && dialog.isVisible());
        QStringList said;
        for (const QLabel* label : dialog.findChildren<QLabel*>())
            if (label->isVisible())
                said << label->text();
        QVERIFY2(!said.filter("option batchSize").isEmpty(), qPrintable(said.join('|')));
        QVERIFY2(said.filter("error:").isEmpty(), qPrintable(said.join('|')));
    }

    void aNewRunJoinsTheList() {
        openPanel();
        Profile run = test::sampleProfile();
        run.info.options["batchSize"] = "16";
        const QString file = files_.writeProfile("batch16.pop", run);
        window_->recent().add(file);
        settle();
        QCOMPARE(panel().table().model().rowCount(), 5);
    }
};

TILESCOPE_TEST(CandidatesTest, QApplication)

} // namespace candidates_test

#include "candidates_test.moc"
