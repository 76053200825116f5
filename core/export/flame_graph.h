// Flame graphs for other tools.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "core/analysis/flame/flame_stacks.h"

namespace tilescope {

/// Collapsed stacks, as flamegraph.pl and other tools read them: a line for each stack, "IPU
/// 0;forward (model.py:72);backward 1234". Semicolons and line breaks within names become commas
/// and blanks.
void writeCollapsed(std::ostream& out, const std::vector<FlameStack>& stacks);

/// A file for speedscope (https://www.speedscope.app/file-format-schema.json): a sampled profile
/// for each IPU.
void writeSpeedscope(std::ostream& out, const std::string& name,
                     const std::vector<FlameStack>& stacks, FlameWeight weight);

} // namespace tilescope
