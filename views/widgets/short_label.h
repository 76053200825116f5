// A label that can be narrower than its text.
#pragma once

#include <QLabel>

namespace tilescope::views {

/// One line, with letters left out in its middle where it has no room for all of them, which it
/// says when one points at it.
class ShortLabel : public QLabel {
public:
    /// `least`: pixels that it is wide at least, `most`: that it wants for a long text.
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
