// Copies of a program, each on its own IPUs, and what they share.
#pragma once

#include <cstdint>

namespace tilescope {

struct ReplicationOptions {
    /// Copies of the graph, each on `target.ipus` IPUs with its own data; the gradients are summed
    /// over them.
    std::int32_t replicas = 1;
    bool replicatedTensorSharding = false; ///< optimizer state is spread over the replicas
    /// Of weights; the state of smaller ones is not spread (popart TensorLocationSettings).
    std::int64_t minElementsForReplicatedTensorSharding = 8192;
    /// Gradients are collected until this many bytes are summed by one all-reduce; 0: each by its
    /// own (TensorFlow's maximum_cross_replica_sum_buffer_size).
    std::int64_t maxCrossReplicaBufferSize = 0;
    /// Neighbouring replicas over whose batches batch normalisations take their statistics in
    /// training (TensorFlow's distributed_batch_norm_replica_group_size).
    std::int32_t distributedBatchNormReplicaGroupSize = 1;
    friend bool operator==(const ReplicationOptions&, const ReplicationOptions&) = default;
};

} // namespace tilescope
