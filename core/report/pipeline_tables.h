// The tables of a pipeline's report.
#pragma once

#include "core/analysis/execution/pipeline.h"
#include "core/table/table.h"

namespace tilescope {

/// A row for each stage, with the stages as ids; the longest is emphasised. The window leaves out
/// columns that are empty for all stages, such as those of training in inference.
Table stagesTable(const PipelineReport& report);

/// A row for each kind of slot.
Table slotsTable(const PipelineReport& report);

/// All fields of the report.
Document stagesDocument(const PipelineReport& report);

} // namespace tilescope
