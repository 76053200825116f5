// Time and code of collectives of a graph's replicas over IPU-Links and GW-Links.
// Rings and phases: Graphcore's GCL user guide; times: the usual model of a ring, see ringSteps().
#pragma once

#include <cstdint>
#include <vector>

#include "core/target/target.h"
#include "simulator/graph/attributes.h"

namespace tilescope::sim {

/// How the replicas of a graph are connected. The IPUs of a replica take part side by side, each
/// with those in its place in the other replicas.
struct ReplicaTopology {
    std::int32_t replicas = 1;
    std::int32_t within = 1;          ///< replicas joined by IPU-Links: one IPU-Link domain
    std::int32_t domains = 1;         ///< joined by GW-Links
    double linkBytesPerSecond = 0;    ///< of a ring, from each IPU to the next
    double gatewayBytesPerSecond = 0; ///< the same between domains
};

/// Domains are filled with whole replicas of `target.ipus` IPUs. A ring of single IPUs runs up one
/// side of the ladder of machines and down the other, both ways round at once. IPUs of larger
/// replicas have rings on the side of the ladder that they are on (rung rings), where the links
/// are shared by half as many rings as a replica has IPUs; such a ring comes back on the same side,
/// so that it has one direction, unless the ladder is closed to a torus, as a whole POD64 is.
ReplicaTopology replicaTopology(const Target& target, std::int32_t replicas);

/// One exchange of a collective, repeated: every replica sends the next one a block of its data.
struct CollectiveSteps {
    enum class Part {
        Reduce,
        Gather,
        Broadcast,
        GatewayReduce,
        GatewayGather,
        GatewayBroadcast,
    };
    Part part = Part::Reduce;
    std::int64_t count = 1;
    std::int64_t blocks = 1; ///< into which the data are cut; a step moves one of them
    std::int64_t copies = 1; ///< a step of a broadcast moves the data of so many others
    double bytesPerSecond = 0;
    double setupSeconds = 0; ///< of each step, besides collectiveSetupCycles

    [[nodiscard]] bool reduces() const {
        return part != Part::Gather && part != Part::GatewayGather;
    }
};

/// Steps of a collective on `bytes` of each replica (of the whole tensor, for a gather): rings of
/// R - 1 steps that move 1/R of the data each, so that an all-reduce takes
/// t = 2 (R - 1) / R * bytes / bandwidth + 2 (R - 1) * (sync + set-up). Several domains: the ring
/// of one domain scatters, rings between domains sum the shards, the ring of one domain gathers.
/// Small data are sent to all others at once (GCL's broadcast), in a domain and then between
/// domains. None for a single replica.
std::vector<CollectiveSteps> collectiveSteps(const ReplicaTopology& topology, CollectiveKind kind,
                                             std::int64_t bytes);

/// Cycles of one step that moves `bytes`, without the sync before it.
std::int64_t collectiveStepCycles(const Target& target, const CollectiveSteps& steps,
                                  std::int64_t bytes);

/// Time to set up a step of a ring, in addition to its sync: *assumed*, no public figure.
inline constexpr std::int64_t collectiveSetupCycles = 200;
/// Time that two racks take to meet and to pass data on from gateway to gateway, in each direction
/// of a collective, whatever the clock and the data. More racks meet in rounds, pairs of pairs.
/// *Assumed*: no public figure. Pinned by Graphcore's MLPerf Training v1.1 row of ResNet-50 on a
/// POD128 (an update of 28.7 ms) beside that on a POD64, which is one rack.
inline constexpr double gatewayMeetingSeconds = 1.9e-3;
/// Global exchange code of one step of a ring on a tile that takes part. Each step sends another
/// block, so that each has code of its own. *Assumed*: no public formula; a published table has
/// about four times the global exchange code for BERT-Large with four replicas instead of one, and
/// its guide says that it grows with the number of replicas.
inline constexpr std::int64_t collectiveStepCodeBytes = 20;
/// Global exchange code of `count` steps on a tile.
std::int64_t collectiveCodeBytes(std::int64_t count);
/// Largest data that are broadcast instead of sent round a ring: *assumed*, GCL's default is not in
/// its guide.
inline constexpr std::int64_t mostBroadcastBytes = 2048;

} // namespace tilescope::sim
