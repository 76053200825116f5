// Duplicate keys in a JSON object: parsers silently take the last one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

struct DuplicateKey {
    std::string key;
    std::size_t at = 0; ///< approximate end of the second one, in bytes
};

/// The first duplicate in a text that is valid JSON.
std::optional<DuplicateKey> duplicateKey(std::string_view text);

} // namespace tilescope
