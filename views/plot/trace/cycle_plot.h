// What plots of an execution have in common: cycles and time, flags, a scroll bar.
#pragma once

#include <QScrollBar>
#include <vector>

#include "views/plot/plot_widget.h"

namespace tilescope::views {

/// A place on the time axis, or a range of it, with what the user wrote there.
struct TraceFlag {
    double cycle = 0;
    QString text;
    double length = 0; ///< cycles of a range; 0 of a place
    [[nodiscard]] bool isRange() const { return length > 0; }
    [[nodiscard]] double end() const { return cycle + length; }
};

/// A PlotWidget over the cycles of the time zoom, with time above it, whose vertical axis goes
/// downwards without ticks. Derived plots say what that axis counts and what the scroll bar moves.
class CyclePlot : public PlotWidget {
    Q_OBJECT
public:
    explicit CyclePlot(ViewContext& context, QWidget* parent = nullptr);

    /// Shows time at this clock (Hz) above the plot; none if 0.
    void setClock(double clockHz);
    /// Places and ranges that the user has marked.
    void setFlags(std::vector<TraceFlag> flags);
    [[nodiscard]] QScrollBar& scrollBar() { return *scroll_; }
    /// What the axes below and above the plot count, written left of their labels.
    [[nodiscard]] const QString& lowerName() const { return lower_; }
    void setLowerName(const QString& name);
    [[nodiscard]] const QString& upperName() const { return clock_; }
    static constexpr int widestName = leftMargin - 8; ///< pixels

protected:
    void resizeEvent(QResizeEvent* event) override;
    /// A line at each end, and everything beside a single range is dimmed: the marked part keeps
    /// its colours.
    void paintMarkers(QPainter& painter) const override;
    /// Writes what the horizontal axes count left of their labels; `below` replaces the text below
    /// the plot.
    void paintAxisNames(QPainter& painter, const QString& below = {}) const;
    /// Paints lines over the plot, and bands for ranges, with their texts at its foot; a text that
    /// would cover the one before is left out.
    void paintFlags(QPainter& painter) const;

private:
    void paintBand(QPainter& painter, double from, double to) const;
    /// The places of the texts.
    [[nodiscard]] QRectF footOf(const QPainter& painter) const;

    QScrollBar* scroll_;
    QString lower_ = tr("Cycles");
    QString clock_; ///< of the time above the plot
    std::vector<TraceFlag> flags_;
};

} // namespace tilescope::views
