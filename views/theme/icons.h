// Our own icons, drawn in the colours of the theme.
#pragma once

#include <QIcon>
#include <QString>

#include "views/theme/theme.h"

namespace tilescope::views {

/// The icon resources/icons/NAME.svg in the theme's text colour, in its accent colour when checked.
QIcon themedIcon(const QString& name, const Theme& theme);

} // namespace tilescope::views
