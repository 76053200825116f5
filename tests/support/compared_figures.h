// What a comparison says, added up against what each of its profiles says by itself.
#pragma once

#include <string>

#include "core/analysis/compare/comparison.h"

namespace tilescope::test {

/// A line for each figure of the comparison that contradicts a profile of the pair, or another of
/// its own, empty if all agree: causes, metrics and tables.
std::string contradictions(const ProfilePair& pair, const Comparison& comparison);

} // namespace tilescope::test
