// An error about an option of `tilescope run`.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace tilescope {

/// An option's value that cannot be used, alone or together with others.
class OptionError : public UserError {
public:
    /// The text is "option batchSize (--batch-size): <problem>" for the key "batchSize".
    OptionError(std::string_view key, const std::string& problem);
    [[nodiscard]] const std::string& key() const { return key_; }

private:
    std::string key_;
};

/// "batchSize (--batch-size)"; only the key if the option table does not have it.
std::string optionName(std::string_view key);

} // namespace tilescope
