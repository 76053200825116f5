#include "app/gui/help/help_pages.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

namespace tilescope::gui {
namespace {

constexpr QLatin1String manualFolder("manual/");
constexpr QLatin1String helpFolder("help/");
constexpr QLatin1String suffix(".md");

QString fileOf(const QString& page) {
    return QStringLiteral(":/") + (page.startsWith(manualFolder) ? QLatin1String() : helpFolder) +
           page + suffix;
}

} // namespace

QString helpMarkdown(const QString& page) {
    QFile file(fileOf(page));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    // Comments in the manual are for its test, not for readers.
    static const QRegularExpression comment(QStringLiteral("<!--.*?-->\n?"),
                                            QRegularExpression::DotMatchesEverythingOption);
    return QString::fromUtf8(file.readAll()).remove(comment);
}

QStringList manualPages() {
    QStringList names{manualFolder + QStringLiteral("index")};
    static const QRegularExpression link(QStringLiteral(R"(\]\((\w+)\.md\))"));
    auto links = link.globalMatch(helpMarkdown(names.first()));
    while (links.hasNext())
        names << manualFolder + links.next().captured(1);
    return names;
}

QStringList allHelpPages() {
    QStringList names;
    for (const QString& file : QDir(QStringLiteral(":/help")).entryList(QDir::Files))
        names << file.chopped(suffix.size());
    return names + manualPages();
}

QString linkedHelpPage(const QString& page, const QUrl& link) {
    QString path = QUrl(QStringLiteral("qrc") + fileOf(page)).resolved(link).path().mid(1);
    if (path.startsWith(helpFolder))
        path.remove(0, helpFolder.size());
    return path.remove(suffix);
}

} // namespace tilescope::gui
