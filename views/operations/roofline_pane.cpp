#include "views/operations/roofline_pane.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/units.h"
#include "views/theme/text.h"
#include "views/widgets/parts.h"

namespace tilescope::views {
namespace {

constexpr std::size_t ownColours = 6;

const CostRow* rowAt(const std::vector<CostRow>& rows, std::size_t row) {
    return row < rows.size() ? &rows[row] : nullptr;
}

QString numberText(double value) {
    return QString::fromStdString(tilescope::textOf(value, Unit::None));
}

QString percentText(double part, double whole) {
    return QString::fromStdString(formatPercent(part, whole));
}

} // namespace

RooflinePane::RooflinePane(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , panel_(new LoadingPanel(context.workers))
    , plot_(new RooflinePlot(context, zoom_))
    , legend_(new LegendBar(context)) {
    auto* content = new QWidget;
    inColumn(content, {plot_, legend_}, plot_);
    panel_->setContent(content);
    inColumn(this, {panel_});
    plot_->setReadOut([this](double x, double y) {
        const RooflineMark* mark = plot_->markAt(x, y);
        return mark ? textOf(*mark) : QString();
    });
    connect(plot_, &PlotWidget::hovered, this, &RooflinePane::hovered);
    connect(plot_, &PlotWidget::clicked, this, [this](double x, double y) {
        const RooflineMark* mark = plot_->markAt(x, y);
        if (!mark || !report_)
            return;
        std::optional<std::size_t> row = mark->row;
        if (mark->target)
            row = counterpart(report_->target.rows[mark->row], report_->source);
        if (row)
            emit chosen(static_cast<std::int32_t>(*row));
    });
}

void RooflinePane::setReport(std::shared_ptr<const OperationsReport> report,
                             const ProfilePair& profiles) {
    report_ = std::move(report);
    lines_ = {{rooflineLimits(profiles.source->machine()), {}}};
    if (profiles.comparing()) {
        const RooflineLimits limits = rooflineLimits(profiles.target->machine());
        if (limits != lines_.front().limits) {
            lines_.front().suffix = tr(" (source)");
            lines_.push_back({limits, tr(" (target)")});
        }
    }
    showMarks();
}

void RooflinePane::restyle() {
    if (report_)
        showMarks();
}

void RooflinePane::showMarks() {
    std::map<std::string, double> cycles;
    for (const CostTableData* data : {&report_->source, &report_->target})
        for (const RooflinePoint& point : rooflinePoints(data->rows))
            cycles[data->rows[point.row].type] += point.cycles;
    std::vector<std::pair<std::string, double>> ranked(cycles.begin(), cycles.end());
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    types_.clear();
    otherTypes_ = false;
    for (const auto& [type, sum] : ranked)
        if (!type.empty() && types_.size() < ownColours)
            types_.push_back(type);
        else
            otherTypes_ = true;
    std::vector<RooflineMark> marks;
    addMarks(marks, report_->source, false);
    addMarks(marks, report_->target, true);
    fillLegend();
    const bool empty = marks.empty();
    plot_->setContent(std::move(marks), lines_);
    if (!empty)
        return panel_->showContent();
    const bool ofSteps = report_->choice.layer >= CostLayer::Library;
    panel_->showMessage(
        ofSteps ? tr("These rows have no FLOPs") : tr("No operation has FLOPs"),
        ofSteps ? tr("Only operations have FLOPs: choose operations, scopes or types as rows.")
                : tr("The profile records no floating-point operations, or no cycles that they "
                     "take."));
}

void RooflinePane::addMarks(std::vector<RooflineMark>& marks, const CostTableData& data,
                            bool target) const {
    for (const RooflinePoint& point : rooflinePoints(data.rows))
        marks.push_back({point.flopsPerByte, point.flopsPerCycle, point.cycles,
                         colourOf(data.rows[point.row].type), target, point.row});
}

QColor RooflinePane::colourOf(const std::string& type) const {
    const Theme& theme = context_.theme.current();
    const auto known = std::find(types_.begin(), types_.end(), type);
    return known == types_.end() ? theme.mutedText
                                 : theme.series(static_cast<int>(known - types_.begin()));
}

void RooflinePane::fillLegend() {
    const QColor muted = context_.theme.current().mutedText;
    std::vector<LegendBar::Entry> entries;
    for (const std::string& type : types_)
        entries.push_back({shownName(type), colourOf(type), LegendBar::Mark::Circle});
    if (otherTypes_)
        entries.push_back({tr("others"), muted, LegendBar::Mark::Circle});
    if (!report_->target.rows.empty()) {
        entries.push_back({tr("source: filled"), muted, LegendBar::Mark::Circle});
        entries.push_back({tr("target: outline"), muted, LegendBar::Mark::Ring});
    }
    legend_->setEntries(std::move(entries));
}

std::optional<std::size_t> RooflinePane::counterpart(const CostRow& row,
                                                     const CostTableData& other) const {
    const auto found =
        std::find_if(other.rows.begin(), other.rows.end(), [&](const CostRow& candidate) {
            return candidate.path == row.path && candidate.ipu == row.ipu;
        });
    if (found == other.rows.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - other.rows.begin());
}

void RooflinePane::mark(std::int32_t row) {
    const CostRow* chosenRow =
        report_ && row >= 0 ? rowAt(report_->source.rows, static_cast<std::size_t>(row)) : nullptr;
    if (!chosenRow)
        return plot_->setChosen({}, {});
    plot_->setChosen(static_cast<std::size_t>(row), counterpart(*chosenRow, report_->target));
}

QString RooflinePane::textOf(const RooflineMark& mark) const {
    const CostTableData& data = mark.target ? report_->target : report_->source;
    const CostRow* row = rowAt(data.rows, mark.row);
    if (!row)
        return {};
    QStringList lines{shownName(row->path, mostOfOne)};
    if (!row->type.empty() && row->type != row->path)
        lines.front() += QStringLiteral(" \u00b7 ") + shownName(row->type, mostOfOne);
    if (data.totals.measured.size() > 1)
        lines.front() += tr(" \u00b7 IPU %1").arg(row->ipu.value());
    if (!report_->target.rows.empty())
        lines.front() += mark.target ? tr(" (target)") : tr(" (source)");
    lines << tr("%1 FLOPs a cycle").arg(numberText(mark.flopsPerCycle));
    lines << (mark.flopsPerByte
                  ? tr("%1 FLOPs for a byte exchanged").arg(numberText(*mark.flopsPerByte))
                  : tr("no bytes are exchanged"));
    if (const std::optional<double> roof = row->roofFlopsPerCycle(); roof && *roof > 0) {
        const double peak = row->peakFlops / row->workCycles;
        lines << (*roof < peak ? tr("%1 of what the exchange allows")
                               : tr("%1 of what the matrix units can do"))
                     .arg(percentText(mark.flopsPerCycle, *roof));
    }
    const auto cycles = QString::fromStdString(formatCycles(std::llround(mark.cycles)));
    if (data.totals.cycles > 0)
        lines << tr("%1 of compute and exchange, %2 of the run")
                     .arg(cycles,
                          percentText(mark.cycles, static_cast<double>(data.totals.cycles)));
    else
        lines << tr("%1, estimated, one execution").arg(cycles);
    return lines.join(QLatin1Char('\n'));
}

} // namespace tilescope::views
