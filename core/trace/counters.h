// The activity of an IPU over time, summed up in columns: rates of bytes, and tiles that work.
#pragma once

#include <stop_token>
#include <vector>

#include "core/trace/cycle_columns.h"

namespace tilescope {

/// Sums of one IPU in each column. They add up to those of the range to the byte: each is the
/// difference of two sums from the start of the execution, which calls and repeats yield by
/// arithmetic, so the time taken grows with the columns. If the trace stays in its file, blocks of
/// 64 steps that are shorter than `columnsOfBlock` columns count in proportion to time instead of
/// step by step, as reading one takes as long as a hundred columns. `steps` is not filled. Throws
/// UserError for an IPU that does not exist, Cancelled after a stop.
std::vector<TraceSums> columnSums(const TraceIndex& index, IpuId ipu, const CycleColumns& columns,
                                  std::int64_t columnsOfBlock, const std::stop_token& stop = {});

/// A block that is not much wider than a column is not worth reading.
inline constexpr std::int64_t usualColumnsOfBlock = 4;

} // namespace tilescope
