// Keys that are in an object of JSON twice: parsers take the last without a word.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

struct DuplicateKey {
    std::string key;
    std::size_t at = 0; ///< about where the second one ends, in bytes
};

/// The first one in a text that is valid JSON.
std::optional<DuplicateKey> duplicateKey(std::string_view text);

} // namespace tilescope
