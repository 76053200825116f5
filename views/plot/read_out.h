// The geometry of a plot's read-out at the pointer, apart from painting.
#pragma once

#include <QFontMetrics>
#include <QPoint>
#include <QRect>
#include <QString>
#include <vector>

namespace tilescope::views {

/// Separates the name from the value in a line of a read-out: values have their own column.
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
        QString value; ///< empty if the line has only a name
        QRect valuePlace;
    };
    QRect box;
    std::vector<Line> lines;
};

/// Lays out a text of several lines beside the pointer, inside `room`. If not all of them fit,
/// lines without a value are dropped first.
ReadOutBox layOutReadOut(const QString& text, const QPoint& pointer, const QRect& room,
                         const QFontMetrics& metrics);

} // namespace tilescope::views
