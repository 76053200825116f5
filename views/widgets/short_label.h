// A label that can be narrower than its text.
#pragma once

#include <QLabel>

namespace tilescope::views {

/// One line, elided in the middle if there is no room for all of it; then its tool tip has all of
/// it.
class ShortLabel : public QLabel {
public:
    /// `least`: its smallest width in pixels, `most`: its preferred width for a long text.
    ShortLabel(const QString& text, int least, int most, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] bool isShort() const;

    int least_;
    int most_;
};

} // namespace tilescope::views
