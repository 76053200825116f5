#include "views/widgets/painted_widget.h"
#include "views/theme/text.h"

#include <QHelpEvent>
#include <QToolTip>

namespace tilescope::views {

PaintedWidget::PaintedWidget(ViewContext& context, QWidget* parent)
    : QWidget(parent)
    , context_(context) {
    const auto repaint = qOverload<>(&QWidget::update);
    connect(&context_.theme, &ThemeSource::changed, this, repaint);
    connect(&context_.preferences, &Preferences::unitsChanged, this, repaint);
}

bool PaintedWidget::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = toolTipAt(help->pos());
    if (text.isEmpty()) {
        QToolTip::hideText();
        return QWidget::event(event);
    }
    QToolTip::showText(help->globalPos(), shownLines(text), this);
    return true;
}

} // namespace tilescope::views
