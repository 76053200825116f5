#include "views/values/curves_pane.h"

#include <algorithm>

#include "views/widgets/parts.h"

namespace tilescope::views {

CurvesPane::CurvesPane(ViewContext& context, ZoomRange& zoom, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , zoom_(zoom)
    , facts_(wrappedLabel({}, "muted"))
    , legend_(new LegendBar(context)) {
    setObjectName(QStringLiteral("tabPage")); // the ground of plots
    setAttribute(Qt::WA_StyledBackground);
    facts_->setContentsMargins(8, 6, 8, 2);
    auto* column = inColumn(this, {facts_});
    column->setStretch(0, 0);
    for (const CurveQuantity quantity : curveQuantities) {
        auto* plot = new CurvePlot(context, zoom, quantity);
        plot->setReadOut([this](double x, double) { return readOut(x); });
        connect(plot, &PlotWidget::hovered, this, &CurvesPane::hovered);
        plots_[static_cast<std::size_t>(quantity)] = plot;
        column->addWidget(plot, 1);
    }
    legend_->setLeft(CurvePlot::left);
    column->addWidget(legend_);
    connect(&context.theme, &ThemeSource::changed, this, &CurvesPane::restyle);
}

void CurvesPane::setContent(std::shared_ptr<const ValuesContent> content) {
    content_ = std::move(content);
    for (const CurveQuantity quantity : curveQuantities) {
        const CurveLine source = curveLine(*content_->source, quantity);
        const CurveLine target =
            content_->comparing() ? curveLine(*content_->target, quantity) : CurveLine();
        known_[static_cast<std::size_t>(quantity)] = !source.empty() || !target.empty();
        plot(quantity).setLines(source, target);
    }
    facts_->setText(content_->comparing()
                        ? tr("Source: %1\nTarget: %2")
                              .arg(curveFacts(*content_->source), curveFacts(*content_->target))
                        : curveFacts(*content_->source));
    showWanted();
    restyle();
}

void CurvesPane::setWanted(CurveQuantity quantity, bool wanted) {
    wanted_[static_cast<std::size_t>(quantity)] = wanted;
    showWanted();
}

void CurvesPane::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showFacts();
}

void CurvesPane::showFacts() {
    constexpr int leastPlot = 76; // pixels
    int needed = facts_->heightForWidth(width()) + legend_->heightForWidth(width());
    for (const QWidget* each : plots_)
        if (!each->isHidden())
            needed += std::max(leastPlot, each->minimumSizeHint().height());
    const bool room = height() >= needed;
    facts_->setVisible(room);
    setToolTip(room ? QString() : facts_->text());
}

void CurvesPane::showWanted() {
    CurvePlot* last = nullptr;
    for (const CurveQuantity quantity : curveQuantities) {
        const auto place = static_cast<std::size_t>(quantity);
        CurvePlot& each = *plots_[place];
        each.setVisible(wanted_[place] && known_[place]);
        each.showKeys(false);
        if (wanted_[place] && known_[place])
            last = &each;
    }
    if (last != nullptr)
        last->showKeys(true);
    showFacts();
}

void CurvesPane::restyle() {
    if (!content_)
        return;
    const Theme& theme = context_.theme.current();
    using Mark = LegendBar::Mark;
    const int meanOf = plot(CurveQuantity::Loss).meanOf();
    const QColor pale =
        CurvePlot::pale(content_->comparing() ? theme.mutedText : theme.source, theme);
    std::vector<LegendBar::Entry> entries;
    if (content_->comparing())
        entries = {{tr("Source"), theme.source, Mark::Line},
                   {tr("Target"), theme.target, Mark::DashedLine}};
    else
        entries = {{meanOf > 1 ? tr("Mean of %1 calls").arg(meanOf) : tr("Each call"), theme.source,
                    Mark::Line}};
    if (meanOf > 1)
        entries.push_back({tr("Each call"), pale, Mark::Line});
    entries.push_back(
        {tr("Test data"), content_->comparing() ? theme.mutedText : theme.source, Mark::Diamond});
    legend_->setEntries(std::move(entries));
}

QString CurvesPane::readOut(double x) const {
    constexpr double reach = 0.02; // of what is in sight
    return content_ ? curveReadOut(*content_->source, content_->target.get(), x,
                                   std::max(0.5, reach * zoom_.span()))
                    : QString();
}

} // namespace tilescope::views
