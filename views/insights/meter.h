// One share as a thin bar.
#pragma once

#include <QColor>
#include <QWidget>

namespace tilescope::views {

/// Fills `share` (0 to 1) of its width with a colour.
class Meter : public QWidget {
public:
    Meter(double share, const QColor& colour, const QColor& track, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double share_;
    QColor colour_;
    QColor track_;
};

} // namespace tilescope::views
