// The pipeline's tables of a profile. Internal to core/store.
#pragma once

#include "core/database/database.h"
#include "core/profile/pipeline.h"

namespace tilescope {

/// How many there are of what the tables refer to; a damaged file may name others.
struct PipelineLimits {
    std::int64_t ipus = 0;
    std::int64_t programs = 0;
    std::int64_t variables = 0;
};

void writePipeline(const Database& db, const Pipeline& pipeline);

/// Empty if the execution is not pipelined or the file is older than the tables. Throws UserError
/// on rows that cannot be.
Pipeline readPipeline(const Database& db, const PipelineLimits& limits);

} // namespace tilescope
