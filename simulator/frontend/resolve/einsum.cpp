#include "simulator/frontend/resolve/einsum.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include <fmt/format.h>

namespace tilescope::sim {

namespace {

constexpr std::size_t mostEllipsis = 10; // labels '0' to '9'

[[noreturn]] void wrongEquation(const std::string& equation, const std::string& what) {
    throw std::invalid_argument(fmt::format("its equation '{}' {}", equation, what));
}

/// Labels with an ellipsis replaced by its dimensions.
std::string expanded(const std::string& equation, const std::string& term, std::size_t ellipsis) {
    std::string labels;
    for (std::size_t i = 0; i < term.size(); ++i) {
        if (term[i] == '.') {
            if (term.compare(i, 3, "...") != 0 || ellipsis > mostEllipsis)
                wrongEquation(equation, "has a dot that is not part of an ellipsis");
            for (std::size_t d = ellipsis; d-- > 0;)
                labels += static_cast<char>('0' + d);
            i += 2;
        } else if (std::isalpha(static_cast<unsigned char>(term[i])) != 0) {
            labels += term[i];
        } else {
            wrongEquation(equation, fmt::format("has the label '{}'", term[i]));
        }
    }
    return labels;
}

/// The result of an equation without an arrow: the labels that occur once, in order.
std::string impliedResult(const std::vector<std::string>& operands, std::size_t ellipsis) {
    std::string all;
    for (const std::string& labels : operands)
        all += labels;
    std::string once;
    for (std::size_t d = ellipsis; d-- > 0;)
        once += static_cast<char>('0' + d);
    std::string letters;
    for (const char c : all)
        if (std::isalpha(static_cast<unsigned char>(c)) != 0 &&
            std::count(all.begin(), all.end(), c) == 1)
            letters += c;
    std::sort(letters.begin(), letters.end());
    return once + letters;
}

} // namespace

EinsumTerms parseEinsum(const std::string& equation, const std::vector<Shape>& shapes) {
    std::string text = equation;
    text.erase(std::remove_if(text.begin(), text.end(),
                              [](unsigned char c) { return std::isspace(c) != 0; }),
               text.end());
    const auto arrow = text.find("->");
    std::string left = text.substr(0, arrow);
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= left.size();) {
        const auto end = std::min(left.find(',', begin), left.size());
        parts.push_back(left.substr(begin, end - begin));
        begin = end + 1;
    }
    if (parts.size() != shapes.size())
        wrongEquation(equation, fmt::format("is not one of {} operands", shapes.size()));
    EinsumTerms terms;
    std::size_t ellipsis = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool open = parts[i].find('.') != std::string::npos;
        const std::size_t named = parts[i].size() - (open ? 3 : 0);
        if (named > shapes[i].size() || (!open && named != shapes[i].size()))
            wrongEquation(equation, fmt::format("does not fit operand {} of shape {}", i,
                                                toString(shapes[i])));
        const std::size_t own = shapes[i].size() - named;
        ellipsis = std::max(ellipsis, own);
        terms.operands.push_back(expanded(equation, parts[i], own));
        for (std::size_t d = 0; d < shapes[i].size(); ++d) {
            std::int64_t& size = terms.sizes.try_emplace(terms.operands[i][d], 1).first->second;
            if (size != 1 && shapes[i][d] != 1 && size != shapes[i][d])
                wrongEquation(equation, fmt::format("gives '{}' the sizes {} and {}",
                                                    terms.operands[i][d], size, shapes[i][d]));
            size = std::max(size, shapes[i][d]);
        }
    }
    terms.result = arrow == std::string::npos
                       ? impliedResult(terms.operands, ellipsis)
                       : expanded(equation, text.substr(arrow + 2), ellipsis);
    for (const char label : terms.result)
        if (!terms.sizes.contains(label))
            wrongEquation(equation, fmt::format("has '{}' only in its result", label));
    return terms;
}

Shape einsumShape(const EinsumTerms& terms, const std::string& labels) {
    Shape shape;
    for (const char label : labels)
        shape.push_back(terms.sizes.at(label));
    return shape;
}

} // namespace tilescope::sim
