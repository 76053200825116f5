#include "views/session/time_texts.h"

#include "core/base/units.h"
#include "views/theme/minus_sign.h"

namespace tilescope::views {

QString countText(std::int64_t value) {
    return withMinusSign(QString::fromStdString(withThousands(value)));
}

QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString durationText(double seconds) {
    return withMinusSign(QString::fromStdString(formatSeconds(seconds)))
        .replace(" us", QString::fromUtf8(" \xc2\xb5s"));
}

QString cyclesText(std::int64_t cycles, double clockHz) {
    const QString text = withMinusSign(QString::fromStdString(formatCycles(cycles)));
    return clockHz > 0 ? QStringLiteral("%1 (%2)").arg(
                             text, durationText(static_cast<double>(cycles) / clockHz))
                       : text;
}

} // namespace tilescope::views
