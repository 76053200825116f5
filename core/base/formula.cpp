#include "core/base/formula.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace tilescope {
namespace {

/// Recursive descent over the text.
class FormulaReader {
public:
    FormulaReader(std::string_view text, const FormulaValues& values)
        : text_(text)
        , values_(values) {}

    double run() {
        const double value = sum();
        skipSpace();
        if (at_ < text_.size())
            fail(fmt::format("'{}' was not expected", text_.substr(at_)));
        return value;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw std::invalid_argument(fmt::format("formula '{}': {}", text_, what));
    }

    void skipSpace() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
            ++at_;
    }

    bool take(char c) {
        skipSpace();
        if (at_ >= text_.size() || text_[at_] != c)
            return false;
        ++at_;
        return true;
    }

    double sum() {
        double value = product();
        for (;;) {
            if (take('+'))
                value += product();
            else if (take('-'))
                value -= product();
            else
                return value;
        }
    }

    double product() {
        double value = factor();
        for (;;) {
            if (take('*'))
                value *= factor();
            else if (take('/'))
                value /= factor();
            else
                return value;
        }
    }

    double factor() {
        constexpr int deepest = 64;
        if (++depth_ > deepest)
            fail("it is nested too deep");
        double value = 0;
        if (take('-')) {
            value = -factor();
        } else if (take('(')) {
            value = sum();
            if (!take(')'))
                fail("a ')' is missing");
        } else {
            skipSpace();
            value = at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0
                        ? named()
                        : number();
        }
        --depth_;
        return value;
    }

    double number() {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.'))
            ++at_;
        if (begin == at_)
            fail("a number or a name is missing");
        return std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr);
    }

    double named() {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
            ++at_;
        const std::string name(text_.substr(begin, at_ - begin));
        if (take('('))
            return function(name);
        const auto found = values_.find(name);
        if (found == values_.end())
            fail(fmt::format("'{}' is no name that is known here ({})", name, knownNames()));
        return found->second;
    }

    [[nodiscard]] std::string knownNames() const {
        std::string names;
        for (const auto& [name, value] : values_)
            names += (names.empty() ? "" : ", ") + name;
        return names;
    }

    double function(const std::string& name) {
        std::vector<double> arguments{sum()};
        while (take(','))
            arguments.push_back(sum());
        if (!take(')'))
            fail("a ')' is missing");
        const bool two = name == "min" || name == "max";
        if (arguments.size() != (two ? 2U : 1U))
            fail(fmt::format("'{}' takes {}", name, two ? "two values" : "one value"));
        if (name == "ceil")
            return std::ceil(arguments[0]);
        if (name == "floor")
            return std::floor(arguments[0]);
        if (name == "sqrt")
            return std::sqrt(arguments[0]);
        if (name == "log2")
            return std::log2(arguments[0]);
        if (name == "min")
            return std::min(arguments[0], arguments[1]);
        if (name == "max")
            return std::max(arguments[0], arguments[1]);
        fail(fmt::format("'{}' is none of the functions ceil, floor, log2, max, min and sqrt",
                         name));
    }

    std::string_view text_;
    const FormulaValues& values_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

} // namespace

double evaluateFormula(std::string_view text, const FormulaValues& values) {
    return FormulaReader(text, values).run();
}

} // namespace tilescope
