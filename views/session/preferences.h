// How the user wants values and colours shown.
#pragma once

#include <QObject>

#include "core/base/units.h"
#include "views/theme/data_palette.h"

namespace tilescope::views {

enum class ThemeChoice { System, Light, Dark };

/// Preferences that views follow at once. Kept in QSettings by load() and save().
class Preferences : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] ByteUnits byteUnits() const { return units_; }
    void setByteUnits(ByteUnits units) { take(units_, units, &Preferences::unitsChanged); }
    [[nodiscard]] ThemeChoice theme() const { return theme_; }
    void setTheme(ThemeChoice theme) { take(theme_, theme, &Preferences::themeChanged); }

    /// The colours of data, in both themes.
    [[nodiscard]] DataColours dataColours() const { return colours_; }
    void setDataColours(DataColours colours) {
        take(colours_, colours, &Preferences::themeChanged);
    }

    [[nodiscard]] ClockUnits clockUnits() const { return clock_; }
    void setClockUnits(ClockUnits units) { take(clock_, units, &Preferences::unitsChanged); }
    /// A profile that is written anew while it is open is read again without asking.
    [[nodiscard]] bool reloadsByItself() const { return reloads_; }
    void setReloadsByItself(bool reloads) { take(reloads_, reloads); }
    /// The program starts with the profiles that were open when it ended.
    [[nodiscard]] bool restoresSession() const { return restores_; }
    void setRestoresSession(bool restores) { take(restores_, restores); }
    /// The command that opens a file of the user's program, with {file} and {line}; may be empty.
    [[nodiscard]] const QString& editor() const { return editor_; }
    void setEditor(const QString& command) { take(editor_, command); }
    /// Copies all values from another window's preferences.
    void copyFrom(const Preferences& other);

    [[nodiscard]] QString bytes(std::int64_t value) const;
    /// A difference with its sign: "+1.20 KiB", "0 B".
    [[nodiscard]] QString signedBytes(std::int64_t value) const;

    /// Cycles of a machine with this clock (Hz) in the preferred units: "34,655 cycles (26.1 µs)".
    /// A clock of 0 leaves cycles.
    [[nodiscard]] QString cycles(std::int64_t value, double clockHz) const;

    /// The same if a title says that these are cycles: "34,655", or "26.1 µs" if the user prefers
    /// time.
    [[nodiscard]] QString cyclesAlone(std::int64_t value, double clockHz) const;

    void load();
    void save() const;

signals:
    void unitsChanged();
    void themeChanged(); ///< or the colours of data
    void changed();      ///< any of them

private:
    /// Sets a value and emits signals if it differs.
    template <class Value>
    void take(Value& mine, Value value, void (Preferences::*more)() = nullptr) {
        if (mine == value)
            return;
        mine = value;
        if (more != nullptr)
            emit(this->*more)();
        emit changed();
    }

    ByteUnits units_ = ByteUnits::Binary;
    ThemeChoice theme_ = ThemeChoice::System;
    ClockUnits clock_ = ClockUnits::CyclesAndTime;
    DataColours colours_ = DataColours::OkabeIto;
    bool reloads_ = true;
    bool restores_ = true;
    QString editor_;
};

} // namespace tilescope::views
