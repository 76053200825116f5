// Counter tracks above the lanes of an execution, through their real widgets.
#include <QAccessible>
#include <QMenu>
#include <QtTest>

#include "core/analysis/liveness/liveness.h"
#include "tests/support/test_main.h"
#include "tests/views/trace_window.h"
#include "views/execution/range_field.h"

namespace tracks_test {
using namespace tilescope;
using namespace tilescope::gui;
using views::TrackPlot;

namespace {

/// A track whose every value is three quarters of its limit, but for the last quarter of columns,
/// which exceed it.
class Exceeding : public views::CounterTrack {
public:
    QString name() const override { return QStringLiteral("Exceeding"); }
    QString toolTip() const override { return {}; }
    std::vector<Part> parts(const views::Theme& theme) const override {
        return {{{}, theme.notAlwaysLive}};
    }
    views::TrackCurve read(const CounterColumns&) const override {
        return curve(CycleColumns({0, 1000}, 100));
    }
    QString text(double value, const views::TrackUnits&) const override {
        return QString::number(value);
    }
    QString shortText(double value, const views::TrackUnits&) const override {
        return QString::number(value);
    }
    QString note(double, const views::TrackUnits&) const override { return {}; }

    static views::TrackCurve curve(const CycleColumns& columns) {
        views::TrackCurve curve;
        curve.columns = columns;
        curve.whole = 100;
        curve.limited = true;
        curve.parts.emplace_back(columns.count(), 75.0);
        std::fill(curve.parts[0].begin() + static_cast<std::ptrdiff_t>(columns.count() * 3 / 4),
                  curve.parts[0].end(), 150.0);
        return curve;
    }
};

/// Pixels of a colour, and the leftmost of them.
struct Counted {
    int pixels = 0;
    int first = -1;
};
Counted countOf(const QImage& image, const QColor& colour) {
    Counted counted;
    for (int x = 0; x < image.width(); ++x)
        for (int y = 0; y < image.height(); ++y)
            if (image.pixel(x, y) == colour.rgb()) {
                ++counted.pixels;
                if (counted.first < 0)
                    counted.first = x;
            }
    return counted;
}

} // namespace

class TracksTest : public test::TraceWindow {
    Q_OBJECT

    TrackPlot& track(const QString& name) {
        for (TrackPlot* plot : trace_->tracks().plots())
            if (plot->track().name() == name)
                return *plot;
        qFatal("there is no track '%s'", qPrintable(name));
    }
    QStringList shown() {
        QStringList names;
        for (TrackPlot* plot : trace_->tracks().plots())
            if (plot->isVisible())
                names << plot->track().name();
        return names;
    }
    void resize(int width, int height) {
        window_->resize(width, height);
        settle();
    }
    QAction& choice(const QString& name) {
        for (QAction* action : trace_->findChildren<QAction*>())
            if (action->text() == name)
                return *action;
        qFatal("there is no choice '%s'", qPrintable(name));
    }
    static void drag(QWidget& on, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers) {
        QTest::mousePress(&on, Qt::LeftButton, modifiers, from);
        for (const QPoint& at : {from + (to - from) / 2, to}) {
            QMouseEvent move(QEvent::MouseMove, at, on.mapToGlobal(QPointF(at)), Qt::NoButton,
                             Qt::LeftButton, modifiers);
            QCoreApplication::sendEvent(&on, &move);
        }
        QTest::mouseRelease(&on, Qt::LeftButton, modifiers, to);
    }
    static void hover(QWidget& on, QPoint at) {
        QMouseEvent move(QEvent::MouseMove, at, on.mapToGlobal(QPointF(at)), Qt::NoButton,
                         Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&on, &move);
    }
    static QPoint middleOf(const TrackPlot& plot) { return plot.axisRect()->rect().center(); }

private slots:
    void initTestCase() { prepare(); }
    void init() { newWindow(); }
    void cleanup() { window_.reset(); }

