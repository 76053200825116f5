// A calibration as a report.
#pragma once

#include "core/analysis/compare/calibration.h"
#include "core/table/table.h"

namespace tilescope {

/// Shares and ratios by kind (table "kinds"), fitted constants ("constants") and the matched steps
/// ("steps"; ids are the simulated programs).
Document calibrationDocument(const ProfilePair& pair, const Calibration& calibration);

} // namespace tilescope
