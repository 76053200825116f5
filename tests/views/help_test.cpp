// The help: a page for each report, a search, and links and keys that are right.
#include <QAction>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QTextBrowser>
#include <QtTest>

#include "app/gui/help/help_pages.h"
#include "app/gui/window/help_window.h"
#include "app/gui/window/main_window.h"
#include "tests/support/test_main.h"
#include "tests/support/window_steps.h"
#include "tests/views/sample_files.h"

namespace help_test {
using namespace tilescope;
using namespace tilescope::gui;

class HelpTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;

    static void show(MainWindow& window) {
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
    }
    static QString currentPage(const HelpWindow& help) {
        const QListWidgetItem* item = test::child<QListWidget>(help).currentItem();
        return item == nullptr ? QString() : item->data(Qt::UserRole).toString();
    }

private slots:
    void initTestCase() { test::prepareWindows(); }

    void helpIsThatOfTheReportInFront() {
        MainWindow window(Memory::None);
        show(window);
        window.openProfiles({files_.write("a.pop")});
        QTRY_VERIFY(window.context().reports.source());
        test::waitUntilIdle(window);
        for (const Report report : reports) {
            show(window);
            window.showReport(report);
            test::waitUntilIdle(window);
            QTest::keyClick(&window, Qt::Key_F1);
            auto* help = window.findChild<HelpWindow*>();
            QVERIFY(help && help->isVisible());
            QCOMPARE(currentPage(*help), reportName(report));
            QVERIFY(helpMarkdown(reportName(report)).startsWith("# " + reportTitle(report) + "\n"));
            QVERIFY(helpMarkdown(reportName(report)).size() < 2000); // short
        }
        window.findChild<HelpWindow*>()->hide();
        show(window);
        QTest::keyClick(&window, Qt::Key_Question);
        QVERIFY(window.findChild<HelpWindow*>()->isVisible());
    }

    void helpIsSearched() {
        HelpWindow help;
        help.show();
        auto* search = help.findChild<QLineEdit*>();
        auto* text = help.findChild<QTextBrowser*>();
        QTest::keyClicks(search, "strided copy");
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(currentPage(help), "glossary");
        QCOMPARE(text->textCursor().selectedText(), "strided copy");
        search->clear();
        QTest::keyClicks(search, "profile");
        QSet<QString> pages;
        for (int i = 0; i < 60; ++i) {
            QTest::keyClick(search, Qt::Key_Return);
            QCOMPARE(text->textCursor().selectedText().toLower(), "profile");
            pages << currentPage(help);
        }
        QVERIFY(pages.size() > 3);
        search->clear();
        QTest::keyClicks(search, "xyzzy");
        const QString before = currentPage(help);
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(currentPage(help), before);
    }

    void linksOfTheHelpLeadToPages() {
        static const QRegularExpression link(R"((!?)\[[^\]]*\]\(([^)]+)\))");
        int links = 0;
        int pictures = 0;
        for (const QString& page : HelpWindow::pages()) {
            auto matches = link.globalMatch(helpMarkdown(page));
            while (matches.hasNext()) {
                const QRegularExpressionMatch match = matches.next();
                const QString to = match.captured(2);
                const bool isPicture = !match.captured(1).isEmpty();
                const bool leads = isPicture
                                       ? QFile::exists(":/pictures/" + QUrl(to).fileName())
                                       : HelpWindow::pages().contains(linkedHelpPage(page, to));
                QVERIFY2(leads, qPrintable(page + " -> " + to));
                ++(isPicture ? pictures : links);
            }
        }
        QVERIFY(links > 40);
        QVERIFY(pictures > 10);
    }

    void theManualComesAfterTheHelp() {
        HelpWindow help;
        help.show();
        QTest::qWait(0);
        help.showPage("manual/out_of_memory");
        QCOMPARE(currentPage(help), "manual/out_of_memory");
        auto* text = help.findChild<QTextBrowser*>();
        QVERIFY(!text->toPlainText().contains("exit 1"));
        // Pictures are as wide as there is room.
        QCOMPARE(text->horizontalScrollBar()->maximum(), 0);
        help.resize(help.width() - 200, help.height());
        QCoreApplication::processEvents();
        QCOMPARE(text->horizontalScrollBar()->maximum(), 0);
        // A link of a page, and the heading that is no page.
        emit text->anchorClicked(QUrl("../help/glossary.md"));
        QCOMPARE(currentPage(help), "glossary");
        QTest::keyClick(&test::child<QListWidget>(help), Qt::Key_Down);
        QCOMPARE(currentPage(help), "manual/index");
        // Its files are pages, each once.
        QStringList files = QDir(":/manual").entryList({"*.md"}, QDir::Files);
        QStringList listed = HelpWindow::pages().filter("manual/");
        for (QString& page : listed)
            page = page.section('/', 1) + ".md";
        files.sort();
        listed.sort();
        QCOMPARE(listed, files);
    }

    // The page of keys says what the menus have.
    void helpNamesTheKeysOfTheMenus() {
        const MainWindow window(Memory::None);
        const QString keys = helpMarkdown("keys");
        for (const QString shortcut :
             {"Ctrl+P", "Ctrl+Shift+R", "Ctrl+Alt+R", "Ctrl+Shift+S", "Ctrl+Shift+T", "Ctrl+,"}) {
            QVERIFY2(keys.contains("| " + shortcut), qPrintable(shortcut));
            bool found = false;
            for (const QAction* action : window.findChildren<QAction*>())
                found = found || action->shortcut() == QKeySequence(shortcut);
            QVERIFY2(found, qPrintable(shortcut));
        }
    }
};

TILESCOPE_TEST(HelpTest, QApplication)

} // namespace help_test

#include "help_test.moc"
