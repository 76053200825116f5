// Qt's own file dialog with columns that are wide enough.
#pragma once

#include <QObject>

namespace tilescope::gui {

/// Watches for Qt file dialogs that are about to be shown and fits their columns to the contents;
/// names get the rest. Native dialogs of the desktop are left unchanged.
class FileDialogColumns : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace tilescope::gui
