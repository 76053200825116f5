// The command line of tilescope-gui.
#include <QtTest>

#include "app/gui/arguments.h"
#include "core/base/error.h"
#include "tests/support/test_main.h"

namespace arguments_test {
using namespace tilescope;
using namespace tilescope::gui;

class ArgumentsTest : public QObject {
    Q_OBJECT
private slots:
    void profiles() {
        QCOMPARE(parseArguments({}).profiles, QStringList());
        QCOMPARE(parseArguments({"a.pop", "b.pop"}).profiles, (QStringList{"a.pop", "b.pop"}));
    }

    void grabs() {
        const Arguments arguments =
            parseArguments({"--grab", "memory=m.png", "trace=a=b.png", "--theme=dark", "--size",
                            "800x600", "p.pop", "q.pop"});
        QCOMPARE(arguments.grabs.size(), std::size_t(2));
        QCOMPARE(arguments.grabs[1].view, QStringLiteral("trace"));
        QCOMPARE(arguments.grabs[1].file, QStringLiteral("a=b.png"));
        QCOMPARE(arguments.theme, views::ThemeChoice::Dark);
        QCOMPARE(arguments.size, QSize(800, 600));
        QCOMPARE(arguments.profiles.size(), 2);
    }

    void partsScreensAndSelections() {
        const Arguments arguments =
            parseArguments({"--grab", "memory:tile-map+variables=m.png", "help:trace=h.png",
                            "home=o.png", "--select", "tile=3,step=12,tile=5", "p.pop"});
        QCOMPARE(arguments.grabs[0].parts, (QStringList{"tile map", "variables"}));
        QCOMPARE(arguments.grabs[1].view, QStringLiteral("help"));
        QCOMPARE(arguments.grabs[1].parts, QStringList{"trace"});
        QCOMPARE(arguments.selected.tiles, (std::vector{TileId(3), TileId(5)}));
        QCOMPARE(arguments.selected.step, StepId(12));
        // Screens need no profile.
        QVERIFY(parseArguments({"--grab", "home=o.png"}).profiles.isEmpty());
    }

    void grabsMayBeRepeated() {
        QCOMPARE(parseArguments({"--grab", "memory=m.png", "--grab", "trace=t.png", "p.pop"})
                     .grabs.size(),
                 std::size_t(2));
        QCOMPARE(parseArguments({"p.pop", "--grab=memory=m.png"}).grabs.size(), std::size_t(1));
    }

    void mistakes_data() {
        QTest::addColumn<QStringList>("list");
        QTest::addColumn<QString>("text");
        QTest::newRow("view") << QStringList{"--grab", "memry=m.png", "p"}
                              << "unknown view 'memry': it can be summary, insights, memory, "
                                 "liveness, programs, operations, trace, pipeline, "
                                 "values, compare, query";
        QTest::newRow("no file") << QStringList{"--grab", "memory", "p"}
                                 << "--grab needs VIEW=FILE.png, not 'memory'";
        QTest::newRow("nothing") << QStringList{"--grab"} << "--grab needs VIEW=FILE.png";
        QTest::newRow("no profile")
            << QStringList{"--grab", "memory=m.png"} << "--grab needs a profile";
        QTest::newRow("theme") << QStringList{"--theme", "blue"}
                               << "unknown theme 'blue': it can be dark, light or system";
        QTest::newRow("size")
            << QStringList{"--size", "10x10"}
            << "--size needs WIDTHxHEIGHT in pixels from 400x300 to 16000x16000, not '10x10'";
        QTest::newRow("option") << QStringList{"--tehme", "dark"}
                                << "unknown option '--tehme'. Did you mean '--theme'?";
        QTest::newRow("select") << QStringList{"--select", "tile=x", "p"}
                                << "--select needs WHAT=NUMBER, such as tile=5, not 'tile=x'";
        QTest::newRow("select what") << QStringList{"--select", "moon=1", "p"}
                                     << "--select cannot select 'moon': it can be tile, step, "
                                        "variable, operation, program or tensor";
        QTest::newRow("sweep") << QStringList{"--grab", "sweep=s.png"} << "--grab needs a profile";
        QTest::newRow("three") << QStringList{"a", "b", "c"}
                               << "at most two profiles can be open: a source and a target";
    }
    void mistakes() {
        QFETCH(QStringList, list);
        QFETCH(QString, text);
        try {
            parseArguments(list);
            QFAIL("accepted");
        } catch (const UserError& error) {
            QCOMPARE(QString::fromUtf8(error.what()), text);
        }
    }
};

TILESCOPE_TEST(ArgumentsTest, QCoreApplication)

} // namespace arguments_test

#include "arguments_test.moc"
