// The addresses of one tile over the steps of the program.
#pragma once

#include "core/analysis/memory/address_map.h"
#include "views/memory/address_map.h"
#include "views/plot/plot_widget.h"
#include "views/plot/plottable.h"

namespace tilescope::views {

/// Draws the spans as rectangles of steps by addresses, coloured by category; never smaller than a
/// pixel.
class AddressPlottable : public Plottable {
    Q_OBJECT
public:
    AddressPlottable(QCPAxis* stepAxis, QCPAxis* addressAxis, ViewContext& context);
    void setContent(TileAddresses content) { content_ = std::move(content); }
    void setSelected(VariableId variable) { selected_ = variable; }
    [[nodiscard]] const TileAddresses& content() const { return content_; }
    /// The blocks in use at a step and an offset.
    [[nodiscard]] std::vector<const MapBlock*> blocksAt(double step, double offset) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    ViewContext& context_;
    TileAddresses content_;
    VariableId selected_;
};

/// The plot with its axes. Wheel zooms the steps, with Ctrl the addresses (up to all of the tile);
/// a double click shows all that is in use. A click selects the variable and the step under the
/// pointer.
class AddressHistory : public PlotWidget {
    Q_OBJECT
public:
    /// `zoom` has the steps as its limits; its owner sets them.
    AddressHistory(ViewContext& context, ZoomRange& zoom, QWidget* parent = nullptr);
    /// `top`: the offset up to which addresses are shown.
    void setContent(TileAddresses content, const QString& title, std::int64_t top);
    void setSelected(VariableId variable, StepId step);
    /// Whether the numbers of the steps are below it, or below the next plot.
    void showSteps(bool shown);
    [[nodiscard]] AddressPlottable& areas() { return *areas_; }

signals:
    void chosen(VariableId variable, StepId step);

protected:
    void wheelEvent(QWheelEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    void showAllAddresses();
    [[nodiscard]] QString textAt(double step, double offset) const;

    AddressPlottable* areas_; ///< owned by the plot
    std::int64_t top_ = 1;    ///< highest offset when everything is in view
};

} // namespace tilescope::views
