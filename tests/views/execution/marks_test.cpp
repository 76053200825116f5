// Marks of an execution: places, ranges, and the distances between them.
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTreeView>
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/trace_window.h"
#include "views/execution/marks_panel.h"

namespace marks_test {
using namespace tilescope;
using namespace tilescope::views;

class MarksTest : public test::TraceWindow {
    Q_OBJECT

    static constexpr double clockHz = 1e9;
    static constexpr double length = 1e6;
    QString profile_;

    std::unique_ptr<MarksModel> openMarks() {
        auto marks = std::make_unique<MarksModel>();
        new QAbstractItemModelTester(marks.get(), marks.get());
        problem_ = marks->open(profile_.toStdString(), clockHz, length);
        return marks;
    }
    void writeMarks(const QByteArray& json) {
        QFile file(MarksModel::marksFile(profile_.toStdString()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(json);
    }
    static QString text(const MarksModel& marks, int row, MarksModel::Column column) {
        return marks.index(row, column).data().toString();
    }
    QString problem_;

private slots:
    void initTestCase() { prepare(); }
    void init() {
        window_.reset();
        profile_ = files_.path(QStringLiteral("marked.pop"));
        QFile::remove(MarksModel::marksFile(profile_.toStdString()));
    }

    void marksSayHowFarTheyAreApart() {
        const auto marks = openMarks();
        QCOMPARE(marks->add(5000, "late"), 0);
        QCOMPARE(marks->add(1000, "early"), 0);
        QCOMPARE(text(*marks, 0, MarksModel::Since), QString());
        QVERIFY(text(*marks, 1, MarksModel::Since).startsWith("4,000 cycles (4"));
        QSignalSpy changed(marks.get(), &QAbstractItemModel::dataChanged);
        QCOMPARE(marks->add(3000, "between"), 1);
        QCOMPARE(changed.count(), 1); // of the mark after it
        QVERIFY(text(*marks, 2, MarksModel::Since).startsWith("2,000 cycles"));
        QVERIFY(marks->difference(2, 0).startsWith("'early' to 'late': 4,000 cycles (4"));
        QCOMPARE(marks->difference(1, 1), QString());
        QCOMPARE(marks->difference(0, 7), QString());
        marks->remove(0);
        QCOMPARE(text(*marks, 0, MarksModel::Since), QString());
    }

    void aRangeIsKept() {
        {
            const auto marks = openMarks();
            marks->add({2000, "slow", 500});
            marks->add(2000, "its begin");
            marks->add({2000, "twice", 500});
            QCOMPARE(marks->rowCount(), 2);
        }
        const auto marks = openMarks();
        QCOMPARE(problem_, QString());
        QCOMPARE(marks->rowCount(), 2);
        QVERIFY(!marks->marks()[0].isRange());
        QCOMPARE(marks->marks()[1].text, QString("slow"));
        QCOMPARE(marks->marks()[1].end(), 2500.0);
        QCOMPARE(text(*marks, 0, MarksModel::Length), QString());
        QVERIFY(text(*marks, 1, MarksModel::Length).startsWith("500 cycles"));
    }

    void oldFilesAndBadOnesAreRead() {
        writeMarks(R"({"marks":[{"cycle":10,"text":"old"},{"cycle":20,"length":-5},
            {"cycle":999999,"length":1e300},{"cycle":"x"},{"cycle":2e6},{"cycle":30,"length":"y"}]})");
        const auto marks = openMarks();
        QCOMPARE(marks->rowCount(), 4);
        QCOMPARE(marks->marks()[0].text, QString("old"));
        for (int row = 0; row < 3; ++row)
            QVERIFY(!marks->marks()[static_cast<std::size_t>(row)].isRange());
        QCOMPARE(marks->marks()[3].end(), length);
    }

    void theSelectedRangeIsMarkedWithAText() {
        newWindow();
        open({files_.write("a.pop")});
        window_->activateWindow();
        key(Qt::Key_Period);
        key(Qt::Key_R);
        const CycleRange range = trace_->selection().range().value();
        key(Qt::Key_M);
        QCOMPARE(trace_->marks().rowCount(), 1);
        QVERIFY(trace_->marks().marks()[0].isRange());
        QCOMPARE(trace_->marks().marks()[0].cycle, static_cast<double>(range.begin));
        QTreeView& list = trace_->tabs().marksPanel().list();
        QVERIFY(list.isVisible());
        auto* field = list.findChild<QLineEdit*>(); // the text is being edited
        QVERIFY(field);
        field->setText("waits for the host");
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(trace_->marks().marks()[0].text, QString("waits for the host"));
        QVERIFY(!trace_->plot().grab().isNull());
    }

