// The script that captures Poplar's profiles.
#pragma once

#include <string_view>

namespace tilescope {

/// tilescope_capture.py, as this version reads what it writes.
std::string_view captureScriptText();

} // namespace tilescope
