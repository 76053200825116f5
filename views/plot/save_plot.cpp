#include "views/plot/save_plot.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>

namespace tilescope::views {
namespace {

bool paintOn(PlotWidget& plot, QPaintDevice& device) {
    QCPPainter painter;
    if (!painter.begin(&device))
        return false;
    plot.paintWhole(painter);
    return painter.end();
}

bool saveSvg(PlotWidget& plot, const QString& file) {
    QSvgGenerator svg;
    svg.setFileName(file);
    svg.setSize(plot.size());
    svg.setViewBox(plot.rect());
    svg.setTitle(plot.window()->windowTitle());
    return paintOn(plot, svg);
}

bool savePdf(PlotWidget& plot, const QString& file) {
    QPdfWriter pdf(file);
    constexpr int dotsPerInch = 96; // Qt's unit of a widget's pixel
    constexpr double pointsPerInch = 72;
    pdf.setResolution(dotsPerInch);
    pdf.setPageSize(QPageSize(QSizeF(plot.size()) * pointsPerInch / dotsPerInch, QPageSize::Point));
    pdf.setPageMargins({});
    return paintOn(plot, pdf);
}

bool savePixels(PlotWidget& plot, const QString& file) {
    constexpr int finer = 2;
    QPixmap pixmap(plot.size() * finer);
    pixmap.setDevicePixelRatio(finer);
    return paintOn(plot, pixmap) && pixmap.save(file);
}

} // namespace

QString savePlotAs(PlotWidget& plot, const QString& file) {
    const QString suffix = QFileInfo(file).suffix().toLower();
    const bool saved = suffix == QLatin1String("pdf")   ? savePdf(plot, file)
                       : suffix == QLatin1String("svg") ? saveSvg(plot, file)
                                                        : savePixels(plot, file);
    return saved ? QString() : PlotWidget::tr("Cannot write '%1'.").arg(file);
}

void savePlot(PlotWidget& plot, const QString& suggestedName) {
    const QString file = QFileDialog::getSaveFileName(
        plot.window(), PlotWidget::tr("Save plot"), suggestedName + QStringLiteral(".png"),
        PlotWidget::tr("PNG picture (*.png);;SVG drawing (*.svg);;PDF document (*.pdf);;JPEG "
                       "picture (*.jpg)"));
    if (file.isEmpty())
        return;
    if (const QString problem = savePlotAs(plot, file); !problem.isEmpty())
        QMessageBox::warning(plot.window(), PlotWidget::tr("Save plot"), problem);
}

} // namespace tilescope::views
