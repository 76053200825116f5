// The base of widgets that are painted by hand.
#pragma once

#include <QWidget>

#include "views/session/view_context.h"

namespace tilescope::views {

/// Repaints itself when the theme or the units change, and may have a tool tip for each place.
class PaintedWidget : public QWidget {
    Q_OBJECT
public:
    explicit PaintedWidget(ViewContext& context, QWidget* parent = nullptr);

protected:
    [[nodiscard]] ViewContext& context() const { return context_; }
    [[nodiscard]] const Theme& theme() const { return context_.theme.current(); }
    /// The tool tip of a place; if empty, that of the widget.
    [[nodiscard]] virtual QString toolTipAt(const QPoint& /*position*/) const { return {}; }
    bool event(QEvent* event) override;

private:
    ViewContext& context_;
};

} // namespace tilescope::views
