#include "simulator/graph/custom_amount.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace tilescope::sim {

double customAmount(const Op& op, std::string_view key, const std::string& formula,
                    const FormulaValues& values) {
    constexpr double most = 1e15;
    const double amount = evaluateFormula(formula, values);
    if (!(amount >= 0 && amount <= most))
        throw UserError(fmt::format("operation '{}' ({}): its declaration's '{}' makes {} for {} "
                                    "elements; correct the formula '{}'",
                                    op.name, op.type, key, amount, values.at("n"), formula));
    return amount;
}

} // namespace tilescope::sim
