#include "views/plot/series/step_plot_pair.h"

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
    : PlotColumn(parent)
    , first_(new StepPlot(context, keyLabel))
    , second_(new StepPlot(context, keyLabel))
    , keyLabel_(keyLabel) {
    for (StepPlot* side : {first_, second_})
        add(side, &side->plot());
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
