// The way from the source's cycles to the target's, drawn as bars that begin where the one above
// ends.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/compare/waterfall.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// Gains are green and costs red; source and target are above and below. Where all bars are nearly
/// as long, the axis does not begin at 0, and says so.
class WaterfallChart : public PaintedWidget {
    Q_OBJECT
public:
    explicit WaterfallChart(ViewContext& context, QWidget* parent = nullptr);
    void setWaterfall(std::optional<Waterfall> waterfall);

    struct Bar {
        QString name;
        QString value;
        std::int64_t from = 0; ///< cycles; the bar may go either way
        std::int64_t to = 0;
        enum class Kind { Source, Target, Gain, Cost } kind = Kind::Source;
        QString toolTip;
    };
    [[nodiscard]] const std::vector<Bar>& bars() const { return bars_; }
    [[nodiscard]] std::int64_t axisFrom() const { return axisFrom_; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent*) override;
    [[nodiscard]] QString toolTipAt(const QPoint& position) const override;

private:
    [[nodiscard]] QColor colourOf(Bar::Kind kind) const;
    void fitAxis();
    void paintBar(QPainter& painter, std::size_t bar, const QRect& track) const;

    std::optional<Waterfall> waterfall_;
    std::vector<Bar> bars_;
    std::int64_t axisFrom_ = 0;
    std::int64_t axisTo_ = 1;
};

} // namespace tilescope::views
