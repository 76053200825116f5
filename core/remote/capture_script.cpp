#include "core/remote/capture_script.h"

namespace tilescope {

std::string_view captureScriptText() {
    static constexpr std::string_view text =
#include "capture_script_text.inc"
        ;
    return text;
}

} // namespace tilescope
