// The slider of a film, with live memory behind it.
#pragma once

#include <QSlider>
#include <cstdint>
#include <vector>

#include "views/theme/theme.h"

namespace tilescope::views {

/// A slider over the frames of a film that shows where memory is high.
class FilmSlider : public QSlider {
    Q_OBJECT
public:
    explicit FilmSlider(const ThemeSource& theme, QWidget* parent = nullptr);

    /// A value for each frame; none for a film without a curve.
    void setCurve(std::vector<std::int64_t> curve);
    [[nodiscard]] const std::vector<std::int64_t>& curve() const { return curve_; }
    /// The first of the frames with the largest value; 0 without a curve.
    [[nodiscard]] std::int64_t peak() const;

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeSource& theme_;
    std::vector<std::int64_t> curve_;
};

} // namespace tilescope::views
