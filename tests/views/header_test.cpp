// The line above the reports, the list of recent profiles, and the file dialog's columns.
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QTreeView>
#include <QtTest>

#include "app/gui/file_dialog_columns.h"
#include "app/gui/window/header_strip.h"
#include "app/gui/window/home_screen.h"
#include "app/gui/window/recent_row.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/compare/compare_content.h"
#include "views/session/profile_texts.h"

namespace header_test {
using namespace tilescope;
using namespace tilescope::gui;

class HeaderTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    QTemporaryDir settings_;
    std::unique_ptr<MainWindow> window_;

    HeaderStrip& strip() { return test::child<HeaderStrip>(*window_); }
    QString said() { return strip().accessibleDescription(); }
    QStringList visibleTexts() {
        QStringList texts;
        for (const QLabel* label : strip().findChildren<QLabel*>())
            if (label->isVisible())
                texts << label->text();
        return texts;
    }
    QListWidget& recent() { return test::child<HomeScreen>(*window_).profiles(); }
    static QString role(const QListWidgetItem& item, RecentRow::Role role) {
        return item.data(role).toString();
    }

private slots:
    void initTestCase() {
        test::prepareWindows();
        QCoreApplication::setOrganizationName(QStringLiteral("TileScopeTest"));
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings_.path());
    }
    void init() {
        QSettings().clear();
        window_ = test::shownWindow({1280, 720}, Memory::Persistent);
    }
    void cleanup() { window_.reset(); }

    void theStripSaysWhatIsOpen() {
        Profile p = test::sampleProfile();
        p.info.batchSize = 1234;
        p.info.options["batchSize"] = "1234";
        test::openProfiles(*window_, {files_.writeProfile("a.pop", p)});
        QVERIFY2(said().startsWith("sample; "), qPrintable(said()));
        QVERIFY2(said().contains("batch 1,234"), qPrintable(said()));
        QVERIFY2(said().contains("1 IPU \u00d7 1,472 tiles"), qPrintable(said()));
        QVERIFY2(said().contains("\u2714 fits, fullest tile 33.7 %"), qPrintable(said()));
        QVERIFY2(said().contains(" a run"), qPrintable(said()));
        QVERIFY2(said().contains(" samples/s"), qPrintable(said()));
        QVERIFY(strip().findChild<QPushButton*>() == nullptr);
        QVERIFY2(visibleTexts().join('|').contains("|batch 1,234"),
                 qPrintable(visibleTexts().join('|')));
    }

    void whatDoesNotFitSaysByHowMuch() {
        test::openProfiles(*window_, {files_.write("large.pop", {.tooLarge = true})});
        QVERIFY2(said().contains("\u2718 ") && said().contains(" over on a tile"),
                 qPrintable(said()));
        QVERIFY(said().contains("not executed"));
    }

    void twoProfilesSayWhatDiffers() {
        Profile a = test::sampleProfile();
        Profile b = a;
        b.info.batchSize = 2 * a.info.batchSize;
        b.info.options["availableMemoryProportion"] = "0.2";
        b.info.throughput = a.info.throughput * 2;
        test::openProfiles(*window_,
                           {files_.writeProfile("a.pop", a), files_.writeProfile("b.pop", b)});
        auto& differences = test::child<QPushButton>(strip());
        QVERIFY2(differences.text().startsWith("batch 1 \u2192 2"), qPrintable(differences.text()));
        QVERIFY2(differences.toolTip().contains("\navailableMemoryProportion ") &&
                     differences.toolTip().contains(" \u2192 0.2\n"),
                 qPrintable(differences.toolTip()));
        QVERIFY2(said().contains("a sample (\u221250.0\u00a0%)"), qPrintable(said()));
        const QList<QLabel*> labels = strip().findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->toolTip().startsWith("Time of a sample, with the host's call");
        }));
        // By mouse and by keyboard to the comparison.
        window_->showReport(Report::Memory);
        QTest::mouseClick(&differences, Qt::LeftButton);
        QVERIFY(window_->currentReport() == Report::Compare);
        window_->showReport(Report::Memory);
        differences.setFocus();
        QTest::keyClick(&differences, Qt::Key_Space);
        QVERIFY(window_->currentReport() == Report::Compare);
        window_->context().reports.closeTarget();
        test::waitUntilIdle(*window_);
        QVERIFY2(said().contains("; batch 1") && !said().contains(" a sample"), qPrintable(said()));
    }

    // What was measured elsewhere was executed, even if it does not say its samples.
    void withoutSamplesRunsAreCompared() {
        const Profile simulated = test::sampleProfile();
        Profile measured = simulated;
        measured.info.throughput = 0;
        test::openProfiles(*window_, {files_.writeProfile("measured.pop", measured),
                                      files_.writeProfile("simulated.pop", simulated)});
        QVERIFY2(said().contains(" a run") && !said().contains(QChar(0x2013)), qPrintable(said()));
        const auto comparison = compareProfiles(window_->context().reports.profiles());
        const views::VerdictFigure time = views::comparisonVerdict(comparison, ByteUnits::Si).at(1);
        QCOMPARE(time.title, QString("Time of a run"));
        QCOMPARE(time.source, time.target);
        QVERIFY2(!time.detail.contains("not executed"), qPrintable(time.detail));
    }

    // Nothing overlaps, and the strip does not need a wider window.
    void narrowWindowsLeaveOutWhatComesLast() {
        Profile p = test::sampleProfile();
        p.info.model = std::string(300, 'm');
        test::openProfiles(*window_, {files_.writeProfile("long.pop", p)});
        for (const int width : {2560, 1280, 800, 720}) {
            window_->resize(width, 600);
            QCOMPARE(window_->width(), width);
            QTest::qWait(1);
            int right = 0;
            for (QLabel* label : strip().findChildren<QLabel*>()) {
                if (!label->isVisible())
                    continue;
                QVERIFY(label->x() >= right);
                right = label->geometry().right();
            }
            QVERIFY(right > 0 && right <= strip().width());
        }
        QVERIFY(visibleTexts().first().contains(QChar(0x2026)));
    }

    void recentProfilesSayWhatTheyAre() {
        const QString good = files_.write("good.pop");
        const QString large = files_.write("large.pop", {.tooLarge = true});
        const QString broken = files_.writeBytes("broken.pop", "no profile");
        for (const QString& file : {good, large, broken, files_.path("gone.pop")})
            window_->recent().add(file);
        QTRY_COMPARE(role(*recent().item(3), RecentRow::TitleRole), "sample");
        QCOMPARE(role(*recent().item(0), RecentRow::DetailsRole), "(missing)");
        QCOMPARE(role(*recent().item(1), RecentRow::DetailsRole), "cannot be read");
        QCOMPARE(role(*recent().item(2), RecentRow::VerdictRole), "\u2718 does not fit");
        QCOMPARE(role(*recent().item(3), RecentRow::VerdictRole), "\u2714 fits");
        const QString details = role(*recent().item(3), RecentRow::DetailsRole);
        QVERIFY2(details.startsWith("batch 1") && details.contains(", mk2, 1 IPU"),
                 qPrintable(details));
        QCOMPARE(role(*recent().item(3), RecentRow::PlaceRole), good);
        // Rows are drawn within their room.
        QVERIFY(!recent().grab().isNull());
        // By keyboard, in the visible order.
        window_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window_.get()));
        test::button<QPushButton>(test::child<HomeScreen>(*window_), "Open a profile").setFocus();
        for (int tab = 0; tab < 8 && !recent().hasFocus(); ++tab)
            QTest::keyClick(window_->focusWidget(), Qt::Key_Tab);
        QVERIFY(recent().hasFocus());
        recent().setCurrentRow(2);
        QTest::keyClick(&recent(), Qt::Key_Down);
        QTest::keyClick(&recent(), Qt::Key_Return);
        QTRY_COMPARE(window_->session().files(), QStringList{good});
        test::waitUntilIdle(*window_);
    }

    void recentComparisonsSayWhatDiffers() {
        Profile a = test::sampleProfile();
        Profile b = a;
        b.info.batchSize = 8;
        window_->recent().add(files_.writeProfile("a.pop", a), files_.writeProfile("b.pop", b));
        QListWidget& list = test::child<HomeScreen>(*window_).comparisons();
        QTRY_COMPARE(role(*list.item(0), RecentRow::TitleRole), "sample");
        QCOMPARE(role(*list.item(0), RecentRow::DetailsRole), "batch 1 \u2192 8");
        // Another model is mentioned once, by its name.
        b.info.model = "other";
        window_->recent().add(files_.path("a.pop"), files_.writeProfile("c.pop", b));
        QTRY_COMPARE(role(*list.item(0), RecentRow::TitleRole), "sample \u2192 other");
        QCOMPARE(role(*list.item(0), RecentRow::DetailsRole), "batch 1 \u2192 8");
    }

    void namesTellTwoFilesApart_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("names");
        QTest::newRow("folders") << "/runs/a/profile.pop"
                                 << "/runs/b/profile.pop"
                                 << "a b";
        QTest::newRow("files of a folder") << "/runs/a.pop"
                                           << "/runs/b.pop"
                                           << "a.pop b.pop";
        QTest::newRow("of a script, before and after") << "/net/before/training/profile.pop"
                                                       << "/net/after/training/profile.pop"
                                                       << "before after";
        QTest::newRow("one in the other's folder") << "/training/profile.pop"
                                                   << "/training/training/profile.pop"
                                                   << "training training";
        QTest::newRow("without folders") << "a.pop"
                                         << "runs/a.pop"
                                         << " runs";
        QTest::newRow("the same file") << "/runs/a/profile.pop"
                                       << "/runs/a/profile.pop"
                                       << "profile.pop profile.pop";
        QTest::newRow("none") << ""
                              << ""
                              << " ";
    }
    void namesTellTwoFilesApart() {
        QFETCH(QString, source);
        QFETCH(QString, target);
        const auto [one, other] = views::shortNames(source.toStdString(), target.toStdString());
        QTEST(one + ' ' + other, "names");
    }

    void ages() {
        const QDateTime now = QDateTime::fromString("2026-03-10T12:00:00Z", Qt::ISODate);
        QCOMPARE(views::ageText(now.addSecs(-20), now), "just now");
        QCOMPARE(views::ageText(now.addSecs(-59 * 60), now), "59 min ago");
        QCOMPARE(views::ageText(now.addSecs(-3 * 3600), now), "3 h ago");
        QCOMPARE(views::ageText(now.addDays(-1), now), "1 day ago");
        QCOMPARE(views::ageText(now.addDays(-13), now), "13 days ago");
        QCOMPARE(views::ageText(now.addDays(-60), now), "2026-01-09");
        QVERIFY(views::ageText({}, now).isEmpty());
    }

    void sharesOfChanges() {
        QCOMPARE(views::relativeText(100, 112.5), QString("+12.5\u00a0%"));
        QCOMPARE(views::relativeText(100, 97), QString("\u22123.0\u00a0%"));
        QCOMPARE(views::relativeText(1, 20), QString("\u00d7\u00a020"));
        QVERIFY(views::relativeText(0, 20).isEmpty());
        QVERIFY(views::relativeText(7, 7).isEmpty());
    }

    void theFileDialogGivesNamesTheRoom() {
        FileDialogColumns columns;
        qApp->installEventFilter(&columns);
        QFileDialog dialog(window_.get(), "Open", files_.path("."));
        dialog.setOption(QFileDialog::DontUseNativeDialog);
        dialog.setViewMode(QFileDialog::Detail);
        dialog.show();
        const QHeaderView& header = *test::child<QTreeView>(dialog).header();
        QVERIFY(header.count() > 1);
        QVERIFY(header.sectionResizeMode(0) == QHeaderView::Stretch);
        QTRY_VERIFY(header.length() <= header.width());
        for (int column = 1; column < header.count(); ++column)
            QVERIFY(header.sectionSize(column) >= header.sectionSizeHint(column));
    }
};

TILESCOPE_TEST(HeaderTest, QApplication)

} // namespace header_test

#include "header_test.moc"
