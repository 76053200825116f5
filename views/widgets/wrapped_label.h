// A label of several lines.
#pragma once

#include <QLabel>

namespace tilescope::views {

/// A text as a label breaks it into lines: names of options, such as --batch-size, stay whole.
QString withWholeOptions(const QString& text);
/// The text without the marks that say where lines may and may not end, as it is copied.
QString withoutLineMarks(QString text);

/// Breaks its lines between words but not within an option's name. What is copied of it is what one
/// sees, without marks between its letters.
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
