// A label of several lines.
#pragma once

#include <QLabel>

namespace tilescope::views {

/// A text whose option names, such as --batch-size, are not broken across lines.
QString withWholeOptions(const QString& text);
/// The text without the marks that control line breaks, for copying.
QString withoutLineMarks(QString text);

/// Breaks its lines between words but not within an option's name. Text copied from it is as
/// displayed, without these marks.
class WrappedLabel : public QLabel {
public:
    explicit WrappedLabel(const QString& text = {}, QWidget* parent = nullptr);
    void setText(const QString& text);
    [[nodiscard]] QString text() const { return withoutLineMarks(QLabel::text()); }
    /// A few words want one line, which they give up where there is no room.
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void copy(int mode) const; ///< of QClipboard
};

} // namespace tilescope::views
