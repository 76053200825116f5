// The addresses of one tile over the steps of the program.
#pragma once

#include "core/analysis/memory/address_map.h"
#include "views/memory/address_map.h"
#include "views/plot/plot_widget.h"

namespace tilescope::views {

/// When and where: rectangles of steps by addresses, coloured by category. Wheel zooms the steps,
/// with Ctrl the addresses (up to all of the tile); a double click shows all that is in use.
struct AddressHistoryContent {
    std::vector<MapBlock> blocks;
    std::vector<AddressSpan> spans; ///< of these blocks
    std::vector<std::string> stepNames;
    std::int64_t limit = 0;
    std::int64_t base = 0;
    std::int64_t interleavedOffset = 0;
    [[nodiscard]] std::int64_t highest() const; ///< offset of the highest address in use
};

/// Draws the spans as rectangles; never smaller than a pixel.
class AddressPlottable : public QCPAbstractPlottable {
    Q_OBJECT
public:
    AddressPlottable(QCPAxis* stepAxis, QCPAxis* addressAxis, ViewContext& context);
    void setContent(AddressHistoryContent content);
    void setSelected(VariableId variable) { selected_ = variable; }
    [[nodiscard]] const AddressHistoryContent& content() const { return content_; }
    /// The blocks in use at a step and an offset.
    [[nodiscard]] std::vector<const MapBlock*> blocksAt(double step, double offset) const;

    double selectTest(const QPointF&, bool, QVariant* = nullptr) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain domain) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain domain,
                           const QCPRange& keyRange) const override;

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    ViewContext& context_;
    AddressHistoryContent content_;
    VariableId selected_;
};

/// The plot with its axes. A click selects the variable and the step under the pointer.
class AddressHistory : public PlotWidget {
    Q_OBJECT
public:
    /// `zoom` has the steps as its limits; its owner sets them.
    AddressHistory(ViewContext& context, ZoomRange& zoom, QWidget* parent = nullptr);
    /// `top`: the offset up to which addresses are shown.
    void setContent(AddressHistoryContent content, const QString& title, std::int64_t top);
    void setSelected(VariableId variable, StepId step);
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
    std::int64_t top_ = 1;    ///< offset that is in view when everything is
};

} // namespace tilescope::views
