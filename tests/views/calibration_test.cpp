// The page of Compare for a simulated and a measured profile.
#include <QHeaderView>
#include <QTabWidget>
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/compare/compare_pages.h"
#include "views/compare/compare_view.h"

namespace calibration_test {
using namespace tilescope;
using namespace tilescope::views;

class CalibrationTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<gui::MainWindow> window_;

    QString measured() const {
        Profile profile = test::sampleProfile();
        profile.info.origin = {OriginKind::Measured, "Poplar", "3.3.0", {}};
        for (TraceBody& body : profile.trace.bodies)
            for (TraceStep& step : body.steps)
                for (StepOnIpu& on : step.ipus)
                    if (step.kind == ProgramKind::OnTileExecute && on.cycles > 2)
                        --on.cycles;
        return files_.writeProfile(QStringLiteral("measured.pop"), profile);
    }
    CompareView& open(const QStringList& files) const {
        return test::openView<CompareView>(*window_, files, gui::Report::Compare);
    }

private slots:
    void initTestCase() {
        test::prepareWindows();
        window_ = test::shownWindow();
    }

    void isOfASimulatedAndAMeasuredProfile_data() {
        QTest::addColumn<bool>("measuredFirst");
        QTest::addRow("measured first") << true;
        QTest::addRow("simulated first") << false;
    }
    void isOfASimulatedAndAMeasuredProfile() {
        QFETCH(const bool, measuredFirst);
        const QString simulated = files_.write(QStringLiteral("simulated.pop"));
        CompareView& view = open(measuredFirst ? QStringList{measured(), simulated}
                                               : QStringList{simulated, measured()});
        QVERIFY(view.groups().isTabVisible(calibrationGroup));
        view.showPage(CompareView::Page::Calibration);
        test::waitUntilIdle(*window_);
        CalibrationPage& page = view.calibration();
        QVERIFY(page.matched().text().contains(QLatin1String("100")));
        QVERIFY(page.kinds().model().rowCount() > 2);
        TablePanel& steps = *view.table(CompareView::Page::Calibration);
        QVERIFY(steps.model().rowCount() > 2);
        // A click on a mark selects its program, of the source.
        StepScatter& scatter = page.scatter();
        QVERIFY(!scatter.marks().empty());
        const StepScatter::Mark mark = scatter.marks().front();
        QTest::mouseClick(&scatter, Qt::LeftButton, {}, scatter.placeOf(mark).toPoint());
        const ProgramId chosen = window_->context().selection.current().program;
        QVERIFY(chosen.valid());
        const auto programs = window_->context().reports.source()->programs();
        QVERIFY((*programs)[chosen].kind != ProgramKind::Sync);
        QCOMPARE(steps.chosenIds(), std::vector{chosen.value()});
    }

    void allColumnsAreInSightInASmallWindow() {
        window_->resize(1280, 720);
        CompareView& view = open({files_.write(QStringLiteral("simulated.pop")), measured()});
        view.showPage(CompareView::Page::Calibration);
        test::waitUntilIdle(*window_);
        for (CompactTable* table : view.calibration().findChildren<CompactTable*>()) {
            const QHeaderView& header = *table->view().horizontalHeader();
            for (int column = 0; column < header.count(); ++column) {
                QVERIFY(!header.isSectionHidden(column));
                const QString title =
                    table->model().headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
                QVERIFY2(header.sectionSize(column) >=
                             header.fontMetrics().horizontalAdvance(title),
                         qPrintable(title));
            }
            QVERIFY(header.length() <= table->view().viewport()->width());
        }
    }

    void isHiddenForTwoSimulatedOnes() {
        CompareView& view = open({files_.write(QStringLiteral("a.pop")),
                                  files_.write(QStringLiteral("b.pop"), {.changed = true})});
        QVERIFY(!view.groups().isTabVisible(calibrationGroup));
    }
};

TILESCOPE_TEST(CalibrationTest, QApplication)

} // namespace calibration_test

#include "calibration_test.moc"
