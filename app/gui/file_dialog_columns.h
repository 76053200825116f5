// Qt's own file dialog with columns that are wide enough.
#pragma once

#include <QObject>

namespace tilescope::gui {

/// Watches for file dialogs of Qt that are about to be shown and gives their columns the width of
/// what is in them, the names the rest. Where the desktop has a dialog of its own, that is shown
/// and is left as it is.
class FileDialogColumns : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace tilescope::gui
