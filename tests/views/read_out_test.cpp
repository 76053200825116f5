// A plot's read-out at the pointer: always inside the plot, with whole numbers.
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/report_alone.h"
#include "views/liveness/liveness_view.h"
#include "views/plot/read_out.h"

namespace read_out_test {
using namespace tilescope;
using namespace tilescope::views;

class ReadOutTest : public test::ReportAlone {
    Q_OBJECT
    static QString longName() { return QString(400, QLatin1Char('n')); }
    static void verifyInside(const ReadOutBox& layout, const QRect& room,
                             const QFontMetrics& metrics) {
        QVERIFY(room.contains(layout.box));
        for (const ReadOutBox::Line& line : layout.lines) {
            QVERIFY(layout.box.contains(line.namePlace) && layout.box.contains(line.valuePlace));
            QVERIFY(metrics.horizontalAdvance(line.name) <= line.namePlace.width());
            QVERIFY(metrics.horizontalAdvance(line.value) <= line.valuePlace.width());
            QVERIFY(line.value.isEmpty() || !line.namePlace.intersects(line.valuePlace));
        }
    }

private slots:
    void init() { newContext(); }

    void staysInItsRoomWithWholeValues() {
        const QFontMetrics metrics{QFont()};
        const QString text = QStringLiteral("Step 3: ") + longName() + QLatin1Char('\n') +
                             readOutLine(longName(), QStringLiteral("123.45 MiB")) +
                             QLatin1Char('\n') +
                             readOutLine(QStringLiteral("Total"), QStringLiteral("1.5 GiB"));
        for (const QSize size : {QSize(900, 300), QSize(320, 120), QSize(240, 80)}) {
            const QRect room(QPoint(86, 2), size);
            for (int x = room.left(); x <= room.right(); x += 7)
                for (const int y : {room.top(), room.center().y(), room.bottom()}) {
                    const ReadOutBox layout = layOutReadOut(text, {x, y}, room, metrics);
                    verifyInside(layout, room, metrics);
                    QCOMPARE(layout.lines.back().value, QStringLiteral("1.5 GiB"));
                }
        }
    }

    void namesAreShortenedInTheMiddle() {
        const QFontMetrics metrics{QFont()};
        const QString name = QStringLiteral("begin") + longName() + QStringLiteral("end");
        const ReadOutBox layout = layOutReadOut(readOutLine(name, QStringLiteral("1")), {10, 10},
                                                {0, 0, 600, 200}, metrics);
        QVERIFY(layout.lines[0].name.startsWith(QLatin1String("begin")));
        QVERIFY(layout.lines[0].name.endsWith(QLatin1String("end")));
        QCOMPARE(layout.lines[0].value, QStringLiteral("1"));
    }

    void whatFitsIsNotShortened() {
        const QFontMetrics metrics{QFont()};
        for (int cycles = 967'000; cycles < 967'300; ++cycles) {
            const QString text = QStringLiteral("inner\n%1 cycles (731 µs)").arg(cycles);
            const ReadOutBox layout = layOutReadOut(text, {10, 10}, {0, 0, 600, 200}, metrics);
            QCOMPARE(layout.lines[1].name, text.section('\n', 1));
        }
    }

    void linesWithoutAValueGoFirst() {
        const QFontMetrics metrics{QFont()};
        const QString text =
            QStringLiteral("a name\n") + readOutLine(QStringLiteral("bytes"), QStringLiteral("7"));
        const ReadOutBox layout =
            layOutReadOut(text, {5, 5}, {0, 0, 300, metrics.height() + 20}, metrics);
        QCOMPARE(layout.lines.size(), std::size_t(1));
        QCOMPARE(layout.lines[0].value, QStringLiteral("7"));
    }

    /// In the report: wherever the pointer is, and however long the names of steps are.
    void theReportSaysItInsideThePlot() {
        Profile profile = test::sampleProfile();
        for (Program& program : profile.programs)
            if (!program.name.empty())
                program.name = longName().toStdString() + program.name;
        const auto view =
            show<LivenessView>({files_.writeProfile(QStringLiteral("long.pop"), profile)});
        PlotWidget& plot = view->plot().plot();
        const QRect area = plot.axisRect()->rect();
        for (const int x : {area.left() + 1, area.center().x(), area.right() - 1}) {
            QMouseEvent move(QEvent::MouseMove, QPointF(x, area.bottom() - 2),
                             plot.mapToGlobal(QPointF(x, area.bottom() - 2)), Qt::NoButton,
                             Qt::NoButton, Qt::NoModifier);
            QCoreApplication::sendEvent(&plot, &move);
            const auto layout = plot.readOutBox();
            QVERIFY(layout);
            QVERIFY(layout->box.left() >= area.left() && layout->box.right() <= area.right());
            verifyInside(*layout, plot.rect(), plot.fontMetrics());
            const auto total = std::find_if(layout->lines.begin(), layout->lines.end(),
                                            [](const auto& line) { return line.name == "Total"; });
            QVERIFY(total != layout->lines.end());
            const auto place = static_cast<std::size_t>(plot.xAxis->pixelToCoord(x));
            const std::int64_t top = view->plot().areas().areas().back().top.at(place);
            QCOMPARE(total->value, context_->preferences.bytes(top));
        }
    }
};

TILESCOPE_TEST(ReadOutTest, QApplication)

} // namespace read_out_test

#include "read_out_test.moc"
