// The base of widgets that are painted by hand.
#pragma once

#include <QWidget>

#include "views/session/view_context.h"

namespace tilescope::views {

/// Paints itself anew when the theme or the units are others, and may say something of each place.
class PaintedWidget : public QWidget {
    Q_OBJECT
public:
    explicit PaintedWidget(ViewContext& context, QWidget* parent = nullptr);

protected:
    [[nodiscard]] ViewContext& context() const { return context_; }
    [[nodiscard]] const Theme& theme() const { return context_.theme.current(); }
    /// The tool tip of a place; the widget's own where it is empty.
    [[nodiscard]] virtual QString toolTipAt(const QPoint& /*position*/) const { return {}; }
    bool event(QEvent* event) override;

private:
    ViewContext& context_;
};

} // namespace tilescope::views
