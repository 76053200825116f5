// Amounts that the formulas of declared operations make.
#pragma once

#include <string>
#include <string_view>

#include "core/base/formula.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// What a formula of a declared operation makes: cycles, bytes or operations. Throws UserError
/// naming the operation and the formula's `key` for what is negative, no number or beyond all
/// sense.
double customAmount(const Op& op, std::string_view key, const std::string& formula,
                    const FormulaValues& values);

} // namespace tilescope::sim
