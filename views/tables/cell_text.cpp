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

namespace {

// Bars made of block elements (U+2581 to U+258F) are a drawing, not words.
bool isBar(const std::string& text) {
    constexpr std::string_view blocks = "\xE2\x96";
    return text.size() > blocks.size() && text.starts_with(blocks) &&
           static_cast<unsigned char>(text[blocks.size()]) >= 0x81 &&
           static_cast<unsigned char>(text[blocks.size()]) <= 0x8F;
}

} // namespace

QVariant foregroundOf(const Cell& cell, Unit unit, const Theme& theme) {
    if (std::holds_alternative<std::monostate>(cell))
        return theme.mutedText;
    if (const auto* text = std::get_if<std::string>(&cell); text != nullptr && isBar(*text))
        return theme.accent;
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
