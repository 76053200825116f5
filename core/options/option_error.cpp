#include "core/options/option_error.h"

#include <fmt/format.h>

#include "core/options/run_options.h"

namespace tilescope {

OptionError::OptionError(std::string_view key, const std::string& problem)
    : UserError(fmt::format("option {}: {}", optionName(key), problem))
    , key_(key) {}

std::string optionName(std::string_view key) {
    const OptionSpec* spec = findOption(key);
    return spec == nullptr ? std::string(key) : fmt::format("{} ({})", key, spec->flag);
}

} // namespace tilescope