    void twoSelectedMarksHaveADifference() {
        newWindow();
        open({files_.write("b.pop")});
        for (const double cycle : {100, 300, 600})
            trace_->marks().add(cycle, QString::number(cycle));
        trace_->findChild<QTabWidget*>()->setCurrentWidget(&trace_->tabs().marksPanel());
        MarksPanel& panel = trace_->tabs().marksPanel();
        QSignalSpy gone(&panel, &MarksPanel::goTo);
        const auto click = [&](int row, Qt::KeyboardModifiers modifiers) {
            const QRect place = panel.list().visualRect(trace_->marks().index(row, 0));
            QTest::mouseClick(panel.list().viewport(), Qt::LeftButton, modifiers, place.center());
        };
        click(0, {});
        QCOMPARE(gone.count(), 1);
        QVERIFY(!panel.difference().isVisible());
        click(2, Qt::ControlModifier);
        QCOMPARE(gone.count(), 1); // two are compared, not gone to
        QVERIFY(panel.difference().isVisible());
        QVERIFY(panel.difference().text().startsWith("'100' to '600': 500 cycles"));
        QTest::keyClick(&panel.list(), Qt::Key_Delete);
        QCOMPARE(trace_->marks().rowCount(), 1);
        QCOMPARE(trace_->marks().marks()[0].cycle, 300.0);
        QVERIFY(!panel.difference().isVisible());
    }

    void marksAreKeptBesideTheProfile() {
        newWindow();
        const QString file = files_.write("marked.pop");
        open({file});
        const QAbstractItemModelTester tester(
            &trace_->marks(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        key(Qt::Key_Period);
        key(Qt::Key_M);
        QCOMPARE(trace_->marks().rowCount(), 1);
        key(Qt::Key_M); // the same place
        QCOMPARE(trace_->marks().rowCount(), 1);
        const double cycle = trace_->marks().marks()[0].cycle;
        trace_->marks().setData(trace_->marks().index(0, views::MarksModel::Text), "slow here",
                                Qt::EditRole);
        trace_->marks().add(7, "early");
        newWindow();
        open({file});
        QCOMPARE(trace_->marks().rowCount(), 2);
        QCOMPARE(trace_->marks().marks()[1].cycle, cycle);
        QCOMPARE(trace_->marks().marks()[1].text, QStringLiteral("slow here"));
        trace_->marks().remove(0);
        views::MarksModel again;
        QCOMPARE(again.open(file.toStdString(), 1e9, 1e18), QString());
        QCOMPARE(again.rowCount(), 1);
        QCOMPARE(again.open(file.toStdString(), 1e9, cycle - 1), QString());
        QCOMPARE(again.rowCount(), 0); // after the end of this execution
    }

    void bracketsGoFromMarkToMark() {
        newWindow();
        open({files_.write("brackets.pop")});
        const double length = zoom().last();
        for (const double share : {0.3, 0.5, 0.7})
            trace_->marks().add(std::floor(length * share), {});
        zoom().setRange(length * 0.39, length * 0.41);
        const auto middle = [&] { return (zoom().from() + zoom().to()) / 2; };
        key(Qt::Key_BracketRight);
        QVERIFY(std::abs(middle() - length * 0.5) < 2);
        key(Qt::Key_BracketRight);
        QVERIFY(std::abs(middle() - length * 0.7) < 2);
        key(Qt::Key_BracketLeft);
        key(Qt::Key_BracketLeft);
        QVERIFY(std::abs(middle() - length * 0.3) < 2);
    }

    void damagedMarksAreExplained() {
        const QString file = files_.path("bad.pop");
        files_.writeBytes("bad.pop.marks.json", "{ no json");
        views::MarksModel marks;
        QVERIFY(marks.open(file.toStdString(), 1e9, 100).contains("bad.pop.marks.json"));
        QSignalSpy saved(&marks, &views::MarksModel::saved);
        views::MarksPanel panel(marks);
        marks.open("/nowhere/profile.pop", 1e9, 100);
        marks.add(5, "x");
        QVERIFY(saved[0][0].toString().contains("/nowhere/profile.pop.marks.json"));
        // It stays in sight until marks are saved.
        QVERIFY(panel.problem().isVisibleTo(&panel));
        QCOMPARE(panel.problem().text(), saved[0][0].toString());
        QFile::remove(files_.path("bad.pop.marks.json"));
        QCOMPARE(marks.open(file.toStdString(), 1e9, 100), QString());
        marks.add(5, "x");
        QVERIFY(!panel.problem().isVisibleTo(&panel));
    }
};

TILESCOPE_TEST(MarksTest, QApplication)

} // namespace marks_test

#include "marks_test.moc"
