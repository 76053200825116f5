#include "views/widgets/save_picture.h"

#include <QBuffer>
#include <QFileDialog>
#include <QFileInfo>
#include <QHash>
#include <QMessageBox>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "views/theme/text.h"
#include "views/widgets/write_output.h"

namespace tilescope::views {
namespace {

constexpr qreal finer = 2;
constexpr int dotsPerInch = 96; // Qt's unit of a widget's pixel

bool pixelsOf(QWidget& widget, const PaintOn& paint, PictureKind kind, QBuffer& out) {
    QPixmap pixmap(widget.size() * finer);
    pixmap.setDevicePixelRatio(finer);
    pixmap.fill(widget.palette().color(QPalette::Window));
    return paint(pixmap) && pixmap.save(&out, kind == PictureKind::Jpeg ? "JPG" : "PNG");
}

bool svgOf(QWidget& widget, const PaintOn& paint, QBuffer& out) {
    QSvgGenerator svg;
    svg.setOutputDevice(&out);
    svg.setSize(widget.size());
    svg.setViewBox(widget.rect());
    svg.setTitle(widget.window()->windowTitle());
    return paint(svg);
}

bool pdfOf(QWidget& widget, const PaintOn& paint, QBuffer& out) {
    QPdfWriter pdf(&out);
    pdf.setResolution(dotsPerInch);
    constexpr qreal pointsPerInch = 72;
    pdf.setPageSize(
        QPageSize(QSizeF(widget.size()) * pointsPerInch / dotsPerInch, QPageSize::Point));
    pdf.setPageMargins({});
    return paint(pdf);
}

bool paintTo(QWidget& widget, const PaintOn& paint, PictureKind kind, QBuffer& out) {
    switch (kind) {
    case PictureKind::Svg:
        return svgOf(widget, paint, out);
    case PictureKind::Pdf:
        return pdfOf(widget, paint, out);
    case PictureKind::Png:
    case PictureKind::Jpeg:
        break;
    }
    return pixelsOf(widget, paint, kind, out);
}

QString cannotPaint(const QString& file) {
    return Text::tr("Cannot write '%1': there is too little memory for the picture").arg(file);
}

} // namespace

std::optional<PictureKind> pictureKind(const QString& file) {
    static const QHash<QString, PictureKind> kinds{{QStringLiteral("png"), PictureKind::Png},
                                                   {QStringLiteral("jpg"), PictureKind::Jpeg},
                                                   {QStringLiteral("jpeg"), PictureKind::Jpeg},
                                                   {QStringLiteral("svg"), PictureKind::Svg},
                                                   {QStringLiteral("pdf"), PictureKind::Pdf}};
    const auto found = kinds.find(QFileInfo(file).suffix().toLower());
    return found == kinds.end() ? std::nullopt : std::optional(*found);
}

QString savePixmap(const QPixmap& pixmap, const QString& file, PictureKind kind) {
    QBuffer out;
    out.open(QIODevice::WriteOnly);
    if (!pixmap.save(&out, kind == PictureKind::Jpeg ? "JPG" : "PNG"))
        return cannotPaint(file);
    return writeOutput(file, out.data());
}

QString savePicture(QWidget& widget, const QString& file, const PaintOn& paint) {
    const std::optional<PictureKind> kind = pictureKind(file);
    if (!kind)
        return Text::tr("Cannot write '%1': the name must end in .png, .jpg, .svg or .pdf.")
            .arg(file);
    QBuffer out;
    out.open(QIODevice::WriteOnly);
    if (!paintTo(widget, paint, *kind, out))
        return cannotPaint(file);
    return writeOutput(file, out.data());
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
