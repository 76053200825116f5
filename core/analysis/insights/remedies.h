// Remedies for a loss, with their predicted gain. Internal to core/analysis/insights: cards and the
// list of losses take their advice from here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/insights/facts.h"
#include "core/analysis/insights/losses.h"

namespace tilescope {

struct Remedies {
    std::string reason; ///< explanation, where it decides what helps; may be empty
    std::vector<Advice> advice;
};

/// Remedies against this many lost cycles of the run. Gains are for as many samples: doubling the
/// batch halves what happens once per batch.
Remedies remediesFor(const Facts& facts, LossKind kind, std::int64_t cycles);

/// Waiting for the host and transfers, on the IPU that spends most on them.
struct HostCopyTimes {
    IpuId ipu;
    std::int64_t waits = 0;
    std::int64_t transfers = 0;
    std::int64_t ends = 0; ///< after the last byte
};
/// Of the last run; nothing without one.
HostCopyTimes hostCopyTimesOf(const Facts& facts);

/// Bytes of gradients that are worth being summed over replicas together; "" where the run has as
/// many.
std::string gradientBufferToTry(const ProfileInfo& info);

/// Micro-batches with which G / (G + N - 1) reaches nine tenths, as a multiple that every schedule
/// takes.
std::int64_t microBatchesFor(std::int64_t stages);

/// The option that says how many micro-batches a step of a pipeline has.
const char* microBatchOption(const Facts& facts);

} // namespace tilescope
