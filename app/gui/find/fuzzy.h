// Finding a command by a few of its letters.
#pragma once

#include <QString>
#include <optional>

namespace tilescope::gui {

/// How well `text` matches `typed`: every letter must occur in this order, ignoring case. Letters
/// at the beginning of words and in a row count more, skipped ones less. None if one is missing.
std::optional<int> fuzzyScore(const QString& typed, const QString& text);

} // namespace tilescope::gui
