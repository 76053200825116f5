// Lists of numbers as people type them.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::views {

/// "1,5" or "0-3, 8", each number once; nothing if the text is not a list or has a number from
/// `below` on. An empty text is an empty list. At most `most` numbers are taken.
std::optional<std::vector<std::int32_t>> parseNumberList(const QString& text, std::int32_t below,
                                                         std::size_t most);

} // namespace tilescope::views
