// Statements of a Python program that go over several lines.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope {

/// The lines of a statement, from 1.
struct LineSpan {
    std::int32_t first = 0;
    std::int32_t last = 0;
    friend bool operator==(const LineSpan&, const LineSpan&) = default;
};

/// For each line of a text the statement that it is in, by Python's rules: brackets, strings of
/// three quotes and backslashes continue lines. The head of a compound statement is one of its own.
/// What is opened and never closed is no statement: its lines stand alone.
std::vector<LineSpan> statementsOf(std::string_view text);

} // namespace tilescope
