#include "views/widgets/save_picture.h"

#include <QFileInfo>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr qreal finer = 2;
constexpr int dotsPerInch = 96; // Qt's unit of a widget's pixel

bool savePixels(QWidget& widget, const QString& file) {
    QPixmap pixmap(widget.size() * finer);
    pixmap.setDevicePixelRatio(finer);
    pixmap.fill(widget.palette().color(QPalette::Window));
    widget.render(&pixmap);
    return pixmap.save(file);
}

bool saveSvg(QWidget& widget, const QString& file) {
    QSvgGenerator svg;
    svg.setFileName(file);
    svg.setSize(widget.size());
    svg.setViewBox(widget.rect());
    svg.setTitle(widget.window()->windowTitle());
    QPainter painter;
    if (!painter.begin(&svg))
        return false;
    widget.render(&painter);
    return painter.end();
}

bool savePdf(QWidget& widget, const QString& file) {
    QPdfWriter pdf(file);
    pdf.setResolution(dotsPerInch);
    constexpr qreal pointsPerInch = 72;
    pdf.setPageSize(
        QPageSize(QSizeF(widget.size()) * pointsPerInch / dotsPerInch, QPageSize::Point));
    pdf.setPageMargins({});
    QPainter painter;
    if (!painter.begin(&pdf))
        return false;
    widget.render(&painter);
    return painter.end();
}

} // namespace

QString savePicture(QWidget& widget, const QString& file) {
    const QString suffix = QFileInfo(file).suffix().toLower();
    const bool good = suffix == QLatin1String("svg")   ? saveSvg(widget, file)
                      : suffix == QLatin1String("pdf") ? savePdf(widget, file)
                                                       : savePixels(widget, file);
    return good ? QString()
                : Text::tr(
                      "Cannot write '%1': the folder must exist and be writable, and the name end "
                      "in .png, .svg or .pdf.")
                      .arg(file);
}

QString pictureFilter() {
    return Text::tr("PNG picture (*.png);;SVG drawing (*.svg);;PDF document (*.pdf)");
}

} // namespace tilescope::views
