// Output files of the window, written by the function that all programs use.
#pragma once

#include <QByteArray>
#include <QString>

namespace tilescope::views {

/// What would prevent writeOutput() from writing; changes nothing.
QString checkOutput(const QString& file);

/// Writes a file in an existing folder, see writeFileAtomically(). Returns what went wrong, or an
/// empty text.
QString writeOutput(const QString& file, const QByteArray& bytes);

} // namespace tilescope::views
