// Lanes of boxes on a QCustomPlot.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "views/plot/plottable.h"
#include "views/plot/quick_text.h"
#include "views/plot/trace/box_colours.h"
#include "views/plot/trace/lane_arrangement.h"

namespace tilescope::views {

/// Cycles of selected steps by the keys of the lanes that they run on, each sorted.
using SelectedSteps = std::map<std::string, std::vector<CycleRange>>;

/// Draws lanes where a LaneLayout puts them: the value axis counts pixels from the top of the plot.
/// Beyond the finely read range the coarse lanes stand in, so that fast zooming never shows a hole.
class TracePlottable : public Plottable {
    Q_OBJECT
public:
    using Lanes = std::shared_ptr<const std::vector<TraceLane>>;

    TracePlottable(QCPAxis* keyAxis, QCPAxis* valueAxis, const ThemeSource& theme);

    /// Everything, coarsely. Its lanes decide how many rows there are.
    void setOverview(Lanes lanes);
    /// Cycles [from, to) in detail. A lane without rows stays as coarse as it was. Returns the old
    /// detail, as freeing it may take longer than a frame.
    [[nodiscard]] Lanes setDetail(Lanes lanes, double from, double to);
    void setHighlight(const QString& text);
    /// Selected steps by the keys of their lanes: all others are dimmed. Empty for none.
    void setSelected(SelectedSteps steps);
    [[nodiscard]] const SelectedSteps& selected() const { return selected_; }
    /// Cycles of what is followed, likewise: all else is dimmed, instead of what is not selected.
    void setFollowed(SelectedSteps steps) { followed_ = std::move(steps); }
    /// The places of the visible selected steps on the widget, lane by lane; each is at least a few
    /// pixels wide.
    [[nodiscard]] std::vector<QRectF> selectedBoxes() const;
    void setShowsNames(bool shows) { showsNames_ = shows; }
    void setColourBy(ColourBy by) { colourBy_ = by; }
    void setLayout(LaneLayout layout) { layout_ = std::move(layout); }

    [[nodiscard]] const Lanes& overview() const { return overview_; }
    [[nodiscard]] const LaneLayout& layout() const { return layout_; }
    /// Of each lane when it is not folded.
    [[nodiscard]] const LaneRows& laneRows() const { return rows_; }
    /// The middle of a row of a lane on the value axis; it must be shown.
    [[nodiscard]] double rowMiddle(std::size_t lane, std::size_t row) const;
    struct Hit {
        std::size_t lane = 0;
        const TraceBox* box = nullptr;
        std::size_t row = 0;
    };
    [[nodiscard]] Hit hit(double cycle, double y) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    /// The cycles of a lane; none (nullptr) if there are none on it.
    [[nodiscard]] const std::vector<CycleRange>* on(const SelectedSteps& steps,
                                                    std::size_t lane) const;
    [[nodiscard]] QRgb shade(const TraceBox& box, QRgb colour, std::size_t lane,
                             QRgb surface) const;
    [[nodiscard]] bool detailed(double from, double to) const;
    [[nodiscard]] const TraceRow* rowToShow(const LanePlace& place, std::size_t row,
                                            bool detailed) const;
    [[nodiscard]] bool highlighted(const std::string& name) const;
    /// A box that has room for its name.
    struct Named {
        const TraceBox* box = nullptr;
        QRect rect;
        QRgb back = 0;
    };
    /// Calls fill(rect, colour) for each part of a row, and then filled(top, bottom).
    template <class Fill>
    void layOutRow(const TraceRow& row, std::size_t lane, int top, int bottom,
                   const BoxColours& colours, std::vector<Named>& names, const Fill& fill) const;
    template <class Fill, class Filled>
    void layOutRows(std::vector<Named>& names, const Fill& fill, const Filled& filled) const;
    void drawImage(QCPPainter& painter, std::vector<Named>& names);
    void drawNames(QCPPainter& painter, const std::vector<Named>& names);
    void drawMoments(QCPPainter& painter) const;
    const QuickText& textFor(int rowHeight);

    const ThemeSource& theme_;
    Lanes overview_;
    Lanes detail_;
    LaneRows rows_;
    LaneLayout layout_;
    double detailFrom_ = 0;
    double detailTo_ = 0;
    SelectedSteps selected_;
    SelectedSteps followed_;
    QString highlight_;
    std::string plainHighlight_; ///< the same in small letters if it is ASCII
    bool showsNames_ = true;
    ColourBy colourBy_ = ColourBy::Kind;
    QImage image_;                  ///< of the last frame, for its memory
    std::optional<QuickText> text_; ///< for rows of this height, of a plot with this font
    int textRow_ = 0;
    QFont textOf_;
};

} // namespace tilescope::views
