#include "core/base/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "core/base/error.h"

namespace tilescope {
namespace {

re2::RE2::Options quiet() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    // Names need not be UTF-8; bytes always match.
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    return options;
}

} // namespace

Pattern::Pattern(const std::string& text)
    : compiled_(std::make_shared<const re2::RE2>(text, quiet())) {
    if (!compiled_->ok())
        throw UserError(
            fmt::format("'{}' is not a regular expression: {}", text, compiled_->error()));
}

bool Pattern::isIn(std::string_view text) const {
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

} // namespace tilescope
