// A line of the user's program in the user's editor.
#pragma once

#include <QString>
#include <QStringList>

namespace tilescope::views {

/// The words of an editor's command for a line, {file} and {line} replaced; the file is appended if
/// no word names it. Empty for an empty command.
QStringList editorWords(const QString& command, const QString& file, int line);

/// Starts the editor with a file, without a shell; returns what is wrong, empty if nothing is. Only
/// regular files by their whole path are opened: the profile that names them may be anybody's.
QString openInEditor(const QString& command, const QString& file, int line);

} // namespace tilescope::views
