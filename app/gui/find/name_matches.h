// The names of a long list that answer best to what was typed.
#pragma once

#include <QString>
#include <functional>
#include <stop_token>
#include <vector>

namespace tilescope::gui {

/// Numbers of at most `most` names of `count`, the best first: those that contain the text, by
/// fuzzyScore() and the shorter ones first; where none does, those that have its letters in this
/// order, mostly at the begin of words or in a row. Throws Cancelled after a stop.
std::vector<std::size_t> bestNames(const QString& typed, std::size_t count,
                                   const std::function<QString(std::size_t)>& name,
                                   std::size_t most, const std::stop_token& stop);

} // namespace tilescope::gui
