// The values report: curves and heat maps as values, and the widgets as a user handles them.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QtTest>

#include "tests/support/sample_values.h"
#include "tests/support/test_main.h"
#include "tests/views/report_alone.h"
#include "views/theme/style.h"
#include "views/values/values_view.h"

namespace values_test {
using namespace tilescope;
using namespace tilescope::views;

namespace {

const ValueTensorId activation(1);
const ValueTensorId gradient(2);
const OperationId conv1(0);
const OperationId relu1(1);

/// WCAG's contrast with what is behind.
double standsOut(double position, const Theme& theme) {
    return contrast(heatScaleColour(position, theme), theme.surface);
}

} // namespace

class ValuesViewTest : public test::ReportAlone {
    Q_OBJECT

    QStringList computed() { return {files_.write("a.pop", {.withValues = true})}; }
    QStringList bothComputed() {
        return {files_.write("a.pop", {.withValues = true}),
                files_.write("b.pop", {.changed = true, .withValues = true})};
    }
    static int rowOf(ValuesView& view, const QString& tensor) {
        const QAbstractItemModel& model = view.tensors().model();
        for (int row = 0; row < model.rowCount(); ++row)
            if (cell(model, row, 0) == tensor)
                return row;
        return -1;
    }
    void clickTensor(ValuesView& view, const QString& tensor) {
        QTableView& table = view.tensors().view();
        const int row = rowOf(view, tensor);
        QVERIFY(row >= 0);
        table.scrollTo(table.model()->index(row, 0));
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.visualRect(table.model()->index(row, 0)).center());
        settle();
    }
    static QString shownTensor(const ValuesView& view) {
        return QString::fromStdString(view.content().tensorOf(view.shownPair()).name);
    }
    static QString readOutAt(HeatPlot& plot, double x, double y) {
        QSignalSpy hovered(&plot, &PlotWidget::hovered);
        QTest::mouseMove(&plot, {static_cast<int>(plot.xAxis->coordToPixel(x)),
                                 static_cast<int>(plot.yAxis->coordToPixel(y))});
        [&] { QTRY_VERIFY(!hovered.isEmpty()); }();
        return hovered.isEmpty() ? QString() : hovered.last()[0].toString();
    }
    static QString nameOfRow(ValuesView& view, HeatPlot& plot, int place) {
        const auto order = plot.cells().order();
        return QString::fromStdString(
            view.content().tensorOf(order->at(static_cast<std::size_t>(place))).name);
    }

private slots:
    // The results of one call are one column, which the axis has alone.
    void oneCallHasOneColumn() {
        newContext();
        Profile profile = test::sampleProfile({.withValues = true});
        profile.values.curve.clear();
        profile.values.epochs.clear();
        std::erase_if(profile.values.samples,
                      [](const ValueSample& sample) { return sample.iteration != 1; });
        const auto view = show<ValuesView>({files_.writeProfile("once.pop", profile)});
        QVERIFY(!view->content().empty());
        QVERIFY(view->axis()->last() < 2);
    }

    void initTestCase() { QApplication::setStyle(new WindowStyle); }
    void init() { newContext(); }

    void curvesAreOfEachQuantity() {
        const ProfileValues values = test::sampleValues(true);
        const CurveLine loss = curveLine(values, CurveQuantity::Loss);
        QCOMPARE(loss.iterations.size(), 8);
        QCOMPARE(loss.values[3], 0.25);
        QCOMPARE(loss.markIterations, (QVector<double>{4, 8}));
        QCOMPARE(loss.markValues[1], 0.625);
        QVERIFY(!loss.constant());
        const CurveLine scale = curveLine(values, CurveQuantity::LossScale);
        QVERIFY(scale.constant());
        QCOMPARE(scale.values.front(), 10.0); // an exponent of two
        QVERIFY(curveLine(values, CurveQuantity::LearningRate).markValues.isEmpty());
    }

