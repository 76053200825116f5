// A heat map of values over iterations with its axes and its scale.
#pragma once

#include <QScrollBar>

#include "views/plot/axes/tickers.h"
#include "views/plot/plot_widget.h"
#include "views/values/heat_plottable.h"

namespace tilescope::views {

/// Exponents upwards with the range of half drawn in, or tensors downwards with their names. The
/// colour scale is in the line above, so that a saved picture has it. Wheel and drag zoom
/// iterations; Ctrl+wheel zooms the rows of tensors, Shift+wheel and the scroll bar move over them.
class HeatPlot : public PlotWidget {
    Q_OBJECT
public:
    HeatPlot(ViewContext& context, ZoomRange& zoom, QWidget* parent = nullptr);

    void showExponents(HeatSide side, const ExponentAxis& axis);
    /// A name for each row of the side; empty if another plot beside this one has them, so that
    /// they take no room.
    void showTensors(HeatSide side, HeatScale scale, QStringList names);
    /// Which rows of tensors are shown, in which order.
    void setOrder(const std::vector<int>& order);
    /// The row of tensors that stands out; -1 for none.
    void setChosen(int row);
    void setKeyTitle(const QString& title);
    /// Pixels for the names of tensors.
    void setNamesRoom(int pixels);

    static constexpr int mostNamesRoom = 180;
    /// Room left of the cells.
    [[nodiscard]] int left() const { return axisRect()->margins().left(); }
    [[nodiscard]] bool showsTensors() const { return tensors_; }
    [[nodiscard]] HeatPlottable& cells() { return *cells_; }
    [[nodiscard]] const HeatPlottable& cells() const { return *cells_; }
    [[nodiscard]] ZoomRange& rows() { return rows_; }

signals:
    /// The user clicked on a row of tensors.
    void rowClicked(int row);

protected:
    void paintExtra(QPainter& painter) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void layOut();
    void fitRows();
    void showChosen();
    void showRows();
    void setLeft(int left);
    void paintScale(QPainter& painter) const;
    void paintHalf(QPainter& painter) const;
    void paintOuterRows(QPainter& painter) const;
    void paintNames(QPainter& painter) const;
    [[nodiscard]] double roomForRows() const;

    HeatPlottable* cells_; ///< owned by the plot
    QScrollBar* scroll_;
    QSharedPointer<PowerTicker> powers_;
    ZoomRange rows_;
    ExponentAxis axis_;
    QStringList names_;
    int namesRoom_ = mostNamesRoom;
    bool tensors_ = false;
    bool rowsFitted_ = false; ///< the number of rows in sight fits the room
    int chosen_ = -1;
    QRect laidOut_; ///< the plot, when it was laid out last
};

} // namespace tilescope::views
