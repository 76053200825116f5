// What the window writes, by the one function that all programs write with.
#pragma once

#include <QByteArray>
#include <QString>

namespace tilescope::views {

/// Writes a file, see writeFileAtomically(). Returns what went wrong, or an empty text.
QString writeOutput(const QString& file, const QByteArray& bytes);

} // namespace tilescope::views