    // Single calls go up and down: the line is their mean.
    void manyCallsHaveAMean() {
        ProfileValues values;
        constexpr int calls = 1000;
        for (int i = 1; i <= calls; ++i)
            values.curve.push_back({i, i % 2 == 0 ? 3.0 : 1.0, {}, 0.1, 1});
        const CurveLine loss = curveLine(values, CurveQuantity::Loss);
        QCOMPARE(loss.meanOf, 20);
        QVERIFY(loss.means.size() >= 200 && loss.means.size() < calls);
        for (const double mean : loss.means)
            QVERIFY(std::abs(mean - 2) < 0.2);
        QCOMPARE(loss.values.size(), calls);
        QCOMPARE(curveLine(values, CurveQuantity::LearningRate).meanOf, 1);
        values.curve[500].loss = std::nan("");
        const CurveLine withGap = curveLine(values, CurveQuantity::Loss);
        for (const double mean : withGap.means)
            QVERIFY(std::isfinite(mean));
    }

    void numbersOfCurvesAreWritten() {
        QCOMPARE(curveText(CurveQuantity::Accuracy, 0.972), "97.2 %");
        QCOMPARE(curveText(CurveQuantity::LossScale, 1024), "1,024");
        QCOMPARE(curveText(CurveQuantity::LossScale, 0.5), "0.5");
        QCOMPARE(curveText(CurveQuantity::Loss, std::nan("")), "NaN");
        const ProfileValues one = test::sampleValues();
        const ProfileValues two = test::sampleValues(true);
        const QString read = curveReadOut(one, &two, 4.2, 0.5);
        QVERIFY2(read.startsWith("Update 4, end of epoch 1\nLoss: source 0.5, target 0.25\n"),
                 qPrintable(read));
        QVERIFY2(read.contains("Loss on test data: source 1.25, target 1.25"), qPrintable(read));
        QVERIFY(!curveReadOut(one, nullptr, 2, 0.5).contains("test data"));
        QVERIFY(curveReadOut({}, nullptr, 2, 0.5).isEmpty());
    }

    void columnsReachHalfWayToTheNext() {
        HeatSide side;
        side.iterations = {1, 4, 8};
        QCOMPARE(side.columnStart(0), 0.5);
        QCOMPARE(side.columnStart(1), 2.5);
        QCOMPARE(side.columnStart(3), 8.5);
        QCOMPARE(side.columnAt(0.4), -1);
        QCOMPARE(side.columnAt(2.4), 0);
        QCOMPARE(side.columnAt(2.5), 1);
        QCOMPARE(side.columnAt(5.9), 1);
        QCOMPARE(side.columnAt(8.4), 2);
        QCOMPARE(side.columnAt(8.5), -1);
        QCOMPARE(HeatSide().columnAt(1), -1);
    }

    void exponentsZerosAndOverflowHaveRows() {
        const ProfileValues values = test::sampleValues();
        ExponentAxis axis;
        axis.include(values, gradient);
        const HeatSide side = exponentSide(values, gradient, axis);
        QCOMPARE(side.rows.front().from, axis.zeros());
        QCOMPARE(side.rows.back().from, axis.notFinite());
        QVERIFY(side.rows.front().to <= axis.least && side.rows.back().from > axis.greatest);
        QCOMPARE(side.rows.front().values[0], 3408.0 / 9408);
        QCOMPARE(side.rows.back().values[0], 0.0);
        double all = 0;
        for (const HeatRow& row : side.rows)
            all += row.values[0];
        QCOMPARE(all, 1.0);
        // The whole range of half is always there, also beside numbers that are larger.
        QVERIFY(axis.least < half_range::leastSubnormal && axis.greatest > half_range::greatest);
    }

    void rareSharesAreFarFromNone() {
        const HeatScale scale;
        QVERIFY(scale.positionOf(0) < 0);
        QCOMPARE(scale.positionOf(1e-9), 0.0);
        QCOMPARE(scale.positionOf(1e-2), 0.5);
        QCOMPARE(scale.positionOf(1), 1.0);
    }

