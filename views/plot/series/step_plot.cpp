#include "views/plot/series/step_plot.h"

#include <QVBoxLayout>
#include <algorithm>

#include "views/plot/axes/tickers.h"
#include "views/plot/series/step_columns.h"

namespace tilescope::views {
namespace {
constexpr double headRoom = 1.06;
} // namespace

StepPlot::StepPlot(ViewContext& context, const QString& keyLabel, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , strip_(new OverviewStrip(context, zoom_))
    , plot_(new PlotWidget(context, zoom_))
    , legend_(new LegendBar(context)) {
    areas_ = new StepAreaPlottable(plot_->xAxis, plot_->yAxis);
    plot_->xAxis->setTicker(QSharedPointer<CountTicker>::create());
    plot_->xAxis->ticker()->setTickCount(12);
    plot_->yAxis->setTicker(QSharedPointer<ByteTicker>::create(context.preferences));
    setKeyLabel(keyLabel);
    strip_->setContent(
        [this](QPainter& painter, const QRect& rect) { paintOverview(painter, rect); });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(strip_);
    layout->addWidget(plot_, 1);
    layout->addWidget(legend_);
}

void StepPlot::setKeyLabel(const QString& label) {
    plot_->xAxis->setLabel(label);
}

void StepPlot::setContent(Content content) {
    std::size_t size = 0;
    std::vector<LegendBar::Entry> entries;
    for (const StepArea& area : content.areas) {
        size = std::max(size, area.top.size());
        entries.push_back({area.name, area.colour});
    }
    areas_->setAreas(std::move(content.areas), content.mode);
    legend_->setEntries(std::move(entries));
    double top = static_cast<double>(areas_->largest());
    if (content.limit)
        top = std::max(top, content.limit->value);
    plot_->yAxis->setRange(0, top > 0 ? top * headRoom : 1);
    plot_->setLimit(std::move(content.limit));
    if (size != size_) {
        size_ = size;
        zoom_.setLimits(0, static_cast<double>(std::max<std::size_t>(size, 1)), 4);
    }
    strip_->invalidate();
    plot_->replotSoon();
}

QString StepPlot::valuesAt(std::size_t index) const {
    QStringList lines;
    std::int64_t below = 0;
    for (const StepArea& area : areas_->areas()) {
        if (index >= area.top.size())
            continue;
        const std::int64_t top = area.top.at(index);
        const bool stacked = areas_->mode() == StepAreaPlottable::Mode::Stacked;
        const std::int64_t value = stacked ? top - below : top;
        below = top;
        if (value != 0 || areas_->areas().size() <= 4)
            lines.prepend(
                QStringLiteral("%1: %2").arg(area.name, context_.preferences.bytes(value)));
    }
    return lines.join(QLatin1Char('\n'));
}

void StepPlot::paintOverview(QPainter& painter, const QRect& rect) const {
    if (areas_->areas().empty() || areas_->largest() <= 0)
        return;
    const Theme& theme = context_.theme.current();
    const auto& tallest = *std::max_element(
        areas_->areas().begin(), areas_->areas().end(),
        [](const StepArea& a, const StepArea& b) { return a.top.all().max < b.top.all().max; });
    const double scale = rect.height() / (static_cast<double>(areas_->largest()) * headRoom);
    for (const StepColumn& column :
         stepColumns(tallest.top, zoom_.first(), zoom_.last(), rect.width())) {
        const int height = std::max(1, qRound(static_cast<double>(column.value.max) * scale));
        painter.fillRect(column.x0, rect.bottom() + 1 - height, column.x1 - column.x0, height,
                         mixed(theme.mutedText, theme.surface, 0.45));
    }
}

} // namespace tilescope::views
