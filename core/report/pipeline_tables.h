// The tables of a pipeline's report.
#pragma once

#include "core/analysis/execution/pipeline.h"
#include "core/table/table.h"

namespace tilescope {

/// A row for each stage, whose ids they are; the longest is emphasised. The window leaves out what
/// no stage has, such as what inference does not do.
Table stagesTable(const PipelineReport& report);

/// A row for each kind of slot.
Table slotsTable(const PipelineReport& report);

/// All that the report says.
Document stagesDocument(const PipelineReport& report);

} // namespace tilescope
