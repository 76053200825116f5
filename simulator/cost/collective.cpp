#include "simulator/cost/collective.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tilescope::sim {
namespace {

using Part = CollectiveSteps::Part;

/// Bandwidth of a ring of the IPUs in the same place of each replica of a domain.
double ringBytesPerSecond(const Target& target, std::int32_t within) {
    const bool both = target.ipus == 1 || within * target.ipus == target.linkDomainIpus;
    const std::int32_t sharing = std::max(1, target.ipus / 2);
    // With two replicas both directions use the same links.
    return target.ipuLinkBytesPerSecond * (both && within > 2 ? 2 : 1) / sharing;
}

/// The meeting of all domains, spread over the steps of a ring between them.
double gatewaySetupSeconds(std::int64_t domains, std::int64_t steps) {
    const auto rounds = std::bit_width(static_cast<std::uint64_t>(domains - 1));
    return gatewayMeetingSeconds * rounds / static_cast<double>(steps);
}

} // namespace

ReplicaTopology replicaTopology(const Target& target, std::int32_t replicas) {
    ReplicaTopology made;
    made.replicas = replicas;
    made.within = std::min(replicas, std::max(1, target.linkDomainIpus / target.ipus));
    made.domains = (replicas + made.within - 1) / made.within;
    made.linkBytesPerSecond = ringBytesPerSecond(target, made.within);
    made.gatewayBytesPerSecond = target.gatewayBytesPerSecond;
    return made;
}

std::vector<CollectiveSteps> collectiveSteps(const ReplicaTopology& topology, CollectiveKind kind,
                                             std::int64_t bytes) {
    const std::int64_t inside = topology.within;
    const std::int64_t outside = topology.domains;
    std::vector<CollectiveSteps> steps;
    if (topology.replicas == 1)
        return steps;
    if (kind == CollectiveKind::AllReduce && bytes <= mostBroadcastBytes) {
        if (inside > 1)
            steps.push_back({Part::Broadcast, 1, 1, inside - 1, topology.linkBytesPerSecond});
        if (outside > 1)
            steps.push_back({Part::GatewayBroadcast, 1, 1, outside - 1,
                             topology.gatewayBytesPerSecond, gatewaySetupSeconds(outside, 1)});
        return steps;
    }
    const bool scatters = kind != CollectiveKind::AllGather;
    const bool gathers = kind != CollectiveKind::ReduceScatter;
    if (scatters && inside > 1)
        steps.push_back({Part::Reduce, inside - 1, inside, 1, topology.linkBytesPerSecond});
    // Shards stay within a domain, so that only sums are exchanged between domains.
    if (scatters && outside > 1) {
        const double bandwidth = topology.gatewayBytesPerSecond;
        const double setup = gatewaySetupSeconds(outside, outside - 1);
        for (const Part part : {Part::GatewayReduce, Part::GatewayGather})
            steps.push_back({part, outside - 1, inside * outside, 1, bandwidth, setup});
    }
    if (gathers && inside > 1)
        steps.push_back({Part::Gather, inside - 1, inside, 1, topology.linkBytesPerSecond});
    return steps;
}

std::int64_t collectiveCodeBytes(std::int64_t count) {
    return count * collectiveStepCodeBytes;
}

std::int64_t collectiveStepCycles(const Target& target, const CollectiveSteps& steps,
                                  std::int64_t bytes) {
    const double seconds = static_cast<double>(bytes) / steps.bytesPerSecond + steps.setupSeconds;
    return collectiveSetupCycles + static_cast<std::int64_t>(std::ceil(seconds * target.clockHz));
}

} // namespace tilescope::sim
