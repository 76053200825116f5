#include "views/values/curve_plot.h"

#include <algorithm>

#include "views/plot/axes/tickers.h"

namespace tilescope::views {
namespace {

constexpr int fewPoints = 40; // each is more visible with a dot

QSharedPointer<QCPAxisTicker> valueTicker(CurveQuantity quantity) {
    switch (quantity) {
    case CurveQuantity::Accuracy:
        return QSharedPointer<ShareTicker>::create();
    case CurveQuantity::LossScale:
        return QSharedPointer<PowerTicker>::create();
    case CurveQuantity::Loss:
    case CurveQuantity::LearningRate:
        break;
    }
    return QSharedPointer<NumberTicker>::create();
}

// Single calls of both runs come first: they are behind both lines.
int graphOf(int run, CurvePlot::Graph which) {
    return 2 * which + run;
}

} // namespace

CurvePlot::CurvePlot(ViewContext& context, ZoomRange& zoom, CurveQuantity quantity, QWidget* parent)
    : PlotWidget(context, zoom, parent)
    , quantity_(quantity) {
    // Lines that go up and down in each step cannot be read without it.
    for (const auto element : {QCP::aePlottables, QCP::aeScatters}) {
        setNotAntialiasedElement(element, false);
        setAntialiasedElement(element, true);
    }
    axisRect()->setMargins(QMargins(left, 0, rightMargin, 0));
    xAxis->setTicker(QSharedPointer<CountTicker>::create());
    yAxis->setTicker(valueTicker(quantity));
    setValueTitle(curveTitle(quantity));
    setAccessibleName(curveTitle(quantity));
    for (int i = 0; i < 2 * GraphsOfRun; ++i)
        addGraph()->setSelectable(QCP::stNone);
    const bool isSet =
        quantity == CurveQuantity::LossScale || quantity == CurveQuantity::LearningRate;
    for (int run = 0; run < 2; ++run) {
        graph(graphOf(run, Marks))->setLineStyle(QCPGraph::lsNone);
        if (isSet)
            graph(graphOf(run, Means))->setLineStyle(QCPGraph::lsStepRight);
    }
    connect(this, &QCustomPlot::afterLayout, this, &CurvePlot::fitKeys);
    connect(&zoom, &ZoomRange::changed, this, &CurvePlot::fitValues);
    connect(&context.theme, &ThemeSource::changed, this, &CurvePlot::style);
    style();
}

QColor CurvePlot::pale(const QColor& colour, const Theme& theme) {
    constexpr double share = 0.72; // of the background
    return mixed(colour, theme.surface, share);
}

void CurvePlot::setLines(const CurveLine& source, const CurveLine& target) {
    meanOf_ = std::max(source.meanOf, target.meanOf);
    fill(0, source);
    fill(1, target);
    style();
    fitValues();
}

void CurvePlot::fill(int run, const CurveLine& line) {
    constexpr bool sorted = false; // a damaged file may have them in any order
    const bool calls = line.meanOf > 1;
    graph(graphOf(run, Calls))
        ->setData(calls ? line.iterations : QVector<double>(),
                  calls ? line.values : QVector<double>(), sorted);
    graph(graphOf(run, Means))->setData(line.meanIterations, line.means, sorted);
    graph(graphOf(run, Marks))->setData(line.markIterations, line.markValues, sorted);
}

// As many labels as have room beside each other.
void CurvePlot::fitKeys() {
    constexpr int fewest = 2;
    const int room = 2 * fontMetrics().horizontalAdvance(QStringLiteral("88,888"));
    const int count = std::max(fewest, axisRect()->width() / room);
    if (xAxis->ticker()->tickCount() == count)
        return;
    xAxis->ticker()->setTickCount(count);
    replotSoon();
}

void CurvePlot::showKeys(bool shown) {
    xAxis->setTickLabels(shown);
    xAxis->setLabel(shown ? tr("Weight updates") : QString());
    replotSoon();
}

void CurvePlot::style() {
    constexpr double lineWidth = 2;
    constexpr double dot = 4;
    constexpr double diamond = 10;
    for (int run = 0; run < 2; ++run) {
        const QColor colour = run == 0 ? theme().source : theme().target;
        graph(graphOf(run, Calls))->setPen(QPen(pale(colour, theme())));
        QCPGraph* line = graph(graphOf(run, Means));
        line->setPen(QPen(colour, lineWidth, run == 0 ? Qt::SolidLine : Qt::DashLine));
        const bool few = line->dataCount() < fewPoints;
        line->setScatterStyle(few ? QCPScatterStyle(QCPScatterStyle::ssDisc, colour, colour, dot)
                                  : QCPScatterStyle(QCPScatterStyle::ssNone));
        // With an edge that separates it from its line.
        graph(graphOf(run, Marks))
            ->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(theme().surface, 1),
                                              colour, diamond));
    }
    replotSoon();
}

// Starts at zero unless that would flatten the visible part.
void CurvePlot::fitValues() {
    constexpr double headRoom = 0.08;
    constexpr double nearZero = 0.4; // of the largest value
    double low = 0;
    double high = 0;
    bool any = false;
    const QCPRange keys(zoom().from(), zoom().to());
    for (const int i :
         {graphOf(0, Means), graphOf(0, Marks), graphOf(1, Means), graphOf(1, Marks)}) {
        bool found = false;
        const QCPRange range = graph(i)->getValueRange(found, QCP::sdBoth, keys);
        if (!found)
            continue;
        low = any ? std::min(low, range.lower) : range.lower;
        high = any ? std::max(high, range.upper) : range.upper;
        any = true;
    }
    if (!any || high <= low) {
        // One number: in the middle.
        const double around = quantity_ == CurveQuantity::LossScale ? 2 : std::max(high, 1e-30);
        low = std::max(0.0, high - around);
        high += around;
    } else {
        const double room = headRoom * (high - low);
        const bool share = quantity_ == CurveQuantity::Accuracy;
        low = low >= 0 && low < nearZero * high ? 0 : low - room;
        high = share ? std::min(1.0 + headRoom / 4, high + room) : high + room;
    }
    yAxis->setRange(low, high);
    replotSoon();
}

} // namespace tilescope::views
