#include "views/plot/series/step_plot_pair.h"

#include <QEvent>
#include <algorithm>

namespace tilescope::views {
namespace {

double topOf(const StepPlot::Content& content) {
    std::int64_t top = 0;
    for (const StepArea& area : content.areas)
        top = std::max(top, area.top.all().max);
    return std::max(content.top, static_cast<double>(top));
}

std::size_t lengthOf(const StepPlot::Content& content) {
    std::size_t length = content.length;
    for (const StepArea& area : content.areas)
        length = std::max(length, area.top.size());
    return length;
}

// Entries of both; a layer that both have is listed once.
std::vector<LegendBar::Entry> joined(std::vector<LegendBar::Entry> entries,
                                     const std::vector<LegendBar::Entry>& more) {
    for (const LegendBar::Entry& entry : more)
        if (std::none_of(entries.begin(), entries.end(), [&](const LegendBar::Entry& other) {
                return other.name == entry.name && other.colour == entry.colour;
            }))
            entries.push_back(entry);
    return entries;
}

// Curves of both can be told apart.
constexpr int lowest = 70;

// Axes, title, keys and strip. What a plot has laid out may be older than its size.
int around(StepPlot& side) {
    const PlotWidget& plot = side.plot();
    return side.height() - plot.height() + plot.viewport().height() - plot.axisRect()->height();
}

} // namespace

StepPlotPair::StepPlotPair(ViewContext& context, const QString& keyLabel, QWidget* parent)
    : QWidget(parent)
    , first_(new StepPlot(context, keyLabel))
    , second_(new StepPlot(context, keyLabel))
    , keyLabel_(keyLabel) {
    for (StepPlot* side : {first_, second_}) {
        side->setParent(this);
        // When it has been drawn it is known what there is around it.
        connect(&side->plot(), &QCustomPlot::afterReplot, this, &StepPlotPair::arrange);
    }
    second_->overview().hide();
    second_->hide();
    const auto follow = [this](StepPlot* leader, StepPlot* follower) {
        connect(&leader->zoom(), &ZoomRange::changed, this, [this, leader, follower] {
            if (!two_ || following_)
                return;
            following_ = true;
            follower->zoom().setRange(leader->zoom().from(), leader->zoom().to());
            following_ = false;
        });
    };
    follow(first_, second_);
    follow(second_, first_);
}

void StepPlotPair::showSecond(bool two) {
    two_ = two;
    second_->setVisible(two);
    first_->legend().setVisible(!two);
    // One axis of keys serves both.
    first_->plot().xAxis->setTickLabels(!two);
    first_->setKeyLabel(two ? QString() : keyLabel_);
    second_->setKeyLabel(keyLabel_);
    updateGeometry();
    arrange();
}

QSize StepPlotPair::sizeHint() const {
    const QSize first = first_->sizeHint();
    return two_ ? QSize(first.width(), first.height() + second_->sizeHint().height()) : first;
}

QSize StepPlotPair::minimumSizeHint() const {
    const QSize first = first_->minimumSizeHint();
    return two_ ? QSize(first.width(), around(*first_) + around(*second_) + 2 * lowest) : first;
}

bool StepPlotPair::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) {
        updateGeometry();
        arrange();
    }
    return QWidget::event(event);
}

// Equal scales need equal heights: of the plots, not of what is around them. A layout could only
// share what its widgets leave, and would give them their own least heights where there is little.
void StepPlotPair::arrange() {
    const auto put = [](StepPlot& side, const QRect& at) {
        if (side.geometry() == at)
            return;
        side.setGeometry(at);
        side.plot().replotSoon(); // asked for while one is drawn an immediate one is lost
    };
    if (!two_)
        return put(*first_, rect());
    const int first = around(*first_);
    const int second = around(*second_);
    const int each = std::max(lowest, (height() - first - second) / 2);
    put(*first_, {0, 0, width(), first + each});
    put(*second_, {0, first + each, width(), second + each});
}

void StepPlotPair::setContent(StepPlot::Content content) {
    showSecond(false);
    first_->setTitle({});
    first_->setContent(std::move(content));
    second_->setContent({});
}

void StepPlotPair::setContents(StepPlot::Content first, const QString& firstTitle,
                               StepPlot::Content second, const QString& secondTitle) {
    first.length = second.length = std::max(lengthOf(first), lengthOf(second));
    first.top = second.top = std::max(topOf(first), topOf(second));
    showSecond(true);
    first_->setTitle(firstTitle);
    second_->setTitle(secondTitle);
    first_->setContent(std::move(first));
    second_->setContent(std::move(second));
    second_->zoom().setRange(first_->zoom().from(), first_->zoom().to());
    second_->legend().setEntries(joined(first_->legend().entries(), second_->legend().entries()));
}

void StepPlotPair::setKeyLabel(const QString& label) {
    keyLabel_ = label;
    showSecond(two_);
}

void StepPlotPair::setValueTitle(const QString& title) {
    first_->setValueTitle(title);
    second_->setValueTitle(title);
}

void StepPlotPair::setMarkers(const std::vector<PlotWidget::Marker>& first,
                              const std::vector<PlotWidget::Marker>& second) {
    first_->plot().setMarkers(first);
    second_->plot().setMarkers(second);
}

} // namespace tilescope::views