    void twoAreShownWhereThereIsRoom() {
        open({files_.write("a.pop")});
        resize(1280, 800);
        QCOMPARE(shown(), (QStringList{"Live memory", "Exchange"}));
        QVERIFY(trace_->plot().height() >= views::TracksPane::lowestLanes - 90);
        // Lanes keep their height: in a low window tracks give way, the last first.
        int before = 2;
        for (const int height : {700, 600, 500, 400}) {
            resize(1280, height);
            const auto count = static_cast<int>(shown().size());
            QVERIFY(count <= before);
            before = count;
        }
        QCOMPARE(before, 0);
        resize(1280, 800);
        QCOMPARE(shown().size(), 2);
    }

    void tracksAreInLineWithTheLanes() {
        open({files_.write("a.pop")});
        resize(1280, 800);
        const TrackPlot& memory = track("Live memory");
        const QRect lanes = trace_->plot().axisRect()->rect();
        QCOMPARE(memory.axisRect()->left(), lanes.left());
        QCOMPARE(memory.axisRect()->right(), lanes.right());
        QCOMPARE(memory.mapToGlobal(QPoint()).x(), trace_->plot().mapToGlobal(QPoint()).x());
        zoom().setRange(zoom().last() / 3, zoom().last() / 2);
        QCOMPARE(memory.xAxis->range().lower, trace_->plot().xAxis->range().lower);
        QCOMPARE(memory.xAxis->range().upper, trace_->plot().xAxis->range().upper);
    }

    void theCurveIsWhatTheReportsSay() {
        open({files_.write("two.pop", {.ipus = 2})});
        resize(1280, 800);
        const auto source = window_->context().reports.source();
        const auto& overview = *track("Live memory").curve().sides()[0].overview;
        double most = 0;
        for (std::size_t i = 0; i < overview.columns.count(); ++i)
            most = std::max(most, overview.top(i));
        QCOMPARE(most, static_cast<double>(livenessOf(*source, TileSelection::all()).peak()));
        QCOMPARE(overview.whole, static_cast<double>(source->machine().bytesPerTile * 2 * 1472));
        const auto& exchange = *track("Exchange").curve().sides()[0].overview;
        double bytes = 0;
        for (std::size_t i = 0; i < exchange.columns.count(); ++i)
            bytes += exchange.top(i) * static_cast<double>(exchange.columns.at(i).cycles());
        double expected = 0;
        for (const int ipu : {0, 1}) {
            const TraceSums sums = source->trace()->statistics(IpuId(ipu), {0, 1LL << 40}).sums;
            expected += static_cast<double>(sums.exchangeBytesIn + sums.globalBytesIn);
        }
        QVERIFY(std::abs(bytes / expected - 1) < 1e-9);
    }

    void zoomingReadsWhatIsInSight() {
        open({files_.write("a.pop")});
        resize(1280, 800);
        zoom().fit();
        settle();
        const double end = zoom().last();
        zoom().setRange(end * 0.4, end * 0.41);
        settle();
        const auto& detail = track("Exchange").curve().sides()[0].detail;
        QVERIFY(detail);
        QVERIFY(static_cast<double>(detail->columns.range().begin) <= zoom().from());
        QVERIFY(static_cast<double>(detail->columns.range().end) >= zoom().to());
        QVERIFY(detail->columns.count() > 1000);
        // Its scale is that of what is in sight.
        QCOMPARE(track("Exchange").yAxis->range().lower, 0.0);
        QVERIFY(track("Exchange").yAxis->range().upper >=
                track("Exchange").curve().largest(zoom().from(), zoom().to()));
    }

    // Finely read columns are not shown in the whole: they would stand out from their neighbours.
    void theWholeIsAsBeforeOneLookedCloser() {
        open({files_.write("a.pop")});
        resize(1280, 800);
        zoom().fit();
        settle();
        const QImage before = track("Exchange").grab().toImage();
        const double end = zoom().last();
        zoom().setRange(end * 0.2, end * 0.5);
        settle();
        QVERIFY(track("Exchange").curve().sides()[0].detail);
        QVERIFY(track("Exchange").grab().toImage() != before);
        zoom().fit();
        settle();
        QCOMPARE(track("Exchange").grab().toImage(), before);
    }

