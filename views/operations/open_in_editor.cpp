#include "views/operations/open_in_editor.h"

#include <QFileInfo>
#include <QProcess>

#include "views/theme/text.h"

namespace tilescope::views {

QStringList editorWords(const QString& command, const QString& file, int line) {
    QStringList words = QProcess::splitCommand(command);
    if (words.isEmpty())
        return {};
    const bool names = command.contains(QLatin1String("{file}"));
    for (QString& word : words) {
        // The file's name comes last: it may contain anything.
        word.replace(QLatin1String("{line}"), QString::number(line));
        word.replace(QLatin1String("{file}"), file);
    }
    if (!names)
        words << file;
    return words;
}

QString openInEditor(const QString& command, const QString& file, int line) {
    QStringList words = editorWords(command, file, line);
    if (words.isEmpty())
        return Text::tr("No editor is chosen: File, Preferences has its command, such as code "
                        "--goto {file}:{line}");
    const QFileInfo info(file);
    if (!info.isAbsolute() || !info.exists())
        return Text::tr("%1 is not on this machine").arg(shownText(file));
    if (!info.isFile())
        return Text::tr("%1 is not a file").arg(shownText(file));
    const QString program = words.takeFirst();
    return QProcess::startDetached(program, words)
               ? QString()
               : Text::tr("The editor '%1' cannot be started").arg(shownText(program));
}

} // namespace tilescope::views
