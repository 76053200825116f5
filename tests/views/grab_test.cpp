// tilescope-gui --grab as a process, without a display.
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QtEndian>
#include <QtTest>

#include "core/sweep/sweep_file.h"
#include "tests/support/test_main.h"
#include "tests/views/sample_files.h"

namespace grab_test {
using namespace tilescope;

namespace {

struct Result {
    int status = -1;
    QString errors;
};

Result run(const QStringList& arguments, const QString& scale = {}) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    // The program must work without a display and without options for that.
    environment.remove("DISPLAY");
    environment.remove("QT_QPA_PLATFORM");
    if (!scale.isEmpty())
        environment.insert("QT_SCALE_FACTOR", scale);
    process.setProcessEnvironment(environment);
    process.start(test::programPath("tilescope-gui"), arguments);
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
    const QStringList views_{"summary", "insights", "memory", "liveness", "programs", "operations",
                             "trace",   "pipeline", "values", "compare",  "query"};

private slots:
    /// A picture of the first report, when its contents have arrived.
    void theFirstPlotIsSaid_data() {
        QTest::addColumn<QString>("view");
        for (const char* view : {"memory", "liveness", "trace"})
            QTest::newRow(view) << view;
    }
    void theFirstPlotIsSaid() {
        QFETCH(QString, view);
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("QT_QPA_PLATFORM", "offscreen");
        // The user's recent files stay as they are.
        const QTemporaryDir settings;
        environment.insert("XDG_CONFIG_HOME", settings.path());
        process.setProcessEnvironment(environment);
        process.setReadChannel(QProcess::StandardError);
        process.start(test::programPath("tilescope-gui"),
                      {"--frame-times", "--view", view, files_.write("a.pop")});
        QByteArray said;
        while (!said.contains("first plot after") && process.waitForReadyRead(20000))
            said += process.readAllStandardError();
        process.kill();
        process.waitForFinished();
        QVERIFY2(said.contains("first plot after"), said.constData());
    }

    void everyView_data() {
        QTest::addColumn<QStringList>("profiles");
        QTest::addColumn<QString>("theme");
        const QString a = files_.write("a.pop", {.withValues = true});
        QTest::newRow("one, light") << QStringList{a} << "light";
        QTest::newRow("two, dark")
            << QStringList{a, files_.write("b.pop", {.changed = true, .withValues = true})}
            << "dark";
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

    // Twice the dots: the same picture, with finer lines and letters.
    void finerScreens() {
        const QString a = files_.write("a.pop");
        for (const QString view : {"memory", "liveness", "trace", "summary"}) {
            const QStringList to{"--size", "1000x700", "--grab"};
            QCOMPARE(run(to + QStringList{view + "=" + files_.path("plain.png"), a}).status, 0);
            QCOMPARE(run(to + QStringList{view + "=" + files_.path("fine.png"), a}, "2").status, 0);
            const QImage plain(files_.path("plain.png"));
            const QImage fine(files_.path("fine.png"));
            QCOMPARE(fine.size(), QSize(2000, 1400));
            const QImage back =
                fine.scaled(1000, 700, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
            double difference = 0; // of lightness, 0 to 255, averaged over the picture
            int finer = 0;
            for (int y = 0; y < 700; ++y)
                for (int x = 0; x < 1000; ++x) {
                    difference += std::abs(plain.pixelColor(x, y).lightness() -
                                           back.pixelColor(x, y).lightness());
                    finer += fine.pixel(2 * x, 2 * y) != fine.pixel(2 * x + 1, 2 * y) ? 1 : 0;
                }
            difference /= 700 * 1000;
            QVERIFY2(difference < 8, qPrintable(QString("%1: %2").arg(view).arg(difference)));
            QVERIFY2(finer > 1000, qPrintable(QString("%1: %2").arg(view).arg(finer)));
        }
    }
    void partsOfReportsComeToTheFront() {
        const QString a = files_.write("a.pop");
        const QString memory = files_.path("memory.png");
        const QString map = files_.path("map.png");
        QCOMPARE(run({"--grab", "memory=" + memory, "memory:tile-map=" + map, a}).status, 0);
        QVERIFY(!QImage(map).isNull());
        QVERIFY(QImage(map) != QImage(memory));
    }

    void screensAndDialogs() {
        QStringList arguments{"--size", "900x600", "--grab"};
        const QStringList screens{
            "home", "run", "preferences", "help:trace", "help:out_of_memory", "palette"};
        for (const QString& screen : screens)
            arguments << screen + "=" + files_.path(QString(screen).replace(':', '_') + ".png");
        QCOMPARE(run(arguments).status, 0);
        QSet<QByteArray> pictures;
        for (const QString& screen : screens) {
            const QImage image(files_.path(QString(screen).replace(':', '_') + ".png"));
            QCOMPARE(image.size(), QSize(900, 600));
            pictures << QByteArray(reinterpret_cast<const char*>(image.constBits()),
                                   image.sizeInBytes());
        }
        QCOMPARE(pictures.size(), screens.size());
    }

    void whatIsSelectedIsShown() {
        const QString a = files_.write("a.pop");
        const QString plain = files_.path("plain.png");
        const QString selected = files_.path("selected.png");
        QCOMPARE(run({"--grab", "memory:details=" + plain, a}).status, 0);
        QCOMPARE(run({"--select", "tile=7", "--grab", "memory:details=" + selected, a}).status, 0);
        QVERIFY(QImage(plain) != QImage(selected));
    }

    /// A results database with only a header, lacking everything that it refers to.
    QString damagedSweep() const {
        constexpr qsizetype idPlace = 68; // https://www.sqlite.org/fileformat.html
        QByteArray page(4096, '\0');
        page.replace(0, 15, "SQLite format 3");
        qToBigEndian(sweepApplicationId, page.data() + idPlace);
        return files_.writeBytes("sweep.db", page);
    }

    void aRefusedPictureLeavesTheFile() {
        const QString profile = files_.write("kept.pop");
        QFile file(profile);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray before = file.readAll();
        file.close();
        QCOMPARE(run({"--grab", "summary=" + profile, profile}).status, 2);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll() == before);
    }

    void mistakes_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("text");
        const QString a = files_.write("a.pop");
        const QString out = "memory=" + files_.path("x.png");
        QTest::newRow("view") << QStringList{"--grab", "nothing=x.png", a}
                              << "unknown view 'nothing': it can be summary, insights,";
        QTest::newRow("part") << QStringList{"--grab", "memory:nothing=x.png", a}
                              << "the report 'memory' has no part 'nothing'";
        QTest::newRow("page of the help") << QStringList{"--grab", "help:nothing=x.png", a}
                                          << "the help has no page 'nothing'; it has: start, run,";
        QTest::newRow("selected") << QStringList{"--select", "tile=99999", "--grab", out, a}
                                  << "--select: the profile has no such tile";
        QTest::newRow("no sweep") << QStringList{"--grab", "sweep=" + files_.path("x.png"), a}
                                  << "--grab sweep needs a sweep.db";
        QTest::newRow("damaged sweep")
            << QStringList{"--grab", "sweep=" + files_.path("x.png"), damagedSweep()} << "sweep.db";
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
                                << "there is no folder";
        QTest::newRow("name") << QStringList{"--grab", "memory=" + files_.path("x.pop"), a}
                              << "its name must end in .png or .jpg";
        QTest::newRow("full") << QStringList{"--grab", "memory=/dev/full", a}
                              << "'/dev/full': No space left on device";
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

TILESCOPE_TEST(GrabTest, QCoreApplication)

} // namespace grab_test

#include "grab_test.moc"
