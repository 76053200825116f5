// The base of every plot: axes in the theme's colours, zoom and pan, hover read-out.
#pragma once

#include <functional>
#include <optional>
#include <qcustomplot.h>
#include <vector>

#include "views/plot/read_out.h"
#include "views/session/view_context.h"

namespace tilescope::views {

/// A QCustomPlot whose horizontal range follows a ZoomRange. Wheel zooms at the pointer, drag pans,
/// shift-drag selects a range, WASD and the arrow keys move, F fits. Hover and markers are painted
/// over the finished plot, so that moving the mouse never replots.
class PlotWidget : public QCustomPlot {
    Q_OBJECT
public:
    PlotWidget(ViewContext& context, ZoomRange& zoom, QWidget* parent = nullptr);

    [[nodiscard]] ZoomRange& zoom() const { return zoom_; }

    /// Text of the read-out at axis coordinates; several lines, "name\tvalue" where there is a
    /// value; empty for none.
    using ReadOut = std::function<QString(double x, double y)>;
    void setReadOut(ReadOut readOut) { readOut_ = std::move(readOut); }
    /// Updates the text after more has been read about the place under the pointer.
    void updateReadOut();
    /// Where the read-out is painted; none if there is none.
    [[nodiscard]] std::optional<ReadOutBox> readOutBox() const;

    /// Bands [from, to) that stay marked, such as the selected tiles.
    struct Marker {
        double from = 0;
        double to = 0;
    };
    void setMarkers(std::vector<Marker> markers);
    [[nodiscard]] const std::vector<Marker>& markers() const { return markers_; }

    /// A labelled horizontal line, such as the memory of a tile.
    struct Limit {
        double value = 0;
        QString label;
        bool alsoAbove = false; ///< the label is also shown if the line is above the visible range
    };
    void setLimit(std::optional<Limit> limit);
    [[nodiscard]] const std::optional<Limit>& limit() const { return limit_; }

    /// Named ranges of the horizontal axis that follow each other, such as the tiles of an IPU.
    struct Section {
        double from = 0;
        double to = 0;
        QString name;
    };
    void setSections(std::vector<Section> sections);
    [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }

    /// What the vertical axis measures; it is above it, so that its labels may be long.
    void setValueTitle(const QString& title);
    [[nodiscard]] const QString& valueTitle() const { return valueTitle_; }

    /// Paints everything that the widget shows except the pointer: lines and texts, not the pixels
    /// painted for a screen.
    void paintWhole(QCPPainter& painter);

    /// Redraws the plot after pending events or, if it is hidden, when it is shown.
    void replotSoon();

    /// Room left and right of the plot, equal in all plots so that their axes are in line.
    static constexpr int leftMargin = 98; ///< "MainThread" beside an arrow
    static constexpr int rightMargin = 18;

signals:
    /// A click without a drag, in axis coordinates.
    void clicked(double x, double y, Qt::KeyboardModifiers modifiers);
    /// Shift-drag has ended.
    void rangeSelected(double from, double to);
    /// The read-out under the pointer in one line; empty when it leaves.
    void hovered(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    /// More to paint over the finished plot, below markers and read-out.
    virtual void paintExtra(QPainter&) {}
    /// Bands, unless a plot marks things differently; painting is clipped to the plot.
    virtual void paintMarkers(QPainter& painter) const;

    [[nodiscard]] const Theme& theme() const { return context_.theme.current(); }
    [[nodiscard]] ViewContext& context() const { return context_; }

private:
    void applyTheme();
    void fitValueTicks();
    void paintOverlay(QPainter& painter);
    void paintSections(QPainter& painter) const;
    void paintLimit(QPainter& painter) const;
    void paintValueTitle(QPainter& painter) const;
    void paintReadOut(QPainter& painter, const ReadOutBox& readOut) const;
    void paintRangeSelection(QPainter& painter) const;
    void paintFrameTime(QPainter& painter) const;
    void hoverAt(const QPoint& position);

    ViewContext& context_;
    ZoomRange& zoom_;
    ReadOut readOut_;
    std::vector<Marker> markers_;
    std::vector<Section> sections_;
    std::optional<Limit> limit_;
    QString valueTitle_;
    QString readOutText_;
    std::optional<QPoint> pointer_;
    std::optional<QPoint> pressed_;
    double pressedFrom_ = 0; ///< left end of the range when the drag began
    bool dragging_ = false;
    bool selectingRange_ = false;
    double replotMs_ = 0; ///< of what the next paint shows
    bool stale_ = false;  ///< hidden while something changed
};

/// Whether plots show their painting time in a corner (F12); set on the window, a dynamic property.
inline constexpr const char* showFrameTimesProperty = "showFrameTimes";

} // namespace tilescope::views
