#include "views/tables/cell_text.h"
#include "views/theme/text.h"

#include <QCoreApplication>

namespace tilescope::views {

QString cellText(const Cell& cell, Unit unit, const Preferences& preferences, double clockHz,
                 bool difference) {
    return shownName(textOf(cell, unit,
                            {preferences.byteUnits(), preferences.clockUnits(), clockHz, false},
                            difference));
}

QString translated(const std::string& text) {
    return text.empty() ? QString() : QCoreApplication::translate("Table", text.c_str());
}

QString columnTitle(const Column& column, const Preferences& preferences, double clockHz) {
    const QString title = translated(column.title);
    const bool asTime =
        column.unit == Unit::Cycles && clockHz > 0 && preferences.clockUnits() == ClockUnits::Time;
    return asTime ? QCoreApplication::translate("Table", "%1, as time").arg(title) : title;
}

QVariant foregroundOf(const Cell& cell, Unit unit, const Theme& theme) {
    if (std::holds_alternative<std::monostate>(cell))
        return theme.mutedText;
    const auto* change = std::get_if<Change>(&cell);
    if (change == nullptr)
        return {};
    const double difference = change->difference();
    if (difference == 0)
        return theme.mutedText;
    switch (unit) {
    case Unit::Bytes:
    case Unit::Cycles:
    case Unit::Seconds:
        return difference > 0 ? theme.bad : theme.good;
    case Unit::Rate:
        return difference > 0 ? theme.good : theme.bad;
    case Unit::None:
    case Unit::Count:
    case Unit::Share:
    case Unit::Flops:
        break;
    }
    return {};
}

} // namespace tilescope::views
