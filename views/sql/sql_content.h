// What the SQL console shows, made on a worker thread.
#pragma once

#include <QStringList>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/table/table.h"
#include "core/view/profile_view.h"

namespace tilescope::views {

/// A table, view or function that a query can name.
struct SchemaEntry {
    enum class Kind { Table, View, Function };
    Kind kind = Kind::Table;
    QString name;
    QStringList columns; ///< of a function: those of its result
    QString note;        ///< from the documentation of the format; may be empty
};
std::vector<SchemaEntry> readSchema(const ProfileView& profile, const std::stop_token& stop);

/// The comment in front of a table or view in the documentation of the format.
QString schemaNote(const QString& name);

/// The result of a query, or an error.
struct SqlAnswer {
    Table table;
    bool truncated = false;           ///< there are more rows
    QString error;                    ///< empty if it went well
    std::optional<qsizetype> errorAt; ///< characters before the place
    qint64 milliseconds = 0;
};
/// Runs a query on `profile`; the tables of `other`, if there is one, are named target.TABLE.
/// Throws Cancelled after a stop.
SqlAnswer answerTo(const QString& sql, const ProfileView& profile, const ProfileView* other,
                   std::size_t maxRows, const std::stop_token& stop);

/// A query to begin with.
struct SqlExample {
    QString title;
    QString sql;
    bool comparing = false; ///< needs a target
};
std::vector<SqlExample> sqlExamples();

} // namespace tilescope::views
