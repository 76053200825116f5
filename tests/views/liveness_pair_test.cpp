// Liveness of two profiles, and of one on a small screen: legend, ticks, gaps, read-out, heights.
#include <QtTest>

#include "tests/support/test_main.h"
#include "tests/views/report_alone.h"
#include "views/liveness/liveness_view.h"
#include "views/plot/axes/tickers.h"

namespace liveness_pair_test {
using namespace tilescope;
using namespace tilescope::views;

namespace {

// Its ticks, as an axis gets them.
class Ticks : public CountTicker {
public:
    QVector<double> over(double from, double to) {
        const QCPRange range(from, to);
        return createTickVector(getTickStep(range), range);
    }
};

bool near(const QColor& a, const QColor& b) {
    constexpr int rounding = 2; // of what is mixed by the painter and by us
    return std::abs(a.red() - b.red()) <= rounding && std::abs(a.green() - b.green()) <= rounding &&
           std::abs(a.blue() - b.blue()) <= rounding;
}

} // namespace

class LivenessPairTest : public test::ReportAlone {
    Q_OBJECT
    static QString toolTipAt(PlotWidget& plot, double x) {
        const QPointF at(plot.xAxis->coordToPixel(x), plot.axisRect()->rect().center().y());
        QSignalSpy hovered(&plot, &PlotWidget::hovered);
        QMouseEvent move(QEvent::MouseMove, at, plot.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                         Qt::NoModifier);
        QCoreApplication::sendEvent(&plot, &move);
        return hovered.isEmpty() ? QString() : hovered.last()[0].toString();
    }
    /// How many pixels of the plot have a colour.
    static int pixelsOf(PlotWidget& plot, const QColor& colour) {
        const QImage image = plot.grab(plot.axisRect()->rect()).toImage();
        int pixels = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                pixels += near(QColor(image.pixel(x, y)), colour) ? 1 : 0;
        return pixels;
    }

private slots:
    void init() { newContext(); }

    void swatchesHaveTheColoursOfFills_data() {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<bool>("separate");
        for (const bool dark : {false, true})
            for (const bool separate : {false, true})
                QTest::addRow("%s, %s", dark ? "dark" : "light", separate ? "separate" : "one")
                    << dark << separate;
    }
    void swatchesHaveTheColoursOfFills() {
        QFETCH(bool, dark);
        QFETCH(bool, separate);
        context_->preferences.setTheme(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        const auto view = show<LivenessView>(two());
        test::button(*view, "Separate").setChecked(separate);
        test::button(*view, "Max memory").setChecked(false);
        settle();
        const auto& entries = (separate ? view->plots().second() : view->plot()).legend().entries();
        QCOMPARE(entries.size(), std::size_t(4));
        for (const LegendBar::Entry& entry : entries) {
            if (entry.mark != LegendBar::Mark::Square)
                continue;
            PlotWidget& plot = separate && entry.name.endsWith("(target)")
                                   ? view->plots().second().plot()
                                   : view->plot().plot();
            constexpr int some = 200; // more than edges have by chance
            QVERIFY2(pixelsOf(plot, entry.colour) > some, qPrintable(entry.name));
        }
    }

    void ticksAreRoundNumbers() {
        // As of aligned steps: gaps repeat the number before.
        std::vector<std::int32_t> numbers;
        for (std::int32_t step = 0; step < 400; ++step) {
            numbers.push_back(step);
            if (step % 7 == 0)
                numbers.push_back(step);
        }
        Ticks ticks;
        ticks.setTickCount(6);
        ticks.setNumbers(numbers);
        const QVector<double> places = ticks.over(0, static_cast<double>(numbers.size()));
        QVERIFY(places.size() >= 3);
        for (const double place : places) {
            const std::int32_t number = numbers.at(static_cast<std::size_t>(place));
            QVERIFY2(number % 50 == 0, qPrintable(QString::number(number)));
        }
    }

    void bothAreReadWhereTheyStandApart() {
        const auto view = show<LivenessView>(two());
        test::button(*view, "Separate").setChecked(true);
        settle();
        for (StepPlot* side : {&view->plots().first(), &view->plots().second()}) {
            const QString text = toolTipAt(side->plot(), 2.5);
            for (const char* part :
                 {"Total (source): ", "Total (target): ", "Source's step", "Target's step"})
                QVERIFY2(text.contains(QLatin1String(part)), qPrintable(text));
        }
    }

    /// At the place of a step that only the other has, memory keeps its last value.
    void gapsAreHeld() {
        const auto view = show<LivenessView>(two());
        QCOMPARE(view->findChild<QComboBox*>(QStringLiteral("align"))->currentIndex(), 1);
        bool gap = false;
        for (const StepArea& area : view->plot().areas().areas())
            for (std::size_t i = 1; i < area.top.size(); ++i)
                if (!area.top.has(i)) {
                    gap = true;
                    QVERIFY(area.held.has(i));
                    std::size_t before = i;
                    while (!area.top.has(before))
                        --before;
                    QCOMPARE(area.held.at(i), area.top.at(before));
                } else {
                    QVERIFY(!area.held.has(i));
                }
        QVERIFY(gap);
    }

    /// At 1280x720 the window leaves about this to a report.
    void thePlotHasMostOfTheHeight() {
        const auto view = std::make_unique<LivenessView>(*context_);
        view->resize(1080, 590);
        view->show();
        open(one());
        settle();
        test::plotHeights(*view);
        const auto* tools = view->findChild<ToolRow*>();
        const int beneath = view->height() - tools->height();
        const QWidget* split = view->findChild<PlotOverTable*>();
        const int plot = split->findChild<StepPlotPair*>()->height();
        QVERIFY2(plot >= 0.6 * beneath,
                 qPrintable(QStringLiteral("%1 of %2").arg(plot).arg(beneath)));
        // Few rows take no more than they need.
        view->tabs().setCurrentIndex(LivenessTabs::AlwaysLive);
        settle();
        TablePanel& table = view->tabs().table(LivenessTabs::AlwaysLive);
        QVERIFY(table.height() <= std::max(table.neededHeight(), table.minimumSizeHint().height()) +
                                      view->fontMetrics().height());
    }
};

TILESCOPE_TEST(LivenessPairTest, QApplication)

} // namespace liveness_pair_test

#include "liveness_pair_test.moc"
