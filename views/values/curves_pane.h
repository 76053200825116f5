// The curves of a training, below each other.
#pragma once

#include <QWidget>
#include <memory>

#include "views/plot/legend_bar.h"
#include "views/values/curve_plot.h"
#include "views/values/values_content.h"
#include "views/widgets/wrapped_label.h"

class QLabel;
class QVBoxLayout;

namespace tilescope::views {

/// A text about the end of the training, a plot for each quantity chosen, and a legend. The plots
/// share the zoom and the axis of updates below the last one.
class CurvesPane : public QWidget {
    Q_OBJECT
public:
    CurvesPane(ViewContext& context, ZoomRange& zoom, QWidget* parent = nullptr);

    void setContent(std::shared_ptr<const ValuesContent> content);
    void setWanted(CurveQuantity quantity, bool wanted);
    [[nodiscard]] CurvePlot& plot(CurveQuantity quantity) {
        return *plots_[static_cast<std::size_t>(quantity)];
    }
    [[nodiscard]] const LegendBar& legend() const { return *legend_; }
    void restyle();

signals:
    void hovered(const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showWanted();
    /// In a low window plots take precedence over the text.
    void showFacts();
    [[nodiscard]] QString readOut(double x) const;

    ViewContext& context_;
    ZoomRange& zoom_;
    WrappedLabel* facts_;
    std::array<CurvePlot*, curveQuantities.size()> plots_{};
    std::array<bool, curveQuantities.size()> wanted_{};
    std::array<bool, curveQuantities.size()> known_{}; ///< there is such a curve
    LegendBar* legend_;
    std::shared_ptr<const ValuesContent> content_;
};

} // namespace tilescope::views
