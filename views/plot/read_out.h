// The geometry of what a plot says of the place under the pointer, apart from painting.
#pragma once

#include <QFontMetrics>
#include <QPoint>
#include <QRect>
#include <QString>
#include <vector>

namespace tilescope::views {

/// Parts the name from the value in a line of a read-out: values are in a column of their own.
inline constexpr QChar readOutColumn = QLatin1Char('\t');

/// "name\tvalue": a line of a read-out.
QString readOutLine(const QString& name, const QString& value);

/// A read-out as one line, for the status bar: "Step 3: Conv  ·  Total: 3 MiB".
QString inOneLine(QString readOut);

/// A read-out laid out in a box: names on the left, shortened in the middle, values on the right,
/// whole.
struct ReadOutBox {
    struct Line {
        QString name;
        QRect namePlace;
        QString value; ///< empty of a line that is a name alone
        QRect valuePlace;
    };
    QRect box;
    std::vector<Line> lines;
};

/// Lays out a text of several lines beside the pointer, inside `room`. Where not all of them have
/// room, lines without a value go first.
ReadOutBox layOutReadOut(const QString& text, const QPoint& pointer, const QRect& room,
                         const QFontMetrics& metrics);

} // namespace tilescope::views
