#include "core/analysis/pipeline.h"

namespace tilescope {

PipelineReport pipelineReport(const ProfileInfo&) {
    // Schema 1 records no pipelined execution.
    return {};
}

} // namespace tilescope
