// Pictures of any widget.
#pragma once

#include <QString>
#include <QWidget>

namespace tilescope::views {

/// Paints the widget into a file of the kind that its name ends in: .png (twice as fine as the
/// screen), .svg or .pdf. Returns what went wrong, or an empty text.
QString savePicture(QWidget& widget, const QString& file);

/// For a file dialog: "PNG picture (*.png);;...".
QString pictureFilter();

} // namespace tilescope::views
