// Texts to translate outside of classes that Qt's meta-objects know, and names as they are shown.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <string>

namespace tilescope::views {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(TileScope)
};

/// Letters of a text that are shown at the most: more than any screen has room for in a line. To
/// lay out a name of many thousands takes seconds.
inline constexpr qsizetype mostShown = 400;
/// The same of one of many names in a line or a paragraph.
inline constexpr qsizetype mostOfOne = 100;
/// The same of sentences over several lines, with names in them.
inline constexpr qsizetype mostOfParagraph = 4 * mostShown;

/// A text as it is shown, with a sign for the middle of one that is too long. What is copied or
/// saved is the whole text.
QString shownText(const QString& text, qsizetype most = mostShown);
/// A name of a profile as it is shown.
QString shownName(const std::string& name, qsizetype most = mostShown);
/// The lines of a tool tip, each as it is shown, and no more of them than a screen has room for.
QString shownLines(const QString& text);

} // namespace tilescope::views
