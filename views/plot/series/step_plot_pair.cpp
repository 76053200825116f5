#include "views/plot/series/step_plot_pair.h"

#include <QVBoxLayout>
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

} // namespace

StepPlotPair::StepPlotPair(ViewContext& context, const QString& keyLabel, QWidget* parent)
    : QWidget(parent)
    , first_(new StepPlot(context, keyLabel))
    , second_(new StepPlot(context, keyLabel))
    , keyLabel_(keyLabel) {
    auto* layout = new QVBoxLayout(this);
    for (StepPlot* side : {first_, second_})
        connect(&side->plot(), &QCustomPlot::afterLayout, this, &StepPlotPair::balance);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(first_, 1);
    layout->addWidget(second_, 1);
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
    // Curves of both can be told apart, also beside the keys.
    constexpr int lowest = 95;
    constexpr int keys = 40;
    first_->plot().setMinimumHeight(lowest);
    second_->plot().setMinimumHeight(lowest + keys);
    // One axis of keys serves both.
    first_->plot().xAxis->setTickLabels(!two);
    first_->setKeyLabel(two ? QString() : keyLabel_);
    second_->setKeyLabel(keyLabel_);
}

// Equal scales need equal heights: of the plots, not of what is around them.
void StepPlotPair::balance() {
    if (!two_ || !isVisible())
        return;
    // Axes, title, keys and strip. What a plot has laid out may be older than its size.
    const auto around = [](StepPlot& side) {
        const PlotWidget& plot = side.plot();
        return side.height() - plot.height() + plot.viewport().height() - plot.axisRect()->height();
    };
    const int first = around(*first_);
    const int second = around(*second_);
    const int each = (height() - first - second) / 2;
    auto* column = static_cast<QVBoxLayout*>(layout());
    if (each <= 0 || (column->stretch(0) == first + each && column->stretch(1) == second + each))
        return;
    column->setStretch(0, first + each);
    column->setStretch(1, second + each);
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
