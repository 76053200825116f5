// "Did you mean": the known name nearest to what the user typed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// Number of single-character edits between two words.
std::size_t editDistance(std::string_view a, std::string_view b);

/// The candidate with the fewest edits, or "" if none is close enough.
std::string nearestName(std::string_view typed, const std::vector<std::string>& candidates);

/// " Did you mean 'x'?" or "".
std::string didYouMean(std::string_view typed, const std::vector<std::string>& candidates);

/// A name for use in a message: the beginning of one that is absurdly long.
std::string shortened(std::string_view name);

} // namespace tilescope
