// Heat maps of one or two runs beside each other.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "views/values/heat_plot.h"
#include "views/values/values_content.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/wrapped_label.h"

class QHBoxLayout;
class QLabel;

namespace tilescope::views {

/// Either the exponents of one tensor or a measure of many, in the same rows and on the same scales
/// for both runs. Contents are read in the background.
class HeatPane : public QWidget {
    Q_OBJECT
public:
    HeatPane(ViewContext& context, ZoomRange& zoom, QWidget* parent = nullptr);

    void setContent(std::shared_ptr<const ValuesContent> content);
    /// The tensor whose exponents are shown, or whose row stands out; -1 for none.
    void setPair(int pair);
    /// A measure of the tensors in `order`; none: exponents.
    void setMeasure(std::optional<ValueMeasure> measure);
    void setOrder(std::vector<int> order);

    [[nodiscard]] HeatPlot& plot(bool target = false) { return *sides_[target ? 1 : 0].plot; }
    [[nodiscard]] int pair() const { return pair_; }

signals:
    void hovered(const QString& text);
    void pairChosen(int pair);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Side {
        QWidget* box = nullptr;
        QLabel* title = nullptr;
        HeatPlot* plot = nullptr;
    };
    void load();
    void loadExponents();
    void loadTensors(ValueMeasure measure);
    void showTitles();
    void shareRoom();
    [[nodiscard]] QString readOut(bool target, double x, double y) const;
    [[nodiscard]] ValueTensorId tensorOf(int pair, bool target) const;

    ViewContext& context_;
    WrappedLabel* title_;
    LoadingPanel* panel_;
    QHBoxLayout* row_ = nullptr; ///< of the sides
    std::array<Side, 2> sides_;
    std::shared_ptr<const ValuesContent> content_;
    ExponentAxis axis_;
    int pair_ = -1;
    std::optional<ValueMeasure> measure_;
    std::vector<int> order_;
};

} // namespace tilescope::views
