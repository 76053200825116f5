// Texts to translate outside of classes with Qt meta-objects, and names for display.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <string>

namespace tilescope::views {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(TileScope)
};

/// The most letters shown of a text: more than fit in a line on any screen. Laying out a name of
/// many thousands takes seconds.
inline constexpr qsizetype mostShown = 400;
/// The same for one of many names in a line or a paragraph.
inline constexpr qsizetype mostOfOne = 100;
/// The same for sentences over several lines, with names in them.
inline constexpr qsizetype mostOfParagraph = 4 * mostShown;

/// A text for display, with an ellipsis in the middle if it is too long. Copying and saving use the
/// complete text.
QString shownText(const QString& text, qsizetype most = mostShown);
/// A name of a profile as it is shown.
QString shownName(const std::string& name, qsizetype most = mostShown);
/// A text as it is read on menus and buttons, where an ampersand alone underlines the next letter.
inline QString menuText(QString text) {
    return text.replace(QLatin1Char('&'), QLatin1String("&&"));
}
/// The lines of a tool tip, for display, and no more of them than fit on a screen.
QString shownLines(const QString& text);

} // namespace tilescope::views
