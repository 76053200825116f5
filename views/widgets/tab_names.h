// Tabs by names that no translation changes.
#pragma once

#include <QTabWidget>
#include <span>

namespace tilescope::views {

/// Brings the tab to the front whose name is at its place in `names`; false if it is not there.
inline bool showTab(QTabWidget& tabs, std::span<const char* const> names, const QString& name) {
    for (std::size_t tab = 0; tab < names.size(); ++tab)
        if (name == QLatin1String(names[tab])) {
            tabs.setCurrentIndex(static_cast<int>(tab));
            return true;
        }
    return false;
}

} // namespace tilescope::views
