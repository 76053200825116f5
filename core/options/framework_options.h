// Which framework lacks which option.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/options/host_options.h"
#include "core/options/option_table.h"

namespace tilescope {

struct FrameworkLack {
    std::string_view key;
    std::string_view value; ///< of a choice; empty: the whole option
    std::vector<Framework> frameworks;
};

/// All of them; what is not listed every framework has, or nothing public says that one has not.
std::span<const FrameworkLack> frameworkLacks();

/// Lets the rows refuse what the chosen framework has not.
void addFrameworkNeeds(std::vector<OptionSpec>& table);

} // namespace tilescope