    // Large shares stand out most, increasing evenly, in both themes.
    void coloursGrowAwayFromTheBackground() {
        for (const Theme& theme : {lightTheme(), darkTheme()}) {
            constexpr int steps = 20;
            for (int i = 1; i <= steps; ++i)
                QVERIFY2(standsOut(i / 20.0, theme) > standsOut((i - 1) / 20.0, theme),
                         theme.dark ? "dark" : "light");
            QVERIFY(standsOut(1, theme) > 7);
            QVERIFY(heatScaleColour(0, theme) != noShareColour(theme));
        }
    }

    void tensorsAreATable() {
        const auto view = show<ValuesView>(computed());
        const QAbstractItemModelTester tester(&view->tensors().model());
        QCOMPARE(view->tensors().model().rowCount(), 4);
        const QStringList columns = titles(view->tensors().model());
        for (const char* column : {"Tensor", "Kind", "Operation", "Zeros", "Underflow", "At limit"})
            QVERIFY2(columns.contains(column), column);
        const int row = rowOf(*view, "conv1/weights/grad");
        QCOMPARE(cell(view->tensors().model(), row, static_cast<int>(columns.indexOf("From 2^"))),
                 QStringLiteral("\u221224"));
        // The tensor that loses most comes first.
        QCOMPARE(shownTensor(*view), "conv1/weights/grad");
    }

    void kindsFilterTableAndMap() {
        const auto view = show<ValuesView>(computed());
        test::choose(*view, "Heat map", "Tensors: Zeros");
        settle();
        HeatPlot& plot = view->heat().plot();
        QVERIFY(plot.showsTensors());
        QCOMPARE(plot.cells().order()->size(), std::size_t(4));
        test::choose(*view, "Kind", "Gradient");
        settle();
        QCOMPARE(view->tensors().model().rowCount(), 1);
        QCOMPARE(plot.cells().order()->size(), std::size_t(1));
        // Another tensor that is selected elsewhere is not hidden.
        context_->selection.update([](Selected& s) { s.operation = relu1; });
        settle();
        QCOMPARE(test::choiceOf(*view, "Kind").currentText(), "All");
        QCOMPARE(shownTensor(*view), "relu1");
    }

    void theMapHasTheOrderOfTheTable() {
        const auto view = show<ValuesView>(computed());
        test::choose(*view, "Heat map", "Tensors: Zeros");
        settle();
        const int zeros = static_cast<int>(titles(view->tensors().model()).indexOf("Zeros"));
        view->tensors().view().sortByColumn(zeros, Qt::DescendingOrder);
        settle();
        HeatPlot& plot = view->heat().plot();
        QCOMPARE(nameOfRow(*view, plot, 0), "relu1");
        QCOMPARE(nameOfRow(*view, plot, 1), "conv1/weights/grad");
        view->tensors().model().setFilter("momentum");
        settle();
        QCOMPARE(plot.cells().order()->size(), std::size_t(1));
        view->tensors().model().setFilter("no such tensor");
        settle();
        QVERIFY(plot.cells().order()->empty());
        QVERIFY(!plot.grab().isNull());
    }

    void aTensorIsSelectedEverywhere() {
        const auto view = show<ValuesView>(computed());
        clickTensor(*view, "relu1");
        QCOMPARE(selected().tensor, activation);
        QCOMPARE(selected().operation, relu1);
        QVERIFY(test::labelText(view->heat(), "heading").startsWith("relu1: activation, half"));
        const Selected first = selected();
        // And the other way: of an operation with several tensors the first, or the one shown.
        context_->selection.update([](Selected& s) { s.operation = conv1; });
        settle();
        QCOMPARE(shownTensor(*view), "conv1/weights");
        clickTensor(*view, "conv1/weights/grad");
        context_->selection.update([](Selected& s) { s.tiles = {TileId(3)}; });
        settle();
        QCOMPARE(shownTensor(*view), "conv1/weights/grad");
        context_->selection.set(first);
        settle();
        QCOMPARE(shownTensor(*view), "relu1");
    }