    void theyAreChosenInTheOptions() {
        open({files_.write("a.pop")});
        resize(1280, 1000);
        for (TrackPlot* plot : trace_->tracks().plots()) {
            const QAction& action = choice(plot->track().name());
            QVERIFY(action.isCheckable() && !action.toolTip().isEmpty());
            QCOMPARE(action.isChecked(), plot->isVisible());
        }
        choice("Active tiles").trigger();
        choice("Live memory").trigger();
        settle();
        QCOMPARE(shown(), (QStringList{"Exchange", "Active tiles"}));
        QVERIFY(track("Active tiles").curve().sides()[0].overview);
        const QJsonObject states = views::controlStates(*trace_);
        QCOMPARE(states.value("switch Active tiles").toBool(), true);
        QCOMPARE(states.value("switch Live memory").toBool(true), false);
        choice("Active tiles").trigger();
        choice("Exchange").trigger();
        QVERIFY(shown().isEmpty());
        QTRY_COMPARE(trace_->tracks().height(), 0);
    }

    void thePointerReadsValues() {
        open({files_.write("a.pop")});
        resize(1280, 1000);
        for (const char* more : {"IPU links", "Active tiles", "Host bytes"})
            choice(more).trigger();
        settle();
        const auto readOut = [&](const QString& name) {
            QSignalSpy hovered(&track(name), &views::PlotWidget::hovered);
            hover(track(name), middleOf(track(name)));
            return hovered.isEmpty() ? QString() : hovered.last()[0].toString();
        };
        static const QRegularExpression memory("^Live memory: [0-9.]+ MiB( to [0-9.]+ MiB)?$");
        QVERIFY2(memory.match(readOut("Live memory")).hasMatch(),
                 qPrintable(readOut("Live memory")));
        static const QRegularExpression rate(
            "^Exchange: on chip .*/cycle.*, between IPUs .*/cycle");
        QVERIFY2(rate.match(readOut("Exchange")).hasMatch(), qPrintable(readOut("Exchange")));
        QVERIFY2(readOut("Active tiles").endsWith(" tiles"), qPrintable(readOut("Active tiles")));
        QVERIFY2(readOut("Host bytes").contains("from host"), qPrintable(readOut("Host bytes")));
        QVERIFY2(readOut("IPU links").contains("0 B/cycle"), qPrintable(readOut("IPU links")));
    }

