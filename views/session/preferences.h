// How the user wants values and colours shown.
#pragma once

#include <QObject>

#include "core/base/units.h"

namespace tilescope::views {

enum class ThemeChoice { System, Light, Dark };

/// Preferences that views follow at once. Kept in QSettings by load() and save().
class Preferences : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] ByteUnits byteUnits() const { return units_; }
    void setByteUnits(ByteUnits units);
    [[nodiscard]] ThemeChoice theme() const { return theme_; }
    void setTheme(ThemeChoice theme);

    [[nodiscard]] QString bytes(std::int64_t value) const;
    /// A difference with its sign: "+1.20 KiB", "0 B".
    [[nodiscard]] QString signedBytes(std::int64_t value) const;

    void load();
    void save() const;

signals:
    void unitsChanged();
    void themeChanged();

private:
    ByteUnits units_ = ByteUnits::Binary;
    ThemeChoice theme_ = ThemeChoice::System;
};

} // namespace tilescope::views
