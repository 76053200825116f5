#include "views/session/preferences.h"

#include <QSettings>
#include <algorithm>

#include "views/session/time_texts.h"
#include "views/theme/minus_sign.h"

namespace tilescope::views {

void Preferences::copyFrom(const Preferences& other) {
    setByteUnits(other.units_);
    setClockUnits(other.clock_);
    setTheme(other.theme_);
    setDataColours(other.colours_);
    setReloadsByItself(other.reloads_);
    setRestoresSession(other.restores_);
    setEditor(other.editor_);
}

QString Preferences::bytes(std::int64_t value) const {
    return withMinusSign(QString::fromStdString(formatBytes(value, units_)));
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
    return countText(value);
}

void Preferences::load() {
    const QSettings settings;
    const auto choice = [&settings](const char* key) {
        return std::clamp(settings.value(key, 0).toInt(), 0, 2);
    };
    setByteUnits(static_cast<ByteUnits>(choice("view/byteUnits")));
    setTheme(static_cast<ThemeChoice>(choice("view/theme")));
    setClockUnits(static_cast<ClockUnits>(choice("view/clockUnits")));
    setDataColours(static_cast<DataColours>(choice("view/dataColours")));
    setReloadsByItself(settings.value("files/reloadByItself", true).toBool());
    setRestoresSession(settings.value("session/restore", true).toBool());
    setEditor(settings.value("files/editor").toString());
}

void Preferences::save() const {
    QSettings settings;
    settings.setValue("view/byteUnits", static_cast<int>(units_));
    settings.setValue("view/theme", static_cast<int>(theme_));
    settings.setValue("view/dataColours", static_cast<int>(colours_));
    settings.setValue("view/clockUnits", static_cast<int>(clock_));
    settings.setValue("files/reloadByItself", reloads_);
    settings.setValue("session/restore", restores_);
    settings.setValue("files/editor", editor_);
}

} // namespace tilescope::views
