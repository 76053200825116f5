// The name of a step or variable while the program is being built.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope::sim {

/// Text, and the places in it for numbers of copies, which are only known when the whole program is
/// complete (StepNames). The text comes from a model's file: no part of it has a special meaning.
class StepName {
public:
    /// The number of a copy comes before text()[at].
    struct Number {
        std::size_t at;
        std::size_t copy; ///< in the order of StepNames::copyName()
        friend auto operator<=>(const Number&, const Number&) = default;
    };

    StepName() = default;
    StepName(std::string text) // NOLINT(google-explicit-constructor): most names have no number
        : text_(std::move(text)) {}
    StepName(const char* text) // NOLINT(google-explicit-constructor)
        : text_(text) {}
    StepName(std::string text, std::vector<Number> numbers)
        : text_(std::move(text))
        , numbers_(std::move(numbers)) {}

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const std::vector<Number>& numbers() const { return numbers_; }

    void addNumber(std::size_t copy) { numbers_.push_back({text_.size(), copy}); }
    StepName& operator+=(const StepName& more);
    /// The whole name; `numberOfCopy`: the number of each copy.
    [[nodiscard]] std::string withNumbers(const std::vector<int>& numberOfCopy) const;

    friend StepName operator+(StepName name, const StepName& more) { return name += more; }
    friend auto operator<=>(const StepName&, const StepName&) = default;

private:
    std::string text_;
    std::vector<Number> numbers_; ///< by place
};

} // namespace tilescope::sim
