// What is at a place of a widget, for its context menu.
#pragma once

#include <QPoint>
#include <QWidget>
#include <functional>
#include <optional>

#include "views/session/selection.h"

namespace tilescope::views {

/// The item under the pointer: a row, a box, a tile.
struct Pointed {
    Selected thing;               ///< empty if it is not a thing of the source
    QString name;                 ///< whole; may be empty
    QString filterText;           ///< the text for filter(); if empty, the name
    std::function<void()> filter; ///< shows only this item; null if that is not possible
};

using ShowMenu = std::function<void(const Pointed&)>;
/// Calls `show` with the item at a position of the widget (of its viewport, if it scrolls), or with
/// the current item if the keyboard asks; later, if that has to be read.
using PointAt = std::function<void(const std::optional<QPoint>& position, const ShowMenu& show)>;

/// Sets the function that finds items in a widget, replacing an earlier one.
void setPointAt(QWidget& widget, const PointAt& pointAt);
/// The function that was set; empty if there is none.
PointAt pointAtOf(const QWidget& widget);

} // namespace tilescope::views
