// Lanes of boxes on a QCustomPlot.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "views/plot/plottable.h"
#include "views/plot/quick_text.h"
#include "views/plot/trace/trace_rows.h"
#include "views/theme/theme.h"

namespace tilescope::views {

/// `share` of the way from one opaque colour to another.
QRgb mixedColours(QRgb a, QRgb b, double share);

/// Of boxes that stand for a group of steps of one kind: paler than the steps.
QColor groupColour(const Theme& theme, ProgramKind kind);

/// Draws lanes below each other. The value axis counts rows downwards; a lane is followed by a gap
/// of laneGap rows. Beyond the finely read range the coarse lanes stand in, so that fast zooming
/// never shows a hole.
class TracePlottable : public Plottable {
    Q_OBJECT
public:
    using Lanes = std::shared_ptr<const std::vector<TraceLane>>;
    static constexpr double laneGap = 0.6;

    TracePlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const ThemeSource& theme);

    /// Everything, coarsely. Its lanes decide how many rows there are.
    void setOverview(Lanes lanes);
    /// Cycles [from, to) in detail. A lane without rows stays as coarse as it was. Returns the
    /// detail that there was, which to free may take longer than a frame.
    [[nodiscard]] Lanes setDetail(Lanes lanes, double from, double to);
    void setHighlight(const QString& text);
    void setShowsNames(bool shows) { showsNames_ = shows; }

    [[nodiscard]] const Lanes& overview() const { return overview_; }
    [[nodiscard]] double rowCount() const { return overview_ ? laneTop(overview_->size()) : 0; }
    /// The first row of a lane on the value axis.
    [[nodiscard]] double laneTop(std::size_t lane) const;
    /// Lanes [first, end) that have rows in [from, to) of the value axis.
    struct LaneRange {
        std::size_t first = 0;
        std::size_t end = 0;
        [[nodiscard]] bool contains(std::size_t lane) const { return lane >= first && lane < end; }
    };
    [[nodiscard]] LaneRange lanesWithin(double from, double to) const;
    struct Hit {
        std::size_t lane = 0;
        const TraceBox* box = nullptr;
    };
    [[nodiscard]] Hit hit(double cycle, double row) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    [[nodiscard]] bool detailed(double from, double to) const;
    [[nodiscard]] const TraceLane& laneToShow(std::size_t lane, bool detailed) const;
    /// The colours of boxes and of what is behind them, mixed once for all boxes.
    struct Palette {
        std::array<QRgb, 3 * programKinds.size()> boxes{}; ///< by look and kind
        QRgb surface = 0;
        [[nodiscard]] QRgb of(const TraceBox& box) const;
    };
    [[nodiscard]] Palette makePalette() const;
    [[nodiscard]] bool highlighted(const std::string& name) const;
    /// A box that has room for its name.
    struct Named {
        const TraceBox* box = nullptr;
        QRect rect;
        QRgb back = 0;
    };
    /// Gives fill(rect, colour) what a row is made of, and then filled(top, bottom).
    template <class Fill>
    void layOutRow(const TraceRow& row, int top, int bottom, const Palette& palette,
                   std::vector<Named>& names, const Fill& fill) const;
    template <class Fill, class Filled>
    void layOutRows(std::vector<Named>& names, const Fill& fill, const Filled& filled) const;
    void drawImage(QCPPainter& painter, std::vector<Named>& names);
    void drawNames(QCPPainter& painter, const std::vector<Named>& names);
    const QuickText& textFor(int rowHeight);

    const ThemeSource& theme_;
    Lanes overview_;
    Lanes detail_;
    std::vector<std::size_t> rowCounts_; ///< of each lane
    double detailFrom_ = 0;
    double detailTo_ = 0;
    QString highlight_;
    std::string plainHighlight_; ///< the same in small letters if it is ASCII
    bool showsNames_ = true;
    QImage image_;                  ///< of the last frame, for its memory
    std::optional<QuickText> text_; ///< for rows of this height, of a plot with this font
    int textRow_ = 0;
    QFont textOf_;
};

} // namespace tilescope::views
