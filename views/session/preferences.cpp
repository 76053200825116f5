#include "views/session/preferences.h"

#include <QSettings>
#include <algorithm>

namespace tilescope::views {

void Preferences::setByteUnits(ByteUnits units) {
    if (units == units_)
        return;
    units_ = units;
    emit unitsChanged();
}

void Preferences::setTheme(ThemeChoice theme) {
    if (theme == theme_)
        return;
    theme_ = theme;
    emit themeChanged();
}

QString Preferences::bytes(std::int64_t value) const {
    return QString::fromStdString(formatBytes(value, units_));
}

QString Preferences::signedBytes(std::int64_t value) const {
    return value > 0 ? QLatin1Char('+') + bytes(value) : bytes(value);
}

void Preferences::load() {
    const QSettings settings;
    setByteUnits(
        static_cast<ByteUnits>(std::clamp(settings.value("view/byteUnits", 0).toInt(), 0, 2)));
    setTheme(static_cast<ThemeChoice>(std::clamp(settings.value("view/theme", 0).toInt(), 0, 2)));
}

void Preferences::save() const {
    QSettings settings;
    settings.setValue("view/byteUnits", static_cast<int>(units_));
    settings.setValue("view/theme", static_cast<int>(theme_));
}

} // namespace tilescope::views
