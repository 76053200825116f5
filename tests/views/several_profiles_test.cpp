// Three and more profiles as a table.
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest>

#include "app/gui/profiles/profiles_page.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"

namespace several_profiles_test {
using namespace tilescope;
using namespace tilescope::gui;

class SeveralProfilesTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;
    QStringList runs_;

    ProfilesPage& page() { return *window_->several(); }
    QString cell(int row, int column) {
        const views::TableModel& model = page().table().model();
        return model.data(model.index(row, column), Qt::DisplayRole).toString();
    }
    void settle() { test::waitUntilIdle(*window_); }
    QStringList opened() {
        QStringList names;
        const ProfilePair& open = window_->context().reports.profiles();
        for (const ProfileViewPtr& profile : {open.source, open.target})
            if (profile)
                names << QString::fromStdString(profile->file().filename().string());
        return names;
    }

private slots:
    void initTestCase() {
        test::prepareWindows();
        for (const int batch : {1, 2, 4}) {
            Profile run = test::sampleProfile();
            run.info.batchSize = batch;
            run.info.throughput = 1000.0 * batch;
            runs_ << files_.writeProfile(QStringLiteral("batch%1.pop").arg(batch), run);
        }
    }
    void init() {
        window_ = test::shownWindow();
        window_->openProfiles(runs_ + QStringList{files_.path("missing.pop")});
        settle();
    }
    void cleanup() { window_.reset(); }

    void eachHasARow() {
        QVERIFY(window_->severalInFront());
        QCOMPARE(page().table().model().rowCount(), 3);
        QCOMPARE(cell(0, 1), "source");
        QCOMPARE(cell(1, 1), "target");
        QVERIFY2(cell(1, 0).contains("batch"), qPrintable(cell(1, 0)));
        QCOMPARE(cell(2, 2).section('/', -1), "batch4.pop");
        // Throughput, memory by tile and live memory as bars.
        QCOMPARE(cell(2, 4), QString(10, QChar(0x2588)));
        QCOMPARE(cell(0, 4), QString(2, QChar(0x2588)) + QChar(0x258c));
        QVERIFY(cell(0, 7).contains(QChar(0x2588)) && cell(0, 8).size() > 1);
        // What cannot be read is said.
        bool said = false;
        for (const QLabel* label : page().findChildren<QLabel*>())
            said = said || (label->isVisible() && label->text().contains("missing.pop"));
        QVERIFY(said);
        QVERIFY(!page().grab().isNull());
    }

    void anyTwoAreCompared() {
        QTableView& table = page().table().view();
        table.setFocus();
        page().table().selectId(2);
        QTest::keyClick(&table, Qt::Key_S);
        QCOMPARE(cell(2, 1), "source");
        page().table().selectId(0);
        QTest::keyClick(&table, Qt::Key_T);
        QCOMPARE(cell(0, 1), "target");
        QCOMPARE(cell(1, 1), "");
        // Source and target change places rather than be one.
        page().setSource(0);
        QCOMPARE(cell(2, 1), "target");
        page().setTarget(0);
        page().compare();
        settle();
        QCOMPARE(opened(), (QStringList{"batch4.pop", "batch1.pop"}));
        QCOMPARE(window_->currentReport(), Report::Compare);
        // Closed, the table is there again; closed once more, nothing is open.
        window_->closeInFront();
        settle();
        QVERIFY(window_->severalInFront());
        window_->reload();
        settle();
        QCOMPARE(page().table().model().rowCount(), 3);
        window_->closeInFront();
        settle();
        QVERIFY(window_->several() == nullptr && opened().isEmpty());
    }
};

TILESCOPE_TEST(SeveralProfilesTest, QApplication)

} // namespace several_profiles_test

#include "several_profiles_test.moc"
