// The pages of the help by name: "memory" is help/memory.md, "manual/pipelines" a page of the
// manual.
#pragma once

#include <QString>
#include <QStringList>
#include <QUrl>

namespace tilescope::gui {

/// As Markdown; empty if there is none.
QString helpMarkdown(const QString& page);

/// Pages of the manual in the order of its index, which comes first.
QStringList manualPages();

/// Pages of the help, in no particular order, and of the manual.
QStringList allHelpPages();

/// The page that a link on a page leads to, such as "../help/keys.md".
QString linkedHelpPage(const QString& page, const QUrl& link);

} // namespace tilescope::gui
