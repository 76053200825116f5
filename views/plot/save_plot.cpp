#include "views/plot/save_plot.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>

namespace tilescope::views {

void savePlot(PlotWidget& plot, const QString& suggestedName) {
    const QString file = QFileDialog::getSaveFileName(
        plot.window(), PlotWidget::tr("Save plot"), suggestedName + QStringLiteral(".png"),
        PlotWidget::tr("PNG picture (*.png);;PDF document (*.pdf);;JPEG picture (*.jpg)"));
    if (file.isEmpty())
        return;
    const QString suffix = QFileInfo(file).suffix().toLower();
    const bool saved = suffix == QLatin1String("pdf")   ? plot.savePdf(file)
                       : suffix == QLatin1String("jpg") ? plot.saveJpg(file, 0, 0, 2.0)
                                                        : plot.savePng(file, 0, 0, 2.0);
    if (!saved)
        QMessageBox::warning(plot.window(), PlotWidget::tr("Save plot"),
                             PlotWidget::tr("Cannot write '%1'.").arg(file));
}

} // namespace tilescope::views
