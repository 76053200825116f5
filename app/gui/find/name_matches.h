// The names of a long list that best match the typed text.
#pragma once

#include <QString>
#include <functional>
#include <stop_token>
#include <vector>

namespace tilescope::gui {

/// Numbers of at most `most` names of `count`, the best first: those that contain the text, by
/// fuzzyScore() and the shorter ones first; if there is none, those that have its letters in this
/// order, mostly at the beginning of words or in a row. Throws Cancelled after a stop.
std::vector<std::size_t> bestNames(const QString& typed, std::size_t count,
                                   const std::function<QString(std::size_t)>& name,
                                   std::size_t most, const std::stop_token& stop);

} // namespace tilescope::gui
