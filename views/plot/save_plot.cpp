#include "views/plot/save_plot.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QSvgGenerator>

namespace tilescope::views {
namespace {

bool saveSvg(PlotWidget& plot, const QString& file) {
    QSvgGenerator svg;
    svg.setFileName(file);
    svg.setSize(plot.size());
    svg.setViewBox(plot.rect());
    svg.setTitle(plot.window()->windowTitle());
    QCPPainter painter;
    if (!painter.begin(&svg))
        return false;
    // Lines and texts, not the picture of them that a screen gets.
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    plot.toPainter(&painter, plot.width(), plot.height());
    return painter.end();
}

} // namespace

QString savePlotAs(PlotWidget& plot, const QString& file) {
    constexpr double finer = 2;
    const QString suffix = QFileInfo(file).suffix().toLower();
    const bool saved = suffix == QLatin1String("pdf")   ? plot.savePdf(file)
                       : suffix == QLatin1String("svg") ? saveSvg(plot, file)
                       : suffix == QLatin1String("jpg") ? plot.saveJpg(file, 0, 0, finer)
                                                        : plot.savePng(file, 0, 0, finer);
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
