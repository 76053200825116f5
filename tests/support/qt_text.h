// Texts and errors in a form that Qt Test can compare and print.
#pragma once

#include <QString>
#include <string_view>

#include "core/base/error.h"

namespace tilescope::test {

inline QString text(std::string_view value) {
    return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
}

/// The text of the UserError that an action throws; "no error" if it throws none.
template <class Action> QString userError(Action&& action) {
    try {
        action();
    } catch (const UserError& error) {
        return text(error.what());
    }
    return QStringLiteral("no error");
}

} // namespace tilescope::test
