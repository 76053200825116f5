// Tables and trees as text: for the clipboard, and as CSV files.
#pragma once

#include <QAbstractItemView>
#include <QString>

namespace tilescope::views {

/// The rows of a TableModel in the order of the view, as the command line's --csv writes them. For
/// other models the visible content, in its order and without hidden columns, with numbers in
/// machine-readable form; trees contribute their expanded rows, indented by two blanks a level.
/// Comma separated, quoted as in RFC 4180.
QString csvText(const QAbstractItemView& view);
/// The same for the selected rows, or all, as tab separated values.
QString tabbedText(const QAbstractItemView& view, bool onlySelected);

/// The complete text of a cell, or its number in machine-readable form.
QString cellText(const QModelIndex& index);

/// Adds the actions Copy rows (Ctrl+C), Copy all, and Save as CSV to the view, with shortcuts and
/// in a context menu unless it has one of its own. The second call has no effect.
void addExportActions(QAbstractItemView& view);

/// Asks for a file and saves the table there.
void askAndSaveCsv(const QAbstractItemView& view);

/// Writes what csvText() gives; returns what went wrong, or an empty text.
QString saveCsv(const QAbstractItemView& view, const QString& file);

} // namespace tilescope::views