    void aRowOfTheMapIsATensor() {
        const auto view = show<ValuesView>(computed());
        test::choose(*view, "Heat map", "Tensors: Underflow");
        settle();
        HeatPlot& plot = view->heat().plot();
        plot.replot();
        const int place = 1;
        const QString name = nameOfRow(*view, plot, place);
        QTest::mouseClick(&plot, Qt::LeftButton, {},
                          {static_cast<int>(plot.xAxis->coordToPixel(4)),
                           static_cast<int>(plot.yAxis->coordToPixel(place + 0.5))});
        settle();
        QCOMPARE(QString::fromStdString(view->content().source->tensors[selected().tensor].name),
                 name);
        QCOMPARE(cell(view->tensors().model(), view->tensors().view().currentIndex().row(), 0),
                 name);
    }

    void thePointerReadsValues() {
        const auto view = show<ValuesView>(computed());
        clickTensor(*view, "conv1/weights/grad");
        HeatPlot& plot = view->heat().plot();
        plot.replot();
        const QString read = readOutAt(plot, 4, -23.5);
        QVERIFY2(read.contains("Iteration 4") && read.contains("31.9 % (3,000 of 9,408)"),
                 qPrintable(read));
        QVERIFY2(read.contains("Zeros: 36.2 %"), qPrintable(read));
        QCOMPARE(plot.cells().colourOf(0), noShareColour(context_->theme.current()));
        QVERIFY(!plot.cells().colourOf(std::nan("")).isValid());
    }

    // Many iterations in one pixel: the largest is shown.
    void whatIsRareDoesNotVanish() {
        newContext();
        ZoomRange zoom;
        constexpr int iterations = 20'000;
        zoom.setLimits(0.5, iterations + 0.5, 4);
        HeatPlot plot(*context_, zoom);
        plot.resize(500, 300);
        plot.show();
        HeatSide side;
        for (int i = 1; i <= iterations; ++i)
            side.iterations.push_back(i);
        side.rows.push_back({0, 1, std::vector<double>(iterations, 0)});
        side.rows.front().values[iterations / 2] = 1;
        plot.showTensors(side, {}, {});
        plot.setOrder({0});
        plot.replot();
        const QImage image = plot.toPixmap().toImage();
        const QRgb wanted = heatScaleColour(1, context_->theme.current()).rgb();
        const int y = static_cast<int>(plot.yAxis->coordToPixel(0.5));
        int pixels = 0;
        for (int x = 0; x < image.width(); ++x)
            pixels += image.pixel(x, y) == wanted ? 1 : 0;
        QCOMPARE(pixels, 1);
    }

    void zoomIsShared() {
        const auto view = show<ValuesView>(computed());
        CurvePlot& loss = view->curves().plot(CurveQuantity::Loss);
        QTest::keyClick(&loss, Qt::Key_W);
        QCOMPARE(loss.xAxis->range(), view->heat().plot().xAxis->range());
        QVERIFY(loss.xAxis->range().size() < 8);
    }

    void constantCurvesAreWords() {
        const auto view = show<ValuesView>(computed());
        QVERIFY(view->curves().plot(CurveQuantity::Loss).isVisible());
        QVERIFY(view->curves().plot(CurveQuantity::Accuracy).isVisible());
        QVERIFY(!view->curves().plot(CurveQuantity::LossScale).isVisible());
        QVERIFY(test::labelText(view->curves(), "muted").contains("loss scale 1."));
        test::button(*view, "Loss scale").click();
        QVERIFY(view->curves().plot(CurveQuantity::LossScale).isVisible());
        // The axis of updates is below the last plot.
        QVERIFY(view->curves().plot(CurveQuantity::LossScale).xAxis->tickLabels());
        QVERIFY(!view->curves().plot(CurveQuantity::Accuracy).xAxis->tickLabels());
    }

