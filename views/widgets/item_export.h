// Tables and trees as text: for the clipboard, and as CSV files.
#pragma once

#include <QAbstractItemView>
#include <QString>
#include <vector>

#include "core/table/table.h"

namespace tilescope::views {

/// A model whose rows are those of a table, with values that programs can read.
class RawTable {
public:
    RawTable() = default;
    RawTable(const RawTable&) = delete;
    RawTable& operator=(const RawTable&) = delete;
    virtual ~RawTable() = default;
    /// The table with these rows of the model alone.
    [[nodiscard]] virtual Table rawTable(const std::vector<int>& rows) const = 0;
};

/// The rows of a RawTable in the order of the view, as the command line's --csv has them. Of other
/// models what the view shows, in its order and without hidden columns; trees give their opened
/// rows, with two blanks of indentation a level. Comma separated, quoted as RFC 4180 has it.
QString csvText(const QAbstractItemView& view);
/// The same of the rows that are selected, or of all, as tab separated values.
QString tabbedText(const QAbstractItemView& view, bool onlySelected);

/// Gives the view Copy (Ctrl+C), Copy all, and Save as CSV, with the keyboard and as a context
/// menu unless it has one of its own. Does nothing the second time.
void addExportActions(QAbstractItemView& view);

/// Writes what csvText() gives; returns what went wrong, or an empty text.
QString saveCsv(const QAbstractItemView& view, const QString& file);

} // namespace tilescope::views
