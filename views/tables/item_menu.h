// The context menu of tables, trees, plots, maps and graphs.
#pragma once

#include <QContextMenuEvent>

#include "views/widgets/pointed.h"
#include "views/widgets/thing_places.h"

namespace tilescope::views {

/// Opens the context menu of a widget of a report, or of the content of its viewport: places that
/// show the item under the pointer ("Show in"), "Filter to" it, copying its cell or name, then the
/// widget's own actions. False if there is nothing to offer; the event is then not handled.
bool openItemMenu(QWidget& widget, ViewContext& context, const QContextMenuEvent& event);

/// The name by which an open menu is found among the children of its widget.
inline constexpr const char* itemMenuName = "itemMenu";

} // namespace tilescope::views
