// IPUs that the user types.
#pragma once

#include <QString>
#include <optional>

#include "views/session/ipu_set.h"

namespace tilescope::views {

/// "0-3,8"; an empty text means all. Nothing if the text is no list or names an IPU from `count`
/// on.
std::optional<IpuSet> parseIpus(const QString& text, std::int32_t count);

} // namespace tilescope::views
