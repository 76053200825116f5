// When chosen variables are live, as bars in line with the plot above.
#pragma once

#include <vector>

#include "views/widgets/painted_widget.h"

namespace tilescope::views {

/// A variable with the places on the axis where it is live.
struct Lifetime {
    struct Span {
        double from = 0;
        double to = 0;
        friend bool operator==(const Span&, const Span&) = default;
    };
    QString name;
    QColor colour;
    std::vector<Span> spans;
    QString when; ///< "steps 3 to 8, steps 12 to 12"
};

/// A line for each variable; as high as it has lines, hidden without any.
class LifetimeStrip : public PaintedWidget {
    Q_OBJECT
public:
    LifetimeStrip(ViewContext& context, ZoomRange& zoom, QWidget* parent = nullptr);
    void setLifetimes(std::vector<Lifetime> lifetimes);
    [[nodiscard]] const std::vector<Lifetime>& lifetimes() const { return lifetimes_; }
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void hovered(const QString& text);

protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent*) override { emit hovered({}); }

private:
    [[nodiscard]] int lineHeight() const { return fontMetrics().height() + 4; }

    ZoomRange& zoom_;
    std::vector<Lifetime> lifetimes_;
};

} // namespace tilescope::views
