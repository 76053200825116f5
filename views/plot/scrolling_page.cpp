#include "views/plot/scrolling_page.h"

#include <QScrollArea>
#include <QScrollBar>

namespace tilescope::views {

bool isOnScrollingPage(const QWidget& widget) {
    for (const QWidget* at = widget.parentWidget(); at != nullptr; at = at->parentWidget())
        if (const auto* area = qobject_cast<const QScrollArea*>(at))
            if (area->verticalScrollBar()->maximum() > area->verticalScrollBar()->minimum())
                return true;
    return false;
}

} // namespace tilescope::views
