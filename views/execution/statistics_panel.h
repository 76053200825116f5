// Statistics of a range of the execution: numbers and bars for each IPU.
#pragma once

#include "views/execution/trace_content.h"
#include "views/query/background_query.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// For each lane the share of cycles by kind as a stacked bar, parallel efficiency, tile balance
/// and balance in steps as bars, and what moved in and out.
class StatisticsPanel : public PaintedWidget {
    Q_OBJECT
public:
    explicit StatisticsPanel(ViewContext& context, QWidget* parent = nullptr);
    /// Reads the statistics of a range; `title` names it. Only the last call counts, but a query
    /// under way ends first.
    void load(const TraceQuestion& question, CycleRange range, const QString& title);
    void cancel() { query_.cancel(); }
    [[nodiscard]] const std::vector<LaneStatistics>& lanes() const { return lanes_; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent*) override;
    [[nodiscard]] QString toolTipAt(const QPoint& position) const override;

private:
    void paintLane(QPainter& painter, const LaneStatistics& lane, const QRect& row) const;
    void paintProportions(QPainter& painter, const TraceStatistics& statistics,
                          const QRect& bar) const;
    [[nodiscard]] QRect rowRect(std::size_t lane) const;
    [[nodiscard]] QRect barRect(const QRect& row) const;
    enum class Share { InSteps, Balance, Efficiency }; ///< from the right
    [[nodiscard]] QRect shareRect(const QRect& row, Share share) const;
    void paintShare(QPainter& painter, const QRect& bar, std::optional<double> share) const;
    [[nodiscard]] QString numbers(const LaneStatistics& lane) const;
    [[nodiscard]] QString proportionsText(const LaneStatistics& lane) const;

    BackgroundQuery query_;
    QString title_;
    std::vector<LaneStatistics> lanes_;
};

} // namespace tilescope::views
