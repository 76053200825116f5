#include "core/options/replication_options.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/options/option_rows.h"

namespace tilescope {
namespace {

constexpr RowsOf replication(OptionTopic::Replicas, &RunOptions::replication);

bool hasSeveral(const RunOptions& options) {
    return options.replication.replicas > 1;
}

bool isPowerOfTwo(std::int64_t number) {
    return (number & (number - 1)) == 0;
}

/// A machine has so many IPUs, and attaches a power of two of them (PopTorch's autoRoundNumIPUs).
void checkReplicas(const RunOptions& options) {
    const Target& target = options.machine.target;
    const std::int32_t replicas = options.replication.replicas;
    const std::int64_t all = std::int64_t{target.ipus} * replicas;
    const std::int64_t most = target.systemIpus > 0 ? target.systemIpus : limits::mostIpus;
    if (all > most)
        throw OptionError(
            "replicas",
            fmt::format("{} replicas of {} IPUs are {} IPUs, but {} has {}; choose "
                        "--replicas {} or fewer{}",
                        replicas, target.ipus, all,
                        target.systemIpus > 0 ? target.description : "the largest machine", most,
                        std::max<std::int64_t>(1, most / target.ipus),
                        target.ipus > most ? fmt::format(" and --ipus {} or fewer", most)
                                           : std::string()));
    if (replicas > 1 && !isPowerOfTwo(all))
        throw OptionError("replicas",
                          fmt::format("{} replicas of {} IPUs are {} IPUs, but a machine attaches "
                                      "a power of two; choose both so that their product is one",
                                      replicas, target.ipus, all));
}

OptionSpec shardingRow() {
    return replication
        .flag("replicatedTensorSharding", &ReplicationOptions::replicatedTensorSharding,
              "spread optimizer state over the replicas, one shard each")
        .knownAs({{Face::PopTorch, "TensorLocationSettings.useReplicatedTensorSharding"},
                  {Face::Keras, "replicated_optimizer_state_sharding"}})
        .needing(hasSeveral,
                 "sharding needs at least two replicas; add --replicas N, or leave it out")
        .needing(hasOptimizerState,
                 "there is no optimizer state to share; add --mode training with --optimizer "
                 "momentum, adam, adamw, lamb or lars, or leave it out");
}

} // namespace

std::vector<OptionSpec> replicationRows() {
    // More than a POD256 has on its chips.
    constexpr double mostBufferBytes = 1e12;
    constexpr double mostElements = 1e12;
    constexpr RowsOf machine(OptionTopic::Machine, &RunOptions::replication);
    return {
        machine
            .integer("replicas", &ReplicationOptions::replicas, {1, limits::mostIpus},
                     "copies of the model, each on --ipus IPUs with its own data")
            .knownAs({{Face::PopTorch, "replicationFactor"}, {Face::Keras, "auto_select_ipus"}})
            .needing([](const RunOptions& options) { return !options.machine.ipuModel; },
                     "the IPU Model has no replicas; leave --ipu-model or --replicas out"),
        shardingRow(),
        replication
            .integer("minElementsForReplicatedTensorSharding",
                     &ReplicationOptions::minElementsForReplicatedTensorSharding, {0, mostElements},
                     "size in elements of the smallest weight whose optimizer state "
                     "--replicated-tensor-sharding spreads")
            .knownAs(
                {{Face::PopTorch, "TensorLocationSettings.minElementsForReplicatedTensorSharding"}})
            .needing(
                [](const RunOptions& options) {
                    return options.replication.replicatedTensorSharding;
                },
                "no state is spread; add --replicated-tensor-sharding, or leave it out"),
        replication
            .integer("maxCrossReplicaBufferSize", &ReplicationOptions::maxCrossReplicaBufferSize,
                     {0, mostBufferBytes},
                     "bytes of gradients that are collected and summed over the replicas together; "
                     "0: each gradient on its own")
            .knownAs({{Face::PopartSession,
                       "replicatedCollectivesSettings.mergeAllReduceCollectives",
                       {{"true", "1000000000000"}, {"false", "0"}}},
                      {Face::Keras, "optimizations.maximum_cross_replica_sum_buffer_size"}})
            .needing(hasSeveral, "a single replica has no gradients to sum with others; add "
                                 "--replicas N, or leave it out")
            .needing([](const RunOptions& options) { return options.isTraining(); },
                     "there are gradients in training only; add --mode training, or leave it out"),
        replication
            .integer("distributedBatchNormReplicaGroupSize",
                     &ReplicationOptions::distributedBatchNormReplicaGroupSize,
                     {1, limits::mostIpus},
                     "number of neighbouring replicas over whose batches batch normalisations take "
                     "their "
                     "statistics in training; 1: each replica over its own")
            .knownAs(
                {{Face::Keras, "norms.experimental.distributed_batch_norm_replica_group_size"}}),
    };
}

void checkReplication(const RunOptions& options) {
    checkReplicas(options);
    const std::int32_t replicas = options.replication.replicas;
    const std::int32_t group = options.replication.distributedBatchNormReplicaGroupSize;
    if (options.isTraining() && replicas > 1 && replicas % group != 0)
        throw OptionError("distributedBatchNormReplicaGroupSize",
                          fmt::format("groups of {} replicas do not make up {} replicas; choose a "
                                      "divisor of {}, or other --replicas",
                                      group, replicas, replicas));
}

} // namespace tilescope
