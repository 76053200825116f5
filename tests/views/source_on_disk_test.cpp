// The Source page follows what changes behind it: the user's files, and the profiles.
#include <QtTest>
#include <sys/stat.h>

#include "tests/support/sample_source.h"
#include "tests/support/test_main.h"
#include "tests/views/report_alone.h"
#include "tests/views/shown_window.h"
#include "views/operations/operations_view.h"

namespace source_on_disk_test {
using namespace tilescope;
using namespace tilescope::views;

class SourceOnDiskTest : public test::ReportAlone {
    Q_OBJECT

    /// The sample with the lines of net.py in the folder of the profile.
    Profile profileOf(const QByteArray& code) {
        Profile profile = test::sampleWithLines(code.toStdString(), 4);
        for (SourceFile& file : profile.source.files)
            file.path = files_.path("code").toStdString() + file.path.substr(file.path.rfind('/'));
        return profile;
    }

    std::unique_ptr<OperationsView> showCode(const QStringList& profiles) {
        auto view = show<OperationsView>(profiles);
        QTest::mouseClick(&test::button(*view, "Source"), Qt::LeftButton);
        settle();
        return view;
    }

    void returnTo(OperationsView& view) {
        QEvent activated(QEvent::WindowActivate);
        QApplication::sendEvent(&view.code(), &activated);
        settle();
    }

private slots:
    void init() { newContext(); }

    void anEditIsSaid() {
        QVERIFY(QDir().mkpath(files_.path("code/runs")));
        files_.writeBytes("code/net.py", "a\nb\nc\nd\n");
        const QString profile = files_.writeProfile("code/runs/a.pop", profileOf("a\nb\nc\nd\n"));
        const auto view = showCode({profile});
        CodeView& code = view->code().code();
        QVERIFY2(!view->code().summary().contains("disk"), qPrintable(view->code().summary()));
        QTest::keyClick(&code, Qt::Key_F8);
        settle();
        const int current = code.current();
        QVERIFY(current >= 0);
        QVERIFY(view->tabs().isVisible());
        QSignalSpy again(&view->table().model(), &QAbstractItemModel::modelReset);
        files_.writeBytes("code/net.py", "a\nb\nedited\nd\n");
        returnTo(*view);
        QVERIFY2(view->code().summary().contains("changed on disk since this run"),
                 qPrintable(view->code().summary()));
        QCOMPARE(code.current(), current);
        QVERIFY(QFile::remove(files_.path("code/net.py")));
        returnTo(*view);
        QVERIFY(view->code().summary().contains("no longer on disk"));
        files_.writeBytes("code/net.py", "a\nb\nc\nd\n");
        returnTo(*view);
        QVERIFY(!view->code().summary().contains("disk"));
        // The line has its details all the time, and the report is not made again for a word.
        QCOMPARE(code.current(), current);
        QVERIFY(view->tabs().isVisible());
        QCOMPARE(again.count(), 0);
    }

    // What is shown later, such as the costs of another metric, says it, too.
    void anEditIsStillSaidOfOtherCosts() {
        QVERIFY(QDir().mkpath(files_.path("code/runs")));
        files_.writeBytes("code/net.py", "a\nb\nc\nd\n");
        const auto view =
            showCode({files_.writeProfile("code/runs/a.pop", profileOf("a\nb\nc\nd\n"))});
        files_.writeBytes("code/net.py", "a\nb\nedited\nd\n");
        returnTo(*view);
        const auto choose = [&](CodeMetric metric) {
            view->code().metric().setCurrentIndex(static_cast<int>(metric));
            emit view->code().metric().activated(static_cast<int>(metric));
        };
        choose(CodeMetric::Code);
        QVERIFY(view->code().summary().contains("changed on disk"));
        view->showRows(ShownRows::All); // fills all pages from the report
        QVERIFY(view->code().summary().contains("changed on disk"));
        // The metric is another one before the files have been looked at.
        files_.writeBytes("code/net.py", "a\nb\nc\nd\n");
        QEvent activated(QEvent::WindowActivate);
        QApplication::sendEvent(&view->code(), &activated);
        choose(CodeMetric::AlwaysLive);
        settle();
        QVERIFY(!view->code().summary().contains("disk"));
    }

