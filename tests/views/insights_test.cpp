// The largest parts among the insights: of the model, an IPU or a tile, and the way to their
// report.
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSpinBox>
#include <QTableView>
#include <QtTest>
#include <set>

#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"
#include "tests/views/shown_window.h"
#include "views/insights/card_columns.h"
#include "views/insights/insights_view.h"
#include "views/insights/largest_panel.h"
#include "views/insights/meter.h"
#include "views/tables/table_panel.h"
#include "views/theme/style.h"
#include "views/widgets/report_view.h"

namespace insights_test {
using namespace tilescope;
using namespace tilescope::gui;
using views::InsightsView;
using views::LargestPanel;

class InsightsTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    std::unique_ptr<MainWindow> window_;

    LargestPanel& open(const QStringList& files) {
        window_ = test::shownWindow({1280, 720});
        test::openProfiles(*window_, files);
        window_->showReport(Report::Insights);
        test::waitUntilIdle(*window_);
        return static_cast<InsightsView&>(window_->view(Report::Insights)).largest();
    }
    static QComboBox& choice(LargestPanel& panel, const QString& name) {
        for (QComboBox* box : panel.findChildren<QComboBox*>())
            if (box->accessibleName() == name)
                return *box;
        qFatal("no choice %s", qPrintable(name));
    }
    static QString top(LargestPanel& panel, int column = 0) {
        const views::TableModel& model = panel.table().model();
        return model.index(1, column).data().toString(); // below the totals
    }

private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName("tilescope-tests");
        QCoreApplication::setApplicationName("insights");
        QApplication::setStyle(new views::WindowStyle);
    }
    void init() { QSettings().clear(); }

    void aWideWindowHasTwoColumns() {
        LargestPanel& largest = open({files_.write("a.pop")});
        auto& view = static_cast<InsightsView&>(window_->view(Report::Insights));
        const auto* columns = view.findChild<views::CardColumns*>();
        const auto leftOf = [&](const QWidget* part) { return part->mapTo(&view, QPoint()).x(); };
        const auto parts = columns->parts();
        QVERIFY(parts.size() >= 2);
        QVERIFY(!columns->hasTwo());
        QCOMPARE(leftOf(parts.front()), leftOf(parts.back()));
        window_->resize(1920, 1080);
        QTRY_VERIFY(columns->hasTwo());
        QTRY_VERIFY(leftOf(parts.back()) >= leftOf(parts.front()) + parts.front()->width());
        QCOMPARE(leftOf(&largest), leftOf(parts.front())); // below the losses
        window_->resize(1280, 720);
        QTRY_COMPARE(leftOf(parts.front()), leftOf(parts.back()));
    }

    void cleanup() { window_.reset(); }
    void cleanupTestCase() { QSettings().clear(); }

    void theModelComesFirst() {
        LargestPanel& panel = open({files_.write("a.pop")});
        QCOMPARE(top(panel), QStringLiteral("layer1/conv/partials"));
        QCOMPARE(top(panel, 1), QStringLiteral("23.0 MiB"));
        QVERIFY(!panel.findChild<QSpinBox*>()->isVisible());
    }

    void keysChooseKindAndTile() {
        LargestPanel& panel = open({files_.write("a.pop")});
        QComboBox& on = choice(panel, "On");
        on.setFocus();
        QTest::keyClick(&on, Qt::Key_End);
        test::waitUntilIdle(*window_);
        auto& number = *panel.findChild<QSpinBox*>();
        QVERIFY(number.isVisible());
        QCOMPARE(top(panel), QStringLiteral("layer1/conv/partials"));
        QCOMPARE(top(panel, 1), QStringLiteral("16.0 KiB"));
        QComboBox& kind = choice(panel, "Kind");
        kind.setFocus();
        QTest::keyClick(&kind, Qt::Key_Down);
        test::waitUntilIdle(*window_);
        const QString always = top(panel, 1);
        number.setFocus();
        number.selectAll();
        QTest::keyClicks(&number, "1471");
        QTest::keyClick(&number, Qt::Key_Return);
        test::waitUntilIdle(*window_);
        QVERIFY(top(panel, 1) != always); // the last tile holds no weights
    }

    void adviceNamesOptionsAndValues() {
        open({files_.write("large.pop", {.tooLarge = true})});
        QStringList advice;
        for (const QLabel* label : window_->view(Report::Insights).findChildren<QLabel*>())
            if (label->objectName() == "advice")
                advice << test::labelText(*label);
        QVERIFY(!advice.isEmpty());
        QVERIFY2(advice[0].startsWith("A lower --available-memory-proportion ("),
                 qPrintable(advice[0]));
    }

    // Bars of cards can be compared, whatever the texts of the buttons below them.
    void barsOfCardsAreEquallyLong() {
        open({files_.write("a.pop", {.withCopy = true})});
        std::set<int> widths;
        int cards = 0;
        for (QWidget* bar : window_->view(Report::Insights).findChildren<QWidget*>())
            if (dynamic_cast<views::Meter*>(bar) != nullptr && bar->isVisible() &&
                bar->parentWidget()->objectName() == "panel") {
                widths.insert(bar->width());
                ++cards;
            }
        QVERIFY(cards >= 3);
        QCOMPARE(widths.size(), std::size_t(1));
    }

    // A proportion is a number as well, though it is written as it was given.
    void numbersStandBelowEachOther() {
        open({files_.write("a.pop")});
        for (const QLabel* label : window_->view(Report::Insights).findChildren<QLabel*>())
            if (label->text() == "0.6") {
                QVERIFY(label->alignment().testFlag(Qt::AlignRight));
                return;
            }
        QFAIL("no card has the proportion of conv1");
    }

    // As the plot of values writes them; the command line has "2^-14".
    void powersAreWrittenAsInPlots() {
        open({files_.write("a.pop", {.withValues = true})});
        bool raised = false;
        for (const QLabel* label : window_->view(Report::Insights).findChildren<QLabel*>()) {
            QVERIFY2(!label->text().contains("2^"), qPrintable(label->text()));
            raised = raised || label->text().contains(QStringLiteral("2\u207b\u00b9\u2074"));
        }
        QVERIFY(raised);
    }

    void aRowLeadsToItsReport() {
        LargestPanel& panel = open({files_.write("a.pop")});
        QTableView& table = panel.table().view();
        table.setFocus();
        table.setCurrentIndex(panel.table().model().index(1, 0));
        QTest::keyClick(&table, Qt::Key_Return);
        test::waitUntilIdle(*window_);
        QCOMPARE(window_->currentReport(), Report::Liveness);
        QVERIFY(window_->context().selection.current().step.valid());
        QVERIFY(window_->context().selection.current().variable.valid());
    }

    // Two runs of one model are distinguished by their folders, and the second is easy to find.
    void theTargetIsFound() {
        for (const char* folder : {"before", "after"})
            QDir().mkpath(files_.path(folder));
        open({files_.write("before/profile.pop"), files_.write("after/profile.pop")});
        QWidget& view = window_->view(Report::Insights);
        QLabel* target = nullptr;
        for (QLabel* label : view.findChildren<QLabel*>())
            if (label->text() == "Target: sample on mk2 (after)")
                target = label;
        QVERIFY(target != nullptr);
        QVERIFY(target->visibleRegion().isEmpty());
        // Its cards have no links, as selections are the source's: a hint says what to do.
        const QList<QLabel*> beside = target->parentWidget()->findChildren<QLabel*>();
        QVERIFY(std::any_of(beside.begin(), beside.end(), [](const QLabel* label) {
            return label->text().contains("swap source and target");
        }));
        for (QPushButton* button : view.findChildren<QPushButton*>())
            if (button->text() == "Go to the target")
                button->click();
        QTRY_VERIFY(!target->visibleRegion().isEmpty());
    }

    void twoProfilesStandSideBySide() {
        LargestPanel& panel =
            open({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        QCOMPARE(panel.table().model().columnCount(), 4);
    }

    void whatATileHasNotGotIsRed() {
        const auto red = [this](const QString& file) {
            open({file});
            QStringList texts;
            for (const QLabel* label : window_->view(Report::Insights).findChildren<QLabel*>())
                if (label->objectName() == "error" && label->text().endsWith("iB"))
                    texts << label->text();
            return texts;
        };
        QCOMPARE(red(files_.write("fits.pop")), QStringList());
        // The rows missing in the list of losses, and the tile's bytes on the card.
        QVERIFY(red(files_.write("large.pop", {.tooLarge = true})).size() >= 2);
    }
};

TILESCOPE_TEST(InsightsTest, QApplication)

} // namespace insights_test

#include "insights_test.moc"
