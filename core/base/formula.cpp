#include "core/base/formula.h"

#include <cmath>
#include <fmt/format.h>
#include <muParser.h>
#include <stdexcept>

#include "core/base/suggest.h"

namespace tilescope {
namespace {

std::string reasonOf(const mu::Parser::exception_type& error, const FormulaValues& values) {
    if (error.GetCode() != mu::ecUNASSIGNABLE_TOKEN)
        return shortened(error.GetMsg());
    std::string names;
    for (const auto& [name, value] : values)
        names += (names.empty() ? "" : ", ") + name;
    return fmt::format("'{}' at {} is neither a name known here ({}) nor a function such as ceil, "
                       "floor, log2, max, min and sqrt",
                       shortened(error.GetToken()), error.GetPos(), names);
}

} // namespace

double evaluateFormula(std::string_view text, const FormulaValues& values) {
    const auto fail = [text](const std::string& reason) {
        throw std::invalid_argument(fmt::format("formula '{}': {}", shortened(text), reason));
    };
    double value = 0;
    int count = 0;
    try {
        mu::Parser parser;
        parser.ClearConst();
        for (const auto& [name, constant] : values)
            parser.DefineConst(name, constant);
        parser.DefineFun(
            "ceil", +[](double x) { return std::ceil(x); });
        parser.DefineFun(
            "floor", +[](double x) { return std::floor(x); });
        parser.SetExpr(std::string(text));
        value = parser.Eval();
        count = parser.GetNumResults();
    } catch (const mu::Parser::exception_type& error) {
        fail(reasonOf(error, values));
    }
    if (count != 1)
        fail("it has several values instead of one");
    return value;
}

} // namespace tilescope
