// The small dialogs of the main window.
#include <QMessageBox>

#include "app/gui/window/main_window.h"

namespace tilescope::gui {

void showAbout(QWidget* parent) {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, QObject::tr("About TileScope"),
        QObject::tr(
            "<p><b>TileScope %1</b></p>"
            "<p>A profiler for programs of the Graphcore IPU, with a simulator of the machine.</p>"
            "<p>Free software under the GNU General Public License, version 3.</p>"
            "<p>TileScope is independent of Graphcore. Graphcore, IPU, Poplar and PopVision "
            "are names of Graphcore, used here only to say what our terms correspond to.</p>")
            .arg(QStringLiteral(TILESCOPE_VERSION)),
        QMessageBox::Close, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

} // namespace tilescope::gui
