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

/// Puts widgets below each other in `parent`, without room around or between them. What room is
/// left is that of `growing`, or of the last.
QVBoxLayout* inColumn(QWidget* parent, std::initializer_list<QWidget*> widgets,
                      QWidget* growing = nullptr);

/// Two widgets that share the room by these numbers; the user may move the border.
QSplitter* splitOf(Qt::Orientation orientation, QWidget* first, QWidget* second, int firstShare,
                   int secondShare);

/// Scrolls what has no room; without a frame.
QScrollArea* scrolled(QWidget* content);

/// No wider than lines can be followed with the eye, at the left of what room there is.
inline constexpr int readableWidth = 1120; // pixels
QWidget* readable(QWidget* content, int widest = readableWidth);

/// An empty page with the ground of tables.
QWidget* tabPage();

/// A text with a look of the style sheet: "muted", "heading", "error", "advice", "value".
QLabel* textLabel(const QString& text, const char* look);
/// One of several lines, which can be selected to be copied.
WrappedLabel* wrappedLabel(const QString& text, const char* look);

/// A heading that hides or shows what is below it; whoever makes it does that.
QToolButton* foldingHeading(const QString& text, const QString& toolTip);

} // namespace tilescope::views
