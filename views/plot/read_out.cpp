#include "views/plot/read_out.h"

#include <QStringList>
#include <algorithm>

namespace tilescope::views {
namespace {

constexpr int padding = 7;
constexpr int distance = 14;  // from the pointer
constexpr int columnGap = 16; // between a name and its value
constexpr int widestText = 460;

// Values are what a read-out is for; names alone are in the status bar as well.
QStringList linesThatFit(const QString& text, int most) {
    QStringList lines = text.split(QLatin1Char('\n'));
    for (qsizetype i = lines.size() - 1; i >= 0 && lines.size() > most; --i)
        if (!lines[i].contains(readOutColumn))
            lines.removeAt(i);
    return lines.mid(0, std::max(1, most));
}

// Beside the pointer; on its other side rather than beyond the room's end, and never outside.
int placeBeside(int pointer, int length, int first, int last) {
    int at = pointer + distance;
    if (at + length - 1 > last)
        at = pointer - distance - length;
    return std::clamp(at, first, std::max(first, last + 1 - length));
}

} // namespace

QString readOutLine(const QString& name, const QString& value) {
    return name + readOutColumn + value;
}

QString inOneLine(QString readOut) {
    return readOut.replace(readOutColumn, QStringLiteral(": "))
        .replace(QLatin1Char('\n'), QStringLiteral("  \u00b7  "));
}

ReadOutBox layOutReadOut(const QString& text, const QPoint& pointer, const QRect& room,
                         const QFontMetrics& metrics) {
    const int height = metrics.height();
    ReadOutBox layout;
    int values = 0; // pixels of the second column
    int names = 0;
    int alone = 0;
    for (const QString& line : linesThatFit(text, (room.height() - 2 * padding) / height)) {
        const QString name = line.section(readOutColumn, 0, 0);
        const QString value = line.section(readOutColumn, 1);
        int& column = value.isEmpty() ? alone : names;
        column = std::max(column, metrics.horizontalAdvance(name));
        values = std::max(values, metrics.horizontalAdvance(value));
        layout.lines.push_back({name, {}, value, {}});
    }
    const int beside = values > 0 ? columnGap + values : 0;
    const int most = std::min(widestText, room.width() - 2 * padding);
    const int width = std::clamp(std::max(alone, names + beside), 1, std::max(1, most));
    const QSize size(width + 2 * padding,
                     static_cast<int>(layout.lines.size()) * height + 2 * padding);
    layout.box = QRect(QPoint(placeBeside(pointer.x(), size.width(), room.left(), room.right()),
                              placeBeside(pointer.y(), size.height(), room.top(), room.bottom())),
                       size);
    QRect place(layout.box.topLeft() + QPoint(padding, padding), QSize(width, height));
    for (ReadOutBox::Line& line : layout.lines) {
        line.namePlace = line.valuePlace = place;
        if (!line.value.isEmpty()) {
            line.valuePlace.setLeft(place.right() + 1 - values);
            line.namePlace.setWidth(std::max(0, width - beside));
        }
        // Rounding must not shorten the line that the box is as wide as.
        if (metrics.horizontalAdvance(line.name) > line.namePlace.width())
            line.name = metrics.elidedText(line.name, Qt::ElideMiddle, line.namePlace.width());
        place.translate(0, height);
    }
    return layout;
}

} // namespace tilescope::views
