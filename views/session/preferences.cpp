#include "views/session/preferences.h"

#include <QSettings>
#include <algorithm>

#include "views/session/time_texts.h"

namespace tilescope::views {

void Preferences::setByteUnits(ByteUnits units) {
    if (units == units_)
        return;
    units_ = units;
    emit unitsChanged();
    emit changed();
}

void Preferences::setTheme(ThemeChoice theme) {
    if (theme == theme_)
        return;
    theme_ = theme;
    emit themeChanged();
    emit changed();
}

void Preferences::setDataColours(DataColours colours) {
    if (colours == colours_)
        return;
    colours_ = colours;
    emit themeChanged();
    emit changed();
}

void Preferences::setClockUnits(ClockUnits units) {
    if (units == clock_)
        return;
    clock_ = units;
    emit unitsChanged();
    emit changed();
}

void Preferences::setReloadsByItself(bool reloads) {
    if (reloads == reloads_)
        return;
    reloads_ = reloads;
    emit changed();
}

void Preferences::setRestoresSession(bool restores) {
    if (restores == restores_)
        return;
    restores_ = restores;
    emit changed();
}

void Preferences::copyFrom(const Preferences& other) {
    setByteUnits(other.units_);
    setClockUnits(other.clock_);
    setTheme(other.theme_);
    setDataColours(other.colours_);
    setReloadsByItself(other.reloads_);
    setRestoresSession(other.restores_);
}

QString Preferences::bytes(std::int64_t value) const {
    return QString::fromStdString(formatBytes(value, units_));
}

QString Preferences::signedBytes(std::int64_t value) const {
    return value > 0 ? QLatin1Char('+') + bytes(value) : bytes(value);
}

QString Preferences::cycles(std::int64_t value, double clockHz) const {
    if (clock_ == ClockUnits::Cycles || clockHz <= 0)
        return cyclesText(value, 0);
    if (clock_ == ClockUnits::Time)
        return durationText(static_cast<double>(value) / clockHz);
    return cyclesText(value, clockHz);
}

QString Preferences::cyclesAlone(std::int64_t value, double clockHz) const {
    if (clock_ == ClockUnits::Time && clockHz > 0)
        return durationText(static_cast<double>(value) / clockHz);
    return QString::fromStdString(withThousands(value));
}

void Preferences::load() {
    const QSettings settings;
    setByteUnits(
        static_cast<ByteUnits>(std::clamp(settings.value("view/byteUnits", 0).toInt(), 0, 2)));
    setTheme(static_cast<ThemeChoice>(std::clamp(settings.value("view/theme", 0).toInt(), 0, 2)));
    setClockUnits(
        static_cast<ClockUnits>(std::clamp(settings.value("view/clockUnits", 0).toInt(), 0, 2)));
    setDataColours(
        static_cast<DataColours>(std::clamp(settings.value("view/dataColours", 0).toInt(), 0, 2)));
    setReloadsByItself(settings.value("files/reloadByItself", true).toBool());
    setRestoresSession(settings.value("session/restore", true).toBool());
}

void Preferences::save() const {
    QSettings settings;
    settings.setValue("view/byteUnits", static_cast<int>(units_));
    settings.setValue("view/theme", static_cast<int>(theme_));
    settings.setValue("view/dataColours", static_cast<int>(colours_));
    settings.setValue("view/clockUnits", static_cast<int>(clock_));
    settings.setValue("files/reloadByItself", reloads_);
    settings.setValue("session/restore", restores_);
}

} // namespace tilescope::views
