// The Source page says whether the user's files are still as they were.
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
};

TILESCOPE_TEST(SourceOnDiskTest, QApplication)

} // namespace source_on_disk_test

#include "source_on_disk_test.moc"
