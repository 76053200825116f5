// Arithmetic that a user writes: numbers, names, + - * / and a few functions.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tilescope {

using FormulaValues = std::map<std::string, double, std::less<>>;

/// The value of "20 + 3 * ceil(n / workers)": functions are ceil, floor, min, max, sqrt and log2.
/// Throws std::invalid_argument saying what is wrong with the text, or that a name is none of
/// `values`.
double evaluateFormula(std::string_view text, const FormulaValues& values);

} // namespace tilescope
