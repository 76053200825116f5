// Pictures of any widget, and asking where a file goes.
#pragma once

#include <QString>
#include <QWidget>
#include <functional>
#include <optional>

namespace tilescope::views {

enum class PictureKind { Png, Jpeg, Svg, Pdf };
/// The kind of picture by the extension of a file's name; none for any other.
std::optional<PictureKind> pictureKind(const QString& file);

/// Writes pixels as .png or .jpg. Returns what went wrong, or an empty text.
QString savePixmap(const QPixmap& pixmap, const QString& file, PictureKind kind);

/// Paints the widget into a file of the kind of its extension: .png or .jpg (at twice the screen's
/// resolution), .svg or .pdf. Returns what went wrong, or an empty text.
QString savePicture(QWidget& widget, const QString& file);

/// Something that paints on a device of the widget's size; false if it cannot.
using PaintOn = std::function<bool(QPaintDevice&)>;
/// Likewise, with `paint` in place of the widget's own painting.
QString savePicture(QWidget& widget, const QString& file, const PaintOn& paint);

/// For a file dialog: "PNG picture (*.png);;...".
QString pictureFilter();

/// Asks for a file name and saves there with `save`, which returns what went wrong.
void askAndSave(QWidget* window, const QString& title, const QString& suggestedName,
                const QString& filter, const std::function<QString(const QString&)>& save);

} // namespace tilescope::views