    void twoRunsShareTheirScales() {
        const auto view = show<ValuesView>(bothComputed());
        const QAbstractItemModelTester tester(&view->tensors().model());
        CurvePlot& loss = view->curves().plot(CurveQuantity::Loss);
        // Lines, after the single calls, which are not drawn separately for few updates.
        const QCPGraph& ofSource = *loss.graph(2 * CurvePlot::Means);
        const QCPGraph& ofTarget = *loss.graph(2 * CurvePlot::Means + 1);
        QCOMPARE(loss.graph(0)->dataCount(), 0);
        QCOMPARE(ofSource.dataCount(), 8);
        QCOMPARE(ofTarget.dataCount(), 8);
        QVERIFY(ofSource.pen().color() != ofTarget.pen().color());
        QVERIFY(ofSource.pen().style() != ofTarget.pen().style());
        clickTensor(*view, "conv1/weights/grad");
        HeatPlot& source = view->heat().plot();
        HeatPlot& target = view->heat().plot(true);
        QVERIFY(source.isVisible() && target.isVisible());
        QCOMPARE(source.yAxis->range(), target.yAxis->range());
        QVERIFY(source.cells().side().rows.front().values[0] > 0.3); // zeros
        QCOMPARE(target.cells().side().rows.front().values[0], 0.0);
        test::choose(*view, "Heat map", "Tensors: Typical exponent");
        settle();
        QCOMPARE(source.cells().scale().low, target.cells().scale().low);
        QCOMPARE(source.cells().scale().high, target.cells().scale().high);
        QCOMPARE(source.cells().side().rows.size(), target.cells().side().rows.size());
    }

    void aTensorOfOneRunIsSaid() {
        const auto view = show<ValuesView>(bothComputed());
        clickTensor(*view, "conv1/weights/momentum");
        bool said = false;
        for (const QLabel* label : view->heat().findChildren<QLabel*>())
            said = said || label->text() == "Target: no such tensor";
        QVERIFY(said);
        QVERIFY(view->heat().plot(true).cells().side().rows.empty());
        QVERIFY(!view->grab().isNull());
    }

    void samplesAreATableOfTheTensor() {
        const auto view = show<ValuesView>(bothComputed());
        clickTensor(*view, "conv1/weights/grad");
        auto& tabs = test::child<QTabWidget>(*view);
        QCOMPARE(tabs.tabText(1), "Samples of the tensor");
        tabs.setCurrentIndex(1);
        auto* samples = qobject_cast<TablePanel*>(tabs.currentWidget());
        QCOMPARE(samples->model().rowCount(), 6);
        QCOMPARE(cell(samples->model(), 0, 0), "Source");
        QCOMPARE(cell(samples->model(), 5, 0), "Target");
    }

    void withoutValuesTheCommandIsNamed() {
        const auto view = show<ValuesView>(one());
        QString message;
        for (const auto* panel : view->findChildren<LoadingPanel*>())
            if (panel->isVisible() && panel->showsMessage())
                message += test::messageText(*panel);
        QVERIFY2(message.contains("tilescope run") && message.contains("--compute"),
                 qPrintable(message));
        QVERIFY(!test::choiceOf(*view, "Heat map").isEnabled());
        // Controls of values are hidden; the button to compute them is shown.
        QVERIFY(!test::button(*view, "Loss").isVisible());
        QSignalSpy again(view.get(), &ReportView::runAgainWanted);
        QToolButton& compute = test::button(*view, "Run again with --compute\u2026");
        QVERIFY(compute.isVisible());
        compute.click();
        QCOMPARE(again.count(), 1);
        QCOMPARE(again[0][1].value<std::string>(), std::string("compute"));
        // Values of another profile come back.
        open(computed());
        settle();
        QVERIFY(view->heat().isVisible());
        QVERIFY(test::button(*view, "Loss").isEnabled());
        QVERIFY(test::button(*view, "Loss").isVisible() && !compute.isVisible());
    }

    void aRunThatDidNotTrainHasNoCurves() {
        Profile profile = test::sampleProfile({.withValues = true});
        profile.values.curve.clear();
        profile.values.epochs.clear();
        const auto view = show<ValuesView>({files_.writeProfile("inference.pop", profile)});
        QVERIFY(!view->curves().isVisible());
        QVERIFY(view->heat().isVisible());
        QCOMPARE(view->heat().plot().xAxis->label(), "Micro-batches");
    }
};

TILESCOPE_TEST(ValuesViewTest, QApplication)

} // namespace values_test

#include "values_test.moc"
