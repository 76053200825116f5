// Small parts that many reports are made of.
#pragma once

#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <initializer_list>

#include "views/widgets/wrapped_label.h"

namespace tilescope::views {

/// Puts widgets below each other in `parent`, without space around or between them. Remaining room
/// goes to `growing`, or to the last widget.
QVBoxLayout* inColumn(QWidget* parent, std::initializer_list<QWidget*> widgets,
                      QWidget* growing = nullptr);

/// Two widgets that share the room in this ratio; the user may move the border.
QSplitter* splitOf(Qt::Orientation orientation, QWidget* first, QWidget* second, int firstShare,
                   int secondShare);

/// Scrolls content that does not fit; without a frame.
QScrollArea* scrolled(QWidget* content);

/// Limits the width to what the eye can follow, at the left of the available room.
inline constexpr int readableWidth = 1120; // pixels
QWidget* readable(QWidget* content, int widest = readableWidth);

/// An empty page with the background of tables.
QWidget* tabPage();

/// A text with a look of the style sheet: "muted", "heading", "error", "advice", "value".
QLabel* textLabel(const QString& text, const char* look);
/// One of several lines, which can be selected to be copied.
WrappedLabel* wrappedLabel(const QString& text, const char* look);

/// A heading to hide or show what is below it; the caller does that.
QToolButton* foldingHeading(const QString& text, const QString& toolTip);

} // namespace tilescope::views
