#include "views/tables/data_table.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "views/session/time_texts.h"

namespace tilescope::views {
namespace {

QString signedCount(std::int64_t value) {
    const QString text = QString::fromStdString(withThousands(value));
    return value > 0 ? QLatin1Char('+') + text : text;
}

QString nanosecondsText(std::int64_t value) {
    return durationText(static_cast<double>(value) * 1e-9);
}

QString withSign(std::int64_t value, const QString& amount) {
    return (value > 0 ? QStringLiteral("+") : value < 0 ? QStringLiteral("-") : QString()) + amount;
}

bool isCycles(CellKind kind) {
    return kind == CellKind::Cycles || kind == CellKind::CyclesChange ||
           kind == CellKind::CyclesDifference;
}

bool asTime(CellKind kind, const Preferences& preferences, double clockHz) {
    return isCycles(kind) && clockHz > 0 && preferences.clockUnits() == ClockUnits::Time;
}

QString changeAmount(std::int64_t difference, CellKind kind, const Preferences& preferences,
                     double clockHz) {
    if (asTime(kind, preferences, clockHz))
        return withSign(difference, preferences.cyclesAlone(std::abs(difference), clockHz));
    switch (kind) {
    case CellKind::BytesChange:
    case CellKind::BytesDifference:
        return preferences.signedBytes(difference);
    case CellKind::NanosecondsChange:
    case CellKind::NanosecondsDifference:
        return withSign(difference, nanosecondsText(std::abs(difference)));
    default:
        return signedCount(difference);
    }
}

bool isDifference(CellKind kind) {
    return kind == CellKind::BytesDifference || kind == CellKind::CyclesDifference ||
           kind == CellKind::CountDifference || kind == CellKind::NanosecondsDifference;
}

/// A share of the source with its sign. Growth beyond a bound is a multiple of the source: nobody
/// reads "+435700 %" as what it is.
QString relativeText(double share) {
    constexpr double mostAsPercent = 10; // times the source
    constexpr double mostWithTenths = 100;
    if (share < mostAsPercent)
        return QStringLiteral("%1%2 %")
            .arg(share > 0 ? QStringLiteral("+") : QString())
            .arg(100 * share, 0, 'f', 1);
    const double times = 1 + share;
    return QStringLiteral("\u00d7\u00a0%1")
        .arg(times < mostWithTenths ? QString::number(times, 'f', 1)
                                    : QString::fromStdString(withThousands(std::llround(times))));
}

QString changeText(const Change& change, CellKind kind, const Preferences& preferences,
                   double clockHz) {
    const std::int64_t difference = change.difference();
    const QString amount = changeAmount(difference, kind, preferences, clockHz);
    if (difference == 0 || change.source == 0 || isDifference(kind))
        return amount;
    return QStringLiteral("%1 (%2)").arg(
        amount, relativeText(static_cast<double>(difference) / static_cast<double>(change.source)));
}

QString integerText(std::int64_t value, CellKind kind, const Preferences& preferences,
                    double clockHz) {
    switch (kind) {
    case CellKind::Bytes:
        return preferences.bytes(value);
    case CellKind::Nanoseconds:
        return nanosecondsText(value);
    case CellKind::Cycles:
        return preferences.cyclesAlone(value, clockHz);
    default:
        return QString::fromStdString(withThousands(value));
    }
}

QString realText(double value, CellKind kind) {
    switch (kind) {
    case CellKind::Share:
        return QStringLiteral("%1 %").arg(100 * value, 0, 'f', 1);
    case CellKind::SignedShare:
        return relativeText(value);
    case CellKind::Flops:
        return QString::fromStdString(formatFlops(value));
    default: {
        // Digits after the point say nothing beside many in front of it.
        constexpr double large = 1000;
        return std::abs(value) < large ? QString::number(value, 'f', 2)
                                       : QString::fromStdString(withThousands(std::llround(value)));
    }
    }
}

// Adds a cell to a sum that is empty or of its kind.
void add(Cell& sum, const Cell& cell) {
    if (const auto* number = std::get_if<std::int64_t>(&cell)) {
        const auto* before = std::get_if<std::int64_t>(&sum);
        sum = *number + (before != nullptr ? *before : 0);
    } else if (const auto* change = std::get_if<Change>(&cell)) {
        const auto* before = std::get_if<Change>(&sum);
        sum = before != nullptr
                  ? Change{before->source + change->source, before->target + change->target}
                  : *change;
    } else if (const auto* real = std::get_if<double>(&cell)) {
        const auto* before = std::get_if<double>(&sum);
        sum = *real + (before != nullptr ? *before : 0);
    }
}

double rank(const Cell& cell) {
    if (const auto* number = std::get_if<std::int64_t>(&cell))
        return static_cast<double>(*number);
    if (const auto* real = std::get_if<double>(&cell))
        return *real;
    if (const auto* change = std::get_if<Change>(&cell))
        return std::abs(static_cast<double>(change->difference()));
    if (const auto* duration = std::get_if<Duration>(&cell))
        return static_cast<double>(duration->cycles);
    return 0;
}

} // namespace

bool DataTable::hasTotals() const {
    return std::any_of(columns.begin(), columns.end(),
                       [](const DataColumn& column) { return column.summed; });
}

std::vector<Cell> totalsOf(const DataTable& table, std::span<const std::uint32_t> rows) {
    std::vector<Cell> totals(table.columns.size());
    totals.front() = QCoreApplication::translate("DataTable", "Total").toStdString();
    for (std::size_t column = 1; column < totals.size(); ++column) {
        if (!table.columns[column].summed) {
            totals[column] = std::string(); // not a dash: nothing is missing
            continue;
        }
        for (const std::uint32_t row : rows)
            add(totals[column], table.rows[row].cells[column]);
    }
    return totals;
}

QString cellText(const Cell& cell, CellKind kind, const Preferences& preferences, double clockHz) {
    if (const auto* text = std::get_if<std::string>(&cell))
        return QString::fromStdString(*text);
    if (const auto* number = std::get_if<std::int64_t>(&cell))
        return integerText(*number, kind, preferences, clockHz);
    if (const auto* real = std::get_if<double>(&cell))
        return realText(*real, kind);
    if (const auto* change = std::get_if<Change>(&cell))
        return changeText(*change, kind, preferences, clockHz);
    if (const auto* duration = std::get_if<Duration>(&cell))
        return preferences.cycles(duration->cycles, duration->clockHz);
    return QStringLiteral("\u2013");
}

QString columnTitle(const QString& title, CellKind kind, const Preferences& preferences,
                    double clockHz) {
    return asTime(kind, preferences, clockHz)
               ? QCoreApplication::translate("DataTable", "%1, as time").arg(title)
               : title;
}

bool cellLess(const Cell& a, const Cell& b) {
    const auto* textA = std::get_if<std::string>(&a);
    const auto* textB = std::get_if<std::string>(&b);
    if (textA != nullptr && textB != nullptr)
        return *textA < *textB;
    const bool noneA = std::holds_alternative<std::monostate>(a);
    const bool noneB = std::holds_alternative<std::monostate>(b);
    if (noneA || noneB)
        return noneA && !noneB;
    return rank(a) < rank(b);
}

CellKind changeKindOf(CellKind kind) {
    switch (kind) {
    case CellKind::Bytes:
        return CellKind::BytesChange;
    case CellKind::Cycles:
        return CellKind::CyclesChange;
    case CellKind::Nanoseconds:
        return CellKind::NanosecondsChange;
    case CellKind::Rate:
        return CellKind::RateChange;
    default:
        return CellKind::CountChange;
    }
}

CellKind differenceKindOf(CellKind kind) {
    switch (kind) {
    case CellKind::Bytes:
        return CellKind::BytesDifference;
    case CellKind::Cycles:
        return CellKind::CyclesDifference;
    case CellKind::Nanoseconds:
        return CellKind::NanosecondsDifference;
    default:
        return CellKind::CountDifference;
    }
}

QColor changeColour(const Change& change, CellKind kind, const Theme& theme) {
    if (change.difference() == 0)
        return theme.mutedText;
    if (kind == CellKind::CountChange || kind == CellKind::CountDifference)
        return {};
    const bool better = (change.difference() < 0) != (kind == CellKind::RateChange);
    return better ? theme.good : theme.bad;
}

bool isNumber(CellKind kind) {
    return kind != CellKind::Text;
}

} // namespace tilescope::views
