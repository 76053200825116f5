// From the source's cycles to the target's: bars that each begin where the one above ends.
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/compare/waterfall.h"
#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// Gains are green and costs red; the source is at the top and the target at the bottom. If all
/// bars are nearly as long, the axis does not begin at 0, and the caption says so. A bar leads to
/// the items it is the sum of.
class WaterfallChart : public PaintedWidget {
    Q_OBJECT
public:
    explicit WaterfallChart(ViewContext& context, QWidget* parent = nullptr);
    /// `note` is a sentence about what the cycles are of; may be empty.
    void setWaterfall(std::optional<Waterfall> waterfall, const QString& note = {});

    struct Bar {
        QString name;
        QString value;
        std::int64_t from = 0; ///< cycles; the bar may go either way
        std::int64_t to = 0;
        enum class Kind { Source, Target, Gain, Cost } kind = Kind::Source;
        QString toolTip;
        std::optional<LossKind> loss = {}; ///< where the bar leads, if anywhere
        std::string place = {};
    };
    /// Where a bar is.
    [[nodiscard]] QRect rowOf(std::size_t bar) const;
    [[nodiscard]] const std::vector<Bar>& bars() const { return bars_; }
    [[nodiscard]] std::int64_t axisFrom() const { return axisFrom_; }
    [[nodiscard]] QSize sizeHint() const override;

signals:
    /// The user goes to the cause of a step: a click, or Enter on the marked one.
    void stepChosen(tilescope::LossKind kind, const std::string& place);

protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    [[nodiscard]] QString toolTipAt(const QPoint& position) const override;

private:
    [[nodiscard]] QColor colourOf(Bar::Kind kind) const;
    void fitAxis();
    [[nodiscard]] int barAt(const QPoint& position) const;
    void mark(int bar);
    void choose(int bar);
    void paintBar(QPainter& painter, std::size_t bar, const QRect& track) const;

    std::optional<Waterfall> waterfall_;
    QString note_;
    std::vector<Bar> bars_;
    int marked_ = -1; ///< under the pointer, or where the keys are
    std::int64_t axisFrom_ = 0;
    std::int64_t axisTo_ = 1;
};

} // namespace tilescope::views
