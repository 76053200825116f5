// The settings that apply to all reports.
#pragma once

#include <QDialog>

#include "views/session/view_context.h"

namespace tilescope::gui {

/// Units, clock, theme, colours with an example of them, files and the editor. Every choice takes
/// effect at once; there is nothing to confirm.
class PreferencesDialog : public QDialog {
    Q_OBJECT
public:
    PreferencesDialog(views::ViewContext& context, QWidget* parent = nullptr);
};

} // namespace tilescope::gui
