// A button that can be narrower than its text.
#pragma once

#include <QPushButton>

namespace tilescope::views {

/// Leaves letters out in the middle of its text where it has no room for all of them.
class ShortButton : public QPushButton {
public:
    /// `least`: pixels that it is wide at least, `most`: that it wants for a long text.
    ShortButton(QString text, int least, int most, QWidget* parent = nullptr);

    [[nodiscard]] const QString& wholeText() const { return whole_; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] int frameWidth() const; ///< what is around the text

    QString whole_;
    int least_;
    int most_;
};

} // namespace tilescope::views
