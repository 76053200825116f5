#include "views/plot/save_plot.h"

#include "views/widgets/save_picture.h"

namespace tilescope::views {

QString savePlotAs(PlotWidget& plot, const QString& file) {
    return savePicture(plot, file, [&plot](QPaintDevice& device) {
        QCPPainter painter;
        if (!painter.begin(&device))
            return false;
        plot.paintWhole(painter);
        return painter.end();
    });
}

void savePlot(PlotWidget& plot, const QString& suggestedName) {
    askAndSave(plot.window(), PlotWidget::tr("Save plot"), suggestedName + QStringLiteral(".png"),
               pictureFilter(), [&plot](const QString& file) { return savePlotAs(plot, file); });
}

} // namespace tilescope::views
