#include "app/gui/application.h"

#include <cstdio>

#include "app/gui/file_dialog_columns.h"
#include "app/gui/window/main_window.h"
#include "core/base/error.h"

namespace tilescope::gui {
namespace {
constexpr int environmentStatus = 2; // an error of the user or the system
constexpr int internalStatus = 3;    // a fault of ours
} // namespace

// `argc` must live as long as the application.
Application::Application(int& argc, char** argv)
    : QApplication(argc, argv) {
    installEventFilter(new FileDialogColumns(this));
}

bool Application::notify(QObject* receiver, QEvent* event) {
    try {
        return QApplication::notify(receiver, event);
    } catch (const UserError& error) {
        tell(QString::fromUtf8(error.what()), environmentStatus);
    } catch (const std::bad_alloc&) {
        tell(tr("There is not enough memory for this"), environmentStatus);
    } catch (const std::exception& error) {
        tell(tr("Internal error: %1. This is a fault of TileScope, please report it.")
                 .arg(QString::fromUtf8(error.what())),
             internalStatus);
    }
    return false;
}

void Application::tell(const QString& text, int status) {
    std::fprintf(stderr, "tilescope-gui: error: %s\n", qPrintable(text));
    for (QWidget* window : topLevelWidgets())
        if (auto* main = qobject_cast<MainWindow*>(window))
            main->showError(text);
    // Queued, since the event loop to end may not be running yet.
    if (endsOnErrors_)
        QMetaObject::invokeMethod(
            this, [status] { exit(status); }, Qt::QueuedConnection);
}

} // namespace tilescope::gui
