// A button that can be narrower than its text.
#pragma once

#include <QPushButton>

namespace tilescope::views {

/// Elides its text in the middle if there is no room for all of it.
class ShortButton : public QPushButton {
public:
    /// `least`: its smallest width in pixels, `most`: its preferred width for a long text.
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
