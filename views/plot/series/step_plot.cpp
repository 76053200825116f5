#include "views/plot/series/step_plot.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "views/plot/series/step_columns.h"
#include "views/theme/colour_scale.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {
constexpr double headRoom = 1.06;
/// A limit farther away than this many times the data leaves the axis to the data.
constexpr double farthestLimit = 4;

LegendBar::Entry entryOf(const StepArea& area, StepAreaPlottable::Mode mode,
                         const QColor& surface) {
    if (!area.filled)
        return {area.name, area.colour, LegendBar::Mark::Line};
    LegendBar::Entry entry{area.name, area.colour};
    if (mode == StepAreaPlottable::Mode::Overlaid) {
        constexpr double opacity = StepAreaPlottable::overlaidOpacity;
        entry.edge = area.colour;
        entry.colour = mixed(area.colour, surface, 1 - opacity);
    }
    return entry;
}
} // namespace

StepPlot::StepPlot(ViewContext& context, const QString& keyLabel, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , strip_(new OverviewStrip(context, zoom_))
    , plot_(new PlotWidget(context, zoom_))
    , legend_(new LegendBar(context)) {
    areas_ = new StepAreaPlottable(plot_->xAxis, plot_->yAxis);
    ticker_ = QSharedPointer<CountTicker>::create();
    plot_->xAxis->setTicker(ticker_);
    plot_->xAxis->ticker()->setTickCount(12);
    plot_->yAxis->setTicker(QSharedPointer<ByteTicker>::create(context.preferences));
    setKeyLabel(keyLabel);
    title_ = new QCPItemText(plot_);
    title_->position->setType(QCPItemPosition::ptAxisRectRatio);
    title_->position->setCoords(0.006, 0.02);
    title_->setPositionAlignment(Qt::AlignTop | Qt::AlignLeft);
    title_->setPadding({5, 2, 5, 2});
    title_->setVisible(false);
    title_->setSelectable(false);
    connect(&context_.theme, &ThemeSource::changed, this, &StepPlot::styleTitle);
    styleTitle();
    strip_->setContent(
        [this](QPainter& painter, const QRect& rect) { paintOverview(painter, rect); });
    inColumn(this, {strip_, plot_, legend_}, plot_);
}

void StepPlot::setKeyNumbers(std::vector<std::int32_t> numbers) {
    ticker_->setNumbers(std::move(numbers));
    plot_->replotSoon();
}

void StepPlot::setTitle(const QString& title) {
    title_->setText(title);
    title_->setVisible(!title.isEmpty());
    plot_->replotSoon();
}

void StepPlot::styleTitle() {
    const Theme& theme = context_.theme.current();
    QFont bold = font();
    bold.setBold(true);
    title_->setFont(bold);
    title_->setColor(theme.text);
    QColor back = theme.surface;
    back.setAlphaF(0.8F);
    title_->setBrush(back);
    title_->setPen(Qt::NoPen);
}

void StepPlot::setContent(Content content) {
    std::size_t size = content.length;
    std::vector<LegendBar::Entry> entries;
    const QColor surface = context_.theme.current().surface;
    for (const StepArea& area : content.areas) {
        size = std::max(size, area.top.size());
        entries.push_back(entryOf(area, content.mode, surface));
    }
    const QColor tooMuch = tooMuchColour(context_.theme.current());
    if (std::any_of(content.areas.begin(), content.areas.end(), std::mem_fn(&StepArea::exceeds)))
        entries.push_back({tr("Over the maximum"), tooMuch});
    areas_->setAreas(std::move(content.areas), content.mode, {tooMuch, surface});
    legend_->setEntries(std::move(entries));
    double top = std::max(content.top, static_cast<double>(areas_->largest()));
    if (content.limit && content.limit->value <= farthestLimit * top)
        top = std::max(top, content.limit->value);
    plot_->yAxis->setRange(0, top > 0 ? top * headRoom : 1);
    if (content.limit)
        content.limit->alsoAbove = true;
    plot_->setLimit(std::move(content.limit));
    if (size != size_) {
        size_ = size;
        zoom_.setLimits(0, static_cast<double>(std::max<std::size_t>(size, 1)), 4);
    }
    strip_->invalidate();
    plot_->replotSoon();
}

QString StepPlot::valuesAt(std::size_t index) const {
    constexpr std::size_t few = 4; // up to so many areas, zeros are listed too
    const std::vector<StepArea>& areas = areas_->areas();
    QStringList lines;
    QStringList stack; // the lines of one, from its top
    std::int64_t below = 0;
    for (std::size_t i = 0; i < areas.size(); ++i) {
        const StepArea& area = areas[i];
        if (!areas_->standsOnBefore(i)) {
            lines += std::exchange(stack, {});
            below = 0;
        }
        if (!area.top.has(index))
            continue;
        const std::int64_t top = area.top.at(index);
        if (top != below || areas.size() <= few)
            stack.prepend(readOutLine(area.name, context_.preferences.bytes(top - below)));
        if (!area.total.isEmpty())
            stack.prepend(readOutLine(area.total, context_.preferences.bytes(top)));
        below = top;
    }
    return (lines + stack).join(QLatin1Char('\n'));
}

void StepPlot::paintOverview(QPainter& painter, const QRect& rect) const {
    if (areas_->areas().empty() || areas_->largest() <= 0)
        return;
    const Theme& theme = context_.theme.current();
    const auto& tallest = *std::max_element(
        areas_->areas().begin(), areas_->areas().end(),
        [](const StepArea& a, const StepArea& b) { return a.top.all().max < b.top.all().max; });
    const double scale = rect.height() / (static_cast<double>(areas_->largest()) * headRoom);
    const auto paint = [&](const MinMaxPyramid& values) {
        for (const StepColumn& column :
             stepColumns(values, zoom_.first(), zoom_.last(), rect.width())) {
            const int height = std::max(1, qRound(static_cast<double>(column.value.max) * scale));
            const bool exceeds = tallest.limit > 0 && column.value.max > tallest.limit;
            painter.fillRect(column.x0, rect.bottom() + 1 - height, column.x1 - column.x0, height,
                             exceeds ? tooMuchColour(theme)
                                     : mixed(theme.mutedText, theme.surface, 0.45));
        }
    };
    paint(tallest.held);
    paint(tallest.top);
}

} // namespace tilescope::views
