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
        const std::vector<SelectWish> wishes{{"tile", "3"}, {"step", "12"}, {"tile", "5"}};
        QVERIFY(arguments.selected == wishes);
        // Screens need no profile.
        QVERIFY(parseArguments({"--grab", "home=o.png"}).profiles.isEmpty());
    }

    void links() {
        const Arguments arguments =
            parseArguments({"p.pop", "--view=trace", "--select=layer1/conv, of=1",
                            "--range=100:2000", "--compare=q.pop"});
        QCOMPARE(arguments.profiles, (QStringList{"p.pop", "q.pop"}));
        QCOMPARE(beginsWith(arguments), Report::Trace);
        QVERIFY((arguments.selected == std::vector<SelectWish>{{"", "layer1/conv, of=1"}}));
        QVERIFY((arguments.range == AxisRange{100, 2000}));
        // A comma parts a list only before another kind.
        const std::vector<SelectWish> wishes{{"operation", "a,b=c"}, {"tile", "7"}};
        QVERIFY(parseArguments({"p", "--select", "operation=a,b=c,tile=7"}).selected == wishes);
        QCOMPARE(beginsWith(parseArguments({"p", "q"})), Report::Compare);
        QCOMPARE(beginsWith(parseArguments({"p"})), Report::Summary);
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
                                << "--select needs WHAT=NUMBER, such as tile=5, or WHAT=NAME, not "
                                   "'tile=x'";
        QTest::newRow("select what") << QStringList{"--select", "moon=1", "p"}
                                     << "--select cannot select 'moon': it can be a name, or "
                                        "batch, tile, step, variable, operation, program, "
                                        "tensor or line";
        QTest::newRow("select nothing")
            << QStringList{"--select", "operation=", "p"}
            << "--select needs WHAT=NUMBER, such as tile=5, or WHAT=NAME, not 'operation='";
        QTest::newRow("select no profile")
            << QStringList{"--select", "conv1"} << "--select needs a profile";
        const QString range = "--range needs FROM:TO, whole numbers of which the second is larger, "
                              "such as 1000:2000, not '%1'";
        for (const QString each : {"5", "5:", "a:b", "7:7", "9:8", "-1:4", "1:2:3"})
            QTest::newRow(qPrintable("range " + each))
                << QStringList{"--view=trace", "--range=" + each, "p"} << range.arg(each);
        QTest::newRow("no axis") << QStringList{"--range", "1:2", "p"}
                                 << "--range: the view 'summary' has no axis; these have: memory "
                                    "(tiles), liveness (program steps), trace (cycles), values "
                                    "(iterations)";
        QTest::newRow("range no profile")
            << QStringList{"--view=trace", "--range", "1:2"} << "--range needs a profile";
        QTest::newRow("check no profile") << QStringList{"--check"} << "--check needs a profile";
        QTest::newRow("compare alone")
            << QStringList{"--compare", "q"} << "--compare needs a PROFILE to compare TARGET with";
        QTest::newRow("compare third") << QStringList{"a", "b", "--compare", "c"}
                                       << "--compare needs one PROFILE to compare TARGET with, not "
                                          "several";
        QTest::newRow("sweep") << QStringList{"--grab", "sweep=s.png"} << "--grab needs a profile";
        QTest::newRow("three") << QStringList{"a", "b", "c", "--view", "trace"}
                               << "--view, --select, --range and --grab of a report need one "
                                  "profile, or a source and a target; more are shown as a table";
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
