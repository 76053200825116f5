// The visible range of the trace as a text that can be typed over.
#pragma once

#include <QLineEdit>

#include "views/session/view_context.h"

namespace tilescope::views {

/// Shows the range of the time zoom in the preferred units; Enter goes to the range that the user
/// has typed (see parseCycleRange()), Escape restores the text.
class RangeField : public QLineEdit {
    Q_OBJECT
public:
    explicit RangeField(ViewContext& context, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

signals:
    /// What is wrong with a text.
    void refused(const QString& problem);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void showRange();
    void take();
    [[nodiscard]] QString rangeText(double from, double to) const;
    [[nodiscard]] QString visibleText() const;

    ViewContext& context_;
    double first_ = 0; ///< limits of the range when its size was last asked for
    double last_ = 0;
};

} // namespace tilescope::views
