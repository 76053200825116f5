// What is at a place of a widget, for its context menu.
#pragma once

#include <QPoint>
#include <QWidget>
#include <functional>
#include <optional>

#include "views/session/selection.h"

namespace tilescope::views {

/// A row, a box, a tile: what the user points at.
struct Pointed {
    Selected thing;               ///< nothing if it is no thing of the source
    QString name;                 ///< whole; may be empty
    QString filterText;           ///< what filter() looks for; empty for the name
    std::function<void()> filter; ///< shows only this; none where nothing can be filtered
};

using ShowMenu = std::function<void(const Pointed&)>;
/// Calls `show` with what is at a position of the widget (of its viewport, if it scrolls), or with
/// what is current where the keyboard asks; later, if that has to be read.
using PointAt = std::function<void(const std::optional<QPoint>& position, const ShowMenu& show)>;

/// Says what is where in a widget. A later word replaces it.
void setPointAt(QWidget& widget, PointAt pointAt);
/// What was said; empty if nothing was.
PointAt pointAtOf(const QWidget& widget);

} // namespace tilescope::views
