// The tables of the values that a run computed.
#pragma once

#include "core/analysis/values/compared_values.h"
#include "core/analysis/values/heat_maps.h"
#include "core/report/report.h"

namespace tilescope {

/// A row for each tensor, over all sampled iterations. Ids of the rows are ValueTensorIds.
Table tensorValuesTable(const ProfileValues& values, const ReportRequest& request);
/// A row for each tensor and sampled iteration; ids as above.
Table sampleTable(const ProfileValues& values, const ReportRequest& request);
/// A row for each exponent that occurs, the largest first, and a column for each sampled iteration:
/// the share of the elements of the tensors that the request selects.
Table exponentTable(const ProfileValues& values, const ReportRequest& request);
/// A row for each call of the host in a training, and for each of its epochs.
Table curveTable(const ProfileValues& values);
Table epochTable(const ProfileValues& values);

/// Tensors of two runs, the largest shift first; at most `rows` of them.
Table comparedTensorsTable(const ComparedValues& compared, std::size_t rows);
/// Iterations of two trainings: the last ones of each run where rows are left out.
Table comparedCurveTable(const ComparedValues& compared, std::size_t rows);

} // namespace tilescope
