// Arithmetic that a user writes.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tilescope {

using FormulaValues = std::map<std::string, double, std::less<>>;

/// The value of "20 + 3 * ceil(n / workers)": numbers, names, + - * / ^, comparisons, "a ? b : c"
/// and functions such as ceil, floor, min, max, sqrt and log2, as supported by muParser. Throws
/// std::invalid_argument saying what is wrong with the text and where, or that a name is not among
/// `values`.
double evaluateFormula(std::string_view text, const FormulaValues& values);

} // namespace tilescope
