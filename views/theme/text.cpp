#include "views/theme/text.h"

#include <QStringList>

#include "core/base/printable.h"

namespace tilescope::views {

QString shownText(const QString& text, qsizetype most) {
    if (text.size() <= most)
        return text;
    qsizetype head = most / 2;
    qsizetype tail = most - head - 1;
    // Not within a surrogate pair.
    if (text.at(head - 1).isHighSurrogate())
        --head;
    if (text.at(text.size() - tail).isLowSurrogate())
        --tail;
    return text.left(head) + QChar(0x2026) + text.right(tail);
}

QString shownName(const std::string& name, qsizetype most) {
    return shownText(QString::fromStdString(printable(name)), most);
}

QString shownLines(const QString& text) {
    constexpr qsizetype mostLines = 60;
    if (text.size() <= mostShown)
        return text;
    QStringList lines;
    for (const QStringView line : QStringView(text).split(QLatin1Char('\n'))) {
        if (lines.size() == mostLines) {
            lines << QString(QChar(0x2026));
            break;
        }
        lines << shownText(line.toString());
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace tilescope::views
