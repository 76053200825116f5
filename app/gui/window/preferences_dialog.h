// What the user can choose for all reports.
#pragma once

#include <QDialog>

#include "views/session/preferences.h"

namespace tilescope::gui {

/// Units, clock, theme, files. Every choice holds at once; there is nothing to confirm.
class PreferencesDialog : public QDialog {
    Q_OBJECT
public:
    explicit PreferencesDialog(views::Preferences& preferences, QWidget* parent = nullptr);
};

} // namespace tilescope::gui
