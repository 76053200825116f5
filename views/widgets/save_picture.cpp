#include "views/widgets/save_picture.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr qreal finer = 2;
constexpr int dotsPerInch = 96; // Qt's unit of a widget's pixel

bool savePixels(QWidget& widget, const QString& file, const PaintOn& paint) {
    QPixmap pixmap(widget.size() * finer);
    pixmap.setDevicePixelRatio(finer);
    pixmap.fill(widget.palette().color(QPalette::Window));
    return paint(pixmap) && pixmap.save(file);
}

bool saveSvg(QWidget& widget, const QString& file, const PaintOn& paint) {
    QSvgGenerator svg;
    svg.setFileName(file);
    svg.setSize(widget.size());
    svg.setViewBox(widget.rect());
    svg.setTitle(widget.window()->windowTitle());
    return paint(svg);
}

bool savePdf(QWidget& widget, const QString& file, const PaintOn& paint) {
    QPdfWriter pdf(file);
    pdf.setResolution(dotsPerInch);
    constexpr qreal pointsPerInch = 72;
    pdf.setPageSize(
        QPageSize(QSizeF(widget.size()) * pointsPerInch / dotsPerInch, QPageSize::Point));
    pdf.setPageMargins({});
    return paint(pdf);
}

} // namespace

QString savePicture(QWidget& widget, const QString& file, const PaintOn& paint) {
    const QString suffix = QFileInfo(file).suffix().toLower();
    const bool good = suffix == QLatin1String("svg")   ? saveSvg(widget, file, paint)
                      : suffix == QLatin1String("pdf") ? savePdf(widget, file, paint)
                                                       : savePixels(widget, file, paint);
    return good ? QString()
                : Text::tr("Cannot write '%1': the folder must exist and be writable, and the name "
                           "end in .png, .jpg, .svg or .pdf.")
                      .arg(file);
}

QString savePicture(QWidget& widget, const QString& file) {
    return savePicture(widget, file, [&widget](QPaintDevice& device) {
        QPainter painter;
        if (!painter.begin(&device))
            return false;
        widget.render(&painter);
        return painter.end();
    });
}

QString pictureFilter() {
    return Text::tr("PNG picture (*.png);;SVG drawing (*.svg);;PDF document (*.pdf);;JPEG picture "
                    "(*.jpg)");
}

void askAndSave(QWidget* window, const QString& title, const QString& suggestedName,
                const QString& filter, const std::function<QString(const QString&)>& save) {
    const QString file = QFileDialog::getSaveFileName(window, title, suggestedName, filter);
    if (file.isEmpty())
        return;
    if (const QString problem = save(file); !problem.isEmpty())
        QMessageBox::warning(window, title, problem);
}

} // namespace tilescope::views
