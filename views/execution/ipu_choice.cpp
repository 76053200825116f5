#include "views/execution/ipu_choice.h"

#include <algorithm>

#include "views/widgets/number_list.h"

namespace tilescope::views {

std::optional<IpuSet> parseIpus(const QString& text, std::int32_t count) {
    auto ipus = parseNumberList(text, count, static_cast<std::size_t>(std::max(0, count)));
    if (!ipus)
        return {};
    return IpuSet(std::move(*ipus));
}

} // namespace tilescope::views