    void thePointersLineIsInAllPlots() {
        open({files_.write("a.pop")});
        resize(1280, 800);
        const auto lineIn = [](const QWidget& plot) -> const QWidget* {
            for (const QWidget* child : plot.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
                if (child->isVisible() && child->width() == 1)
                    return child;
            return nullptr;
        };
        const QPoint at = middleOf(track("Exchange"));
        hover(track("Exchange"), at);
        QVERIFY(lineIn(trace_->plot()) && lineIn(track("Live memory")));
        QCOMPARE(lineIn(trace_->plot())->x(), at.x());
        QVERIFY(!lineIn(track("Exchange"))); // it paints its own
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(&track("Exchange"), &leave);
        QVERIFY(!lineIn(trace_->plot()));
    }

    void theMouseDoesWhatItDoesInTheLanes() {
        open({files_.write("a.pop")});
        resize(1280, 800);
        TrackPlot& plot = track("Live memory");
        const QPoint middle = middleOf(plot);
        QTest::mouseClick(&plot, Qt::LeftButton, {}, middle);
        settle();
        QVERIFY(trace_->selection().step() >= 0);
        QVERIFY(!plot.markers().empty());
        drag(plot, middle, middle + QPoint(120, 0), Qt::ShiftModifier);
        QVERIFY(trace_->selection().range());
        const double from = plot.xAxis->pixelToCoord(middle.x());
        QVERIFY(std::abs(static_cast<double>(trace_->selection().range()->begin) - from) <= 1.5);
        QCOMPARE(plot.markers().size(), std::size_t(1));
        const double span = zoom().span();
        QTest::mouseDClick(&plot, Qt::LeftButton, {}, middle);
        QVERIFY(zoom().span() < span);
        QWheelEvent wheel(middle, plot.mapToGlobal(middle), {}, {0, -480}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&plot, &wheel);
        QVERIFY(zoom().span() > span / 2);
        QTest::keyClick(&plot, Qt::Key_M);
        QCOMPARE(trace_->marks().rowCount(), 1);
    }

    void aComparisonHasTwoCurves() {
        open({files_.write("a.pop"), files_.write("b.pop", {.changed = true})});
        resize(1280, 800);
        QVERIFY(track("Live memory").curve().comparing());
        QVERIFY(track("Live memory").curve().sides()[1].overview);
        QSignalSpy hovered(&track("Live memory"), &views::PlotWidget::hovered);
        hover(track("Live memory"), middleOf(track("Live memory")));
        const QString text = hovered.last()[0].toString();
        QVERIFY2(text.startsWith("Source: ") && text.contains("Target: "), qPrintable(text));
    }

    void oneIpuIsReadAlone() {
        open({files_.write("two.pop", {.ipus = 2})});
        resize(1280, 800);
        const double both = track("Live memory").curve().largest(0, zoom().last());
        for (auto* box : trace_->findChildren<QComboBox*>())
            if (box->accessibleName() == "IPU")
                box->setCurrentIndex(1);
        settle();
        const double one = track("Live memory").curve().largest(0, zoom().last());
        QVERIFY(one > 0 && one < both);
        QCOMPARE(track("Live memory").curve().sides()[0].overview->whole,
                 static_cast<double>(window_->context().reports.source()->machine().bytesPerTile *
                                     1472));
    }

    void whatExceedsALimitIsRed() {
        views::ViewContext context;
        context.timeZoom.setLimits(0, 1000, 10);
        const Exceeding track;
        TrackPlot plot(context, track);
        plot.resize(600, 60);
        plot.show();
        const auto curve = std::make_shared<const views::TrackCurve>(
            Exceeding::curve(CycleColumns({0, 1000}, 100)));
        std::array<views::TrackSide, 2> sides;
        sides[0].overview = curve;
        plot.curve().setSides(sides);
        plot.updateCurves();
        plot.replot(QCustomPlot::rpImmediateRefresh);
        const Counted red = countOf(plot.grab().toImage(), context.theme.current().bad);
        QVERIFY2(red.pixels > 500, qPrintable(QString::number(red.pixels)));
        const QRect area = plot.axisRect()->rect();
        QVERIFY(std::abs(red.first - (area.left() + area.width() * 3 / 4)) <= 2);
        // Of two profiles the lines.
        sides[1].overview = curve;
        plot.curve().setSides(sides);
        plot.updateCurves();
        plot.replot(QCustomPlot::rpImmediateRefresh);
        const Counted line = countOf(plot.grab().toImage(), context.theme.current().bad);
        QVERIFY(line.pixels > 100 && line.pixels < red.pixels);
    }

    void screenReadersHaveTheirNames() {
        open({files_.write("a.pop")});
        for (TrackPlot* plot : trace_->tracks().plots()) {
            QAccessibleInterface* face = QAccessible::queryAccessibleInterface(plot);
            QVERIFY(face);
            QCOMPARE(face->text(QAccessible::Name), plot->track().name() + " over time");
        }
    }

    void withoutAnExecutionThereAreNone() {
        open({files_.write("a.pop")});
        open({files_.write("large.pop", {.tooLarge = true})});
        for (TrackPlot* plot : trace_->tracks().plots())
            QVERIFY(!plot->curve().sides()[0].overview);
    }
};

TILESCOPE_TEST(TracksTest, QApplication)

} // namespace tracks_test

#include "tracks_test.moc"
