#include "app/gui/find/help_finder.h"

#include <QCoreApplication>
#include <QDir>
#include <QRegularExpression>

#include "app/gui/find/name_matches.h"

namespace tilescope::gui {
namespace {

// What a reader sees of a line: without marks of Markdown.
QString plainLine(QString line) {
    static const QRegularExpression marks(QStringLiteral("[*`]|\\]\\([^)]*\\)|\\[(?=[^\\]]*\\])"));
    return line.remove(marks).trimmed();
}

// The first cell of a table's row; empty if the line is none, or a title or a rule.
QString firstCell(const QString& line, const QString& next) {
    if (!line.startsWith(QLatin1Char('|')) || line.startsWith(QLatin1String("|-")) ||
        next.startsWith(QLatin1String("|-")))
        return {};
    return plainLine(line.section(QLatin1Char('|'), 1, 1));
}

} // namespace

HelpFinder::HelpFinder() {
    const QDir folder(QStringLiteral(":/help"));
    for (const QString& name : folder.entryList({QStringLiteral("*.md")}, QDir::Files)) {
        QFile file(folder.filePath(name));
        if (file.open(QIODevice::ReadOnly))
            readPage(name.chopped(3), QString::fromUtf8(file.readAll()));
    }
}

void HelpFinder::readPage(const QString& page, const QString& markdown) {
    QString title;
    const QStringList lines = markdown.split(QLatin1Char('\n'));
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString& line = lines[i];
        QString text = firstCell(line, lines.value(i + 1));
        if (line.startsWith(QLatin1Char('#')))
            text = plainLine(QString(line).remove(QLatin1Char('#')));
        if (text.isEmpty())
            continue;
        lines_.push_back({text, page, title});
        if (title.isEmpty())
            title = text;
    }
}

QString HelpFinder::heading() const {
    return QCoreApplication::translate("Finder", "Help");
}

std::vector<Found> HelpFinder::find(const QString& typed, std::size_t most,
                                    const std::stop_token& stop) const {
    std::vector<Found> all;
    for (const std::size_t number : bestNames(
             typed, lines_.size(), [this](std::size_t i) { return lines_[i].text; }, most, stop)) {
        const Line& line = lines_[number];
        all.push_back({line.text, line.title, [line](Guide& guide) {
                           guide.showHelp(line.page, line.title.isEmpty() ? QString() : line.text);
                       }});
    }
    return all;
}

} // namespace tilescope::gui
