#include "views/execution/record_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QStringList>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "views/plot/axes/tickers.h"
#include "views/theme/text.h"
#include "views/widgets/control_states.h"

namespace tilescope::views {
namespace {

/// "Loss (nats)", as people see it.
QString titleOf(const HostSeries& series) {
    const QString name = shownName(series.graph);
    return series.unit.empty() ? name : QStringLiteral("%1 (%2)").arg(name, shownName(series.unit));
}

/// Edge and what is on both sides of it: "below -8", "-8 to 0", "0 and above".
QString binText(const HostHeatMap& map, std::size_t bin) {
    if (map.edges.empty())
        return RecordPlot::tr("all");
    if (bin == 0)
        return RecordPlot::tr("below %1").arg(map.edges.front());
    if (bin >= map.edges.size())
        return RecordPlot::tr("%1 and above").arg(map.edges.back());
    return RecordPlot::tr("%1 to %2").arg(map.edges[bin - 1]).arg(map.edges[bin]);
}

std::vector<const HostSeries*> linesOf(const HostRecord& record, const std::string& graph) {
    std::vector<const HostSeries*> lines;
    for (const HostSeries& series : record.series)
        if (series.graph == graph && !series.points.empty())
            lines.push_back(&series);
    return lines;
}

} // namespace

RecordPlot::RecordPlot(ViewContext& context, QWidget* parent)
    : PlotWidget(context, context.timeZoom, parent) {
    xAxis->setTicker(QSharedPointer<CountTicker>::create());
    axisRect()->setMargins(QMargins(leftMargin, 0, rightMargin, 0));
    setAccessibleName(tr("Graph of the program"));
    setReadOut([this](double x, double y) { return readAt(x, y); });
    connect(&context.timeZoom, &ZoomRange::changed, this, &RecordPlot::fitToSight);
    connect(&context.theme, &ThemeSource::changed, this, &RecordPlot::colour);
}

void RecordPlot::clear() {
    clearPlottables();
    cells_ = nullptr;
    map_ = nullptr;
}

void RecordPlot::showMap(const HostHeatMap& map, double clockHz) {
    clear();
    map_ = &map;
    clockHz_ = clockHz;
    cells_ = new QCPColorMap(xAxis, yAxis);
    cells_->setSelectable(QCP::stNone);
    cells_->setInterpolate(false);
    cells_->setTightBoundary(false);
    const QString name = shownName(map.name);
    setValueTitle(map.unit.empty() ? name
                                   : QStringLiteral("%1 (%2)").arg(name, shownName(map.unit)));
    labelBins();
    colour();
    fitToSight();
}

/// At edges, between the rows of their bins; as many as have room.
void RecordPlot::labelBins() {
    constexpr std::size_t most = 4;
    const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    const std::size_t count = map_->edges.size();
    const std::size_t step = std::max<std::size_t>(1, (count + most - 1) / most);
    for (std::size_t i = 0; i < count; i += step)
        ticker->addTick(static_cast<double>(i) + 0.5, QString::number(map_->edges[i]));
    yAxis->setTicker(ticker);
}

const HostHeatMap::Moment* RecordPlot::momentAt(double cycle) const {
    const auto after = std::upper_bound(
        map_->moments.begin(), map_->moments.end(), cycle / clockHz_,
        [](double time, const HostHeatMap::Moment& moment) { return time < moment.time; });
    return after == map_->moments.begin() ? nullptr : &*(after - 1);
}

double RecordPlot::shareAt(double cycle, std::size_t bin) const {
    const HostHeatMap::Moment* moment = momentAt(cycle);
    if (moment == nullptr)
        return qQNaN();
    const std::int64_t most = *std::max_element(moment->counts.begin(), moment->counts.end());
    return most == 0 ? 0 : static_cast<double>(moment->counts.at(bin)) / static_cast<double>(most);
}

// A column for every few pixels in sight, whatever the times of the moments are.
void RecordPlot::fillMap() {
    constexpr int columns = 400;
    const std::size_t bins = map_->edges.size() + 1;
    const QCPRange keys(zoom().from(), zoom().to());
    const double half = keys.size() / columns / 2;
    cells_->data()->setSize(columns, static_cast<int>(bins));
    cells_->data()->setRange({keys.lower + half, keys.upper - half},
                             {0, static_cast<double>(bins) - 1});
    for (int column = 0; column < columns; ++column)
        for (std::size_t bin = 0; bin < bins; ++bin)
            cells_->data()->setCell(column, static_cast<int>(bin),
                                    shareAt(keys.lower + (2 * column + 1) * half, bin));
    cells_->setDataRange({0, 1});
    yAxis->setRange(-0.5, static_cast<double>(bins) - 0.5);
}

void RecordPlot::showGraph(const HostRecord& record, const std::string& graph, double clockHz) {
    clear();
    yAxis->setTicker(QSharedPointer<NumberTicker>::create());
    for (const HostSeries* series : linesOf(record, graph)) {
        QVector<double> cycles;
        QVector<double> values;
        for (const HostSeries::Point& point : series->points) {
            cycles.push_back(point.time * clockHz);
            values.push_back(point.value);
        }
        QCPGraph* line = addGraph();
        line->setSelectable(QCP::stNone);
        line->setName(shownName(series->label));
        line->setLineStyle(QCPGraph::lsStepLeft);
        line->setData(cycles, values, true);
        setValueTitle(titleOf(*series));
    }
    colour();
    fitToSight();
}

void RecordPlot::colour() {
    constexpr double lineWidth = 2;
    constexpr double dot = 5;
    if (cells_ != nullptr) {
        QCPColorGradient gradient;
        gradient.clearColorStops();
        gradient.setColorStopAt(0, theme().surface);
        gradient.setColorStopAt(1, theme().series(0));
        gradient.setNanHandling(QCPColorGradient::nhTransparent);
        cells_->setGradient(gradient);
    }
    for (int i = 0; i < graphCount(); ++i) {
        const QColor colour = theme().series(i);
        graph(i)->setPen(QPen(colour, lineWidth));
        graph(i)->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, colour, colour, dot));
    }
    replotSoon();
}

