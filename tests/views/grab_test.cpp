// tilescope-gui --grab as a process, without a display.
#include <QImage>
#include <QProcess>
#include <QtTest>

#include "tests/views/sample_files.h"

using namespace tilescope;

namespace {

struct Result {
    int status = -1;
    QString errors;
};

Result run(const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    // The program has to find its way without display and without being told.
    environment.remove("DISPLAY");
    environment.remove("QT_QPA_PLATFORM");
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope-gui"), arguments);
    if (!process.waitForFinished(120000))
        return {};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardError())};
}

int coloursIn(const QImage& image) {
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3)
        for (int x = 0; x < image.width(); x += 3)
            colours.insert(image.pixel(x, y));
    return static_cast<int>(colours.size());
}

} // namespace

class GrabTest : public QObject {
    Q_OBJECT
    test::SampleFiles files_;
    const QStringList views_{"summary",    "insights", "memory",   "liveness", "programs",
                             "operations", "trace",    "pipeline", "compare",  "query"};

private slots:
    void everyView_data() {
        QTest::addColumn<QStringList>("profiles");
        QTest::addColumn<QString>("theme");
        const QString a = files_.write("a.pop");
        QTest::newRow("one, light") << QStringList{a} << "light";
        QTest::newRow("two, dark")
            << QStringList{a, files_.write("b.pop", {.changed = true})} << "dark";
    }
    void everyView() {
        QFETCH(QStringList, profiles);
        QFETCH(QString, theme);
        QStringList arguments{"--size", "1000x700", "--theme", theme, "--grab"};
        for (const QString& view : views_)
            arguments << view + "=" + files_.path(view + ".png");
        const Result result = run(arguments + profiles);
        QVERIFY2(result.status == 0, qPrintable(result.errors));
        for (const QString& view : views_) {
            const QImage image(files_.path(view + ".png"));
            QCOMPARE(image.size(), QSize(1000, 700));
            QVERIFY2(coloursIn(image) > 20, qPrintable(view));
            QCOMPARE(image.pixelColor(990, 350).lightness() < 128, theme == "dark");
        }
    }

    void picturesAreTheSameEachTime() {
        const QString a = files_.write("a.pop");
        for (const QString name : {"1.png", "2.png"})
            QCOMPARE(run({"--grab", "trace=" + files_.path(name), a}).status, 0);
        QCOMPARE(QImage(files_.path("1.png")), QImage(files_.path("2.png")));
    }

    void mistakes_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("text");
        const QString a = files_.write("a.pop");
        const QString out = "memory=" + files_.path("x.png");
        QTest::newRow("view") << QStringList{"--grab", "nothing=x.png", a}
                              << "unknown view 'nothing': it can be summary, insights,";
        QTest::newRow("missing") << QStringList{"--grab", out, files_.path("none.pop")}
                                 << "no such file";
        QTest::newRow("empty") << QStringList{"--grab", out, files_.writeBytes("e.pop", {})}
                               << "is empty";
        QTest::newRow("truncated")
            << QStringList{"--grab", out, files_.writeTruncated("t.pop")} << "damaged or truncated";
        QTest::newRow("bad target")
            << QStringList{"--grab", out, a, files_.path("none.pop")} << "no such file";
        QTest::newRow("folder") << QStringList{"--grab", "memory=" + files_.path("no/such/x.png"),
                                               a}
                                << "cannot write picture";
    }
    void mistakes() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, text);
        const Result result = run(arguments);
        QCOMPARE(result.status, 2);
        const qsizetype at = result.errors.indexOf("tilescope-gui: error: ");
        QVERIFY2(at >= 0 && result.errors.indexOf(text, at) > 0, qPrintable(result.errors));
    }
};

QTEST_GUILESS_MAIN(GrabTest)
#include "grab_test.moc"
