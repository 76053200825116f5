// The values of tables as the window writes them.
#pragma once

#include <QString>
#include <QVariant>

#include "core/table/table.h"
#include "views/session/preferences.h"
#include "views/theme/theme.h"

namespace tilescope::views {

/// The role of an item's complete text, which may be longer than the one displayed.
inline constexpr int wholeTextRole = Qt::UserRole + 100;

/// The role of items for their value as programs read it: plain digits, no unit.
inline constexpr int rawTextRole = Qt::UserRole + 101;

/// The role of an item's number relative to the largest of its column, 0 to 1; invalid if that is
/// not meaningful.
inline constexpr int barRole = Qt::UserRole + 102;

/// A cell as displayed, see textOf() and shownText(). With a clock (Hz) cycles are written as time
/// if the user prefers that.
QString cellText(const Cell& cell, Unit unit, const Preferences& preferences, double clockHz = 0,
                 bool difference = false);

/// The title of a column, which says so if its cycles are written as time.
QString columnTitle(const Column& column, const Preferences& preferences, double clockHz);

/// A text of a table in the user's language.
QString translated(const std::string& text);

/// The colour of a cell's text, nothing for the default. For changes: less is better for bytes and
/// times, more for rates; counts are neutral.
QVariant foregroundOf(const Cell& cell, Unit unit, const Theme& theme);

} // namespace tilescope::views