void RecordPlot::fitToSight() {
    constexpr double headRoom = 0.1;
    if (cells_ != nullptr) {
        fillMap();
        replotSoon();
        return;
    }
    double low = 0;
    double high = 0;
    bool any = false;
    for (const bool inSight : {true, false}) {
        for (int i = 0; i < graphCount() && !(any && !inSight); ++i) {
            bool found = false;
            const QCPRange range =
                inSight ? graph(i)->getValueRange(found, QCP::sdBoth, {zoom().from(), zoom().to()})
                        : graph(i)->getValueRange(found);
            if (!found)
                continue;
            low = any ? std::min(low, range.lower) : range.lower;
            high = any ? std::max(high, range.upper) : range.upper;
            any = true;
        }
    }
    const double room = high > low ? headRoom * (high - low) : std::max(1e-9, high * headRoom);
    yAxis->setRange(low - room, high + room);
    replotSoon();
}

QString RecordPlot::readAt(double cycle, double y) const {
    QStringList lines;
    if (map_ != nullptr) {
        const HostHeatMap::Moment* moment = momentAt(cycle);
        const auto bin = static_cast<std::size_t>(std::max(0L, std::lround(y)));
        return moment == nullptr || bin >= moment->counts.size()
                   ? QString()
                   : QStringLiteral("%1: %2").arg(binText(*map_, bin)).arg(moment->counts[bin]);
    }
    for (int i = 0; i < graphCount(); ++i) {
        const auto data = graph(i)->data();
        const auto after = data->findBegin(cycle, false);
        if (after == data->constBegin())
            continue;
        lines.push_back(QStringLiteral("%1: %2").arg(graph(i)->name()).arg((after - 1)->value));
    }
    return lines.join('\n');
}

RecordPanel::RecordPanel(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , graphs_(new QComboBox)
    , plot_(new RecordPlot(context))
    , legend_(new LegendBar(context)) {
    graphs_->setAccessibleName(tr("Graph"));
    leaveOutOfState(*graphs_); // its items are those of a profile
    auto* row = new QHBoxLayout;
    row->setContentsMargins(PlotWidget::leftMargin, 4, PlotWidget::rightMargin, 0);
    row->addWidget(graphs_);
    row->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(plot_, 1);
    layout->addWidget(legend_);
    connect(graphs_, &QComboBox::currentIndexChanged, this, &RecordPanel::showChosen);
    connect(plot_, &PlotWidget::hovered, this, &RecordPanel::hovered);
    connect(&context.theme, &ThemeSource::changed, this, &RecordPanel::showChosen);
}

bool RecordPanel::hasGraphs() const {
    return graphs_->count() > 0;
}

void RecordPanel::setRecord(std::shared_ptr<const HostRecord> record, double clockHz) {
    record_ = std::move(record);
    clockHz_ = clockHz;
    const QSignalBlocker quiet(graphs_);
    graphs_->clear();
    for (const HostSeries& series : record_ ? record_->series : std::vector<HostSeries>())
        if (const auto key = QByteArray::fromStdString(series.graph);
            !series.points.empty() && graphs_->findData(key) < 0)
            graphs_->addItem(titleOf(series), key);
    firstMap_ = graphs_->count();
    for (const HostHeatMap& map : record_ ? record_->heatMaps : std::vector<HostHeatMap>())
        graphs_->addItem(tr("%1, heat map").arg(shownName(map.name)));
    showChosen();
}

void RecordPanel::showChosen() {
    if (!hasGraphs())
        return;
    if (graphs_->currentIndex() >= firstMap_) {
        const auto at = static_cast<std::size_t>(graphs_->currentIndex() - firstMap_);
        plot_->showMap(record_->heatMaps[at], clockHz_);
        const Theme& theme = context_.theme.current();
        LegendBar::Entry scale{tr("Numbers in a bin: none"), theme.surface, LegendBar::Mark::Scale};
        scale.scale = {theme.surface, theme.series(0)};
        scale.end = tr("the most of the bins at that moment");
        legend_->setEntries({std::move(scale)});
        return;
    }
    const std::string chosen = graphs_->currentData().toByteArray().toStdString();
    plot_->showGraph(*record_, chosen, clockHz_);
    std::vector<LegendBar::Entry> entries;
    for (const HostSeries* series : linesOf(*record_, chosen))
        entries.push_back({shownName(series->label),
                           context_.theme.current().series(static_cast<int>(entries.size())),
                           LegendBar::Mark::Line});
    legend_->setEntries(std::move(entries));
}

} // namespace tilescope::views
