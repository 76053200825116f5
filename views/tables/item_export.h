// Tables and trees as text: for the clipboard, and as CSV files.
#pragma once

#include <QAbstractItemView>
#include <QString>

namespace tilescope::views {

/// The rows of a TableModel in the order of the view, as the command line's --csv has them. Of
/// other models what the view shows, in its order and without hidden columns, numbers as programs
/// read them; trees give their opened rows, with two blanks of indentation a level. Comma
/// separated, quoted as RFC 4180 has it.
QString csvText(const QAbstractItemView& view);
/// The same of the rows that are selected, or of all, as tab separated values.
QString tabbedText(const QAbstractItemView& view, bool onlySelected);

/// What a cell shows, whole, or its number as programs read it.
QString cellText(const QModelIndex& index);

/// Gives the view Copy rows (Ctrl+C), Copy all, and Save as CSV, with the keyboard and as a context
/// menu unless it has one of its own. Does nothing the second time.
void addExportActions(QAbstractItemView& view);

/// Asks for a file and saves the table there.
void askAndSaveCsv(const QAbstractItemView& view);

/// Writes what csvText() gives; returns what went wrong, or an empty text.
QString saveCsv(const QAbstractItemView& view, const QString& file);

} // namespace tilescope::views