    void aFolderIsChosen() {
        QVERIFY(QDir().mkpath(files_.path("elsewhere")));
        files_.writeBytes("elsewhere/net.py", "other\n");
        const auto view =
            showCode({files_.writeProfile("b.pop", test::sampleWithLines("a\nb\nc\nd\n", 4))});
        QVERIFY(!view->code().summary().contains("disk"));
        view->code().setFolder(files_.path("elsewhere"));
        settle();
        QVERIFY(view->code().summary().contains("changed on disk"));
        // It is that of these profiles, not of others.
        open({files_.writeProfile("c.pop", test::sampleWithLines("a\nb\nc\nd\n", 4))});
        settle();
        QCOMPARE(view->code().code().file()->name, "net.py");
        QVERIFY2(!view->code().summary().contains("disk"), qPrintable(view->code().summary()));
        view->code().libraries().toggle();
        settle();
        QVERIFY2(!view->code().summary().contains("disk"), qPrintable(view->code().summary()));
    }

    // Another profile may have a file of the same name: its lines are others.
    void theMarkedLineIsThatOfItsProfiles() {
        const std::string code(2000, '\n');
        const auto view =
            showCode({files_.writeProfile("one.pop", test::sampleWithLines(code, 4))});
        CodeView& lines = view->code().code();
        lines.setCurrent(1500);
        view->showRows(ShownRows::All);
        QCOMPARE(lines.current(), 1500);
        open({files_.writeProfile("other.pop", test::sampleWithLines(code, 3))});
        settle();
        QCOMPARE(lines.current(), -1);
        const int hot = lines.nextHot(1);
        QVERIFY(hot >= 0);
        QVERIFY(lines.lineAt(lines.viewport()->height() - 1) < 1000);
        QVERIFY(lines.lineAt(lines.viewport()->height() - 1) > hot);
    }

    void ofTwoProfilesItIsTheTargets() {
        QVERIFY(QDir().mkpath(files_.path("code/runs")));
        files_.writeBytes("code/net.py", "a\nb\nc\nd\n");
        const QString now = files_.writeProfile("code/runs/now.pop", profileOf("a\nb\nc\nd\n"));
        const QString old = files_.writeProfile("code/runs/old.pop", profileOf("a\nb\nx\nd\n"));
        QVERIFY(!showCode({old, now})->code().summary().contains("disk"));
        newContext();
        QVERIFY(showCode({now, old})->code().summary().contains("changed on disk"));
    }

    // A pipe of the file's name is neither read nor waited for.
    void aPipeIsNoFile() {
        QVERIFY(QDir().mkpath(files_.path("code")));
        QFile::remove(files_.path("code/net.py"));
        QVERIFY(::mkfifo(QFile::encodeName(files_.path("code/net.py")).constData(),
                         S_IRUSR | S_IWUSR) == 0);
        const auto view = showCode({files_.writeProfile("code/c.pop", profileOf("a\nb\nc\nd\n"))});
        QVERIFY(view->code().summary().contains("no longer on disk"));
    }

    // It is there, but is not followed.
    void aLinkIsNotMissing() {
        QVERIFY(QDir().mkpath(files_.path("linked")));
        const QString elsewhere = files_.writeBytes("net.py.txt", "other\n");
        QVERIFY(QFile::link(elsewhere, files_.path("linked/net.py")));
        const auto view =
            showCode({files_.writeProfile("d.pop", test::sampleWithLines("a\nb\nc\nd\n", 4))});
        view->code().setFolder(files_.path("linked"));
        settle();
        QVERIFY2(!view->code().summary().contains("disk"), qPrintable(view->code().summary()));
    }
};

TILESCOPE_TEST(SourceOnDiskTest, QApplication)

} // namespace source_on_disk_test

#include "source_on_disk_test.moc"
