// The lines of two versions of a file, side by side.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope {

/// A line of one or both versions. Numbers begin with 1; 0 where a version lacks it.
struct ComparedLine {
    std::int32_t source = 0;
    std::int32_t target = 0;
    /// The number in the other version of a line that is at another place there; 0 for none. Both
    /// of its places have it.
    std::int32_t moved = 0;
    /// The number in the other version of a line that was edited: as many lines were removed here
    /// as were added. Both of its places have it.
    std::int32_t edited = 0;
    friend bool operator==(const ComparedLine&, const ComparedLine&) = default;
};

/// Both versions on one axis: equal lines in equal order are at one place, and what is removed
/// comes before what is added there. Lines at other places are matched by their content, without
/// the blanks around it. An empty text has no lines.
std::vector<ComparedLine> compareLines(std::string_view source, std::string_view target);

} // namespace tilescope
