// Tables and trees as text: for the clipboard, and as CSV files.
#pragma once

#include <QAbstractItemView>
#include <QString>

namespace tilescope::views {

/// What the view shows, in its order and without hidden columns; trees give their opened rows, with
/// two blanks of indentation a level. Comma separated, quoted as RFC 4180 has it.
QString csvText(const QAbstractItemView& view);
/// The rows that are selected, or all of them, as tab separated values with headings.
QString tabbedText(const QAbstractItemView& view, bool onlySelected);

/// Gives the view Copy (Ctrl+C), Copy all, and Save as CSV, with the keyboard and as a context
/// menu unless it has one of its own. Does nothing the second time.
void addExportActions(QAbstractItemView& view);

/// Writes what csvText() gives; returns what went wrong, or an empty text.
QString saveCsv(const QAbstractItemView& view, const QString& file);

} // namespace tilescope::views
