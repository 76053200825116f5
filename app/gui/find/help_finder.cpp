#include "app/gui/find/help_finder.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include "app/gui/find/name_matches.h"
#include "app/gui/help/help_pages.h"

namespace tilescope::gui {
namespace {

// A line as the reader sees it, without Markdown marks.
QString plainLine(QString line) {
    static const QRegularExpression marks(QStringLiteral("[*`]|\\]\\([^)]*\\)|\\[(?=[^\\]]*\\])"));
    return line.remove(marks).trimmed();
}

/// The text of a line, and the word by which the line is found on its page.
struct Said {
    QString text;
    QString word;
};

// Headings, terms of the glossary, and rows of tables, which explain their first cells.
Said saidIn(const QString& line, const QString& next) {
    if (line.startsWith(QLatin1Char('#'))) {
        const QString heading = plainLine(QString(line).remove(QLatin1Char('#')));
        return {heading, heading};
    }
    if (line.startsWith(QLatin1String("**")))
        return {plainLine(line), line.section(QStringLiteral("**"), 1, 1)};
    if (!line.startsWith(QLatin1Char('|')) || line.startsWith(QLatin1String("|-")) ||
        next.startsWith(QLatin1String("|-")))
        return {};
    const QString word = plainLine(line.section(QLatin1Char('|'), 1, 1));
    return {word + QStringLiteral(": ") + plainLine(line.section(QLatin1Char('|'), 2, 2)), word};
}

} // namespace

HelpFinder::HelpFinder() {
    for (const QString& page : allHelpPages())
        readPage(page, helpMarkdown(page));
}

void HelpFinder::readPage(const QString& page, const QString& markdown) {
    QString title;
    const QStringList lines = markdown.split(QLatin1Char('\n'));
    bool inCode = false;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (lines[i].startsWith(QLatin1String("```")))
            inCode = !inCode;
        if (inCode) // '#' begins a comment there
            continue;
        const Said said = saidIn(lines[i], lines.value(i + 1));
        if (said.text.isEmpty())
            continue;
        lines_.push_back({said.text, said.word, page, title});
        if (title.isEmpty())
            title = said.text;
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
                           guide.showHelp(line.page, line.title.isEmpty() ? QString() : line.word);
                       }});
    }
    return all;
}

} // namespace tilescope::gui
