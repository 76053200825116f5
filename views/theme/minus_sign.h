// Negative numbers as a window shows them.
#pragma once

#include <QString>

namespace tilescope::views {

/// A number with a minus sign, which is as wide as a plus, instead of a hyphen in front.
inline QString withMinusSign(QString number) {
    return number.startsWith(QLatin1Char('-')) ? number.replace(0, 1, QChar(0x2212)) : number;
}

} // namespace tilescope::views
