// Amounts computed by the formulas of declared operations.
#pragma once

#include <string>
#include <string_view>

#include "core/base/formula.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// The amount given by a declared operation's formula: cycles, bytes or operations. Throws
/// UserError naming the operation and the formula's `key` for amounts that are negative, NaN or
/// beyond all sense.
double customAmount(const Op& op, std::string_view key, const std::string& formula,
                    const FormulaValues& values);

} // namespace tilescope::sim
