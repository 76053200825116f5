// What the window writes, by the one function that all programs write with.
#pragma once

#include <QByteArray>
#include <QString>

namespace tilescope::views {

/// What would keep writeOutput() from writing; leaves everything as it was.
QString checkOutput(const QString& file);

/// Writes a file in a folder that is there, see writeFileAtomically(). Returns what went wrong, or
/// an empty text.
QString writeOutput(const QString& file, const QByteArray& bytes);

} // namespace tilescope::views
