// Regular expressions from users, on names of any length.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace tilescope {

/// A regular expression in RE2's syntax: search time grows with the length of the text, whatever
/// the expression, and no text is too long. Copies share it.
class Pattern {
public:
    /// Throws UserError that says what is wrong with the text.
    explicit Pattern(const std::string& text);
    /// True if some part of the text matches.
    [[nodiscard]] bool isIn(std::string_view text) const;

private:
    std::shared_ptr<const re2::RE2> compiled_;
};

} // namespace tilescope
