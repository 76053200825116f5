// Tensors that live in streaming memory and are on the chip only while they are needed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/options/memory_options.h"
#include "simulator/graph/graph.h"

namespace tilescope::sim {

/// When a tensor is brought to the chip.
enum class LoadTime : std::uint8_t {
    Preload,  ///< where the execution phase begins that needs it, that is, after the one before
    OnDemand, ///< before the first operation that needs it
};

/// A weight or a state tensor that lives off the chip.
struct RemoteTensor {
    TensorId tensor;
    LoadTime load = LoadTime::Preload;
};

/// When loads and stores happen.
struct RemoteTimes {
    /// A tensor that is needed again within so many execution phases stays on the chip: until the
    /// next turn of the IPUs that hold it. *Assumed*: PopART's rule is not described.
    std::int32_t phasesApart = 1;
    /// All loads of an execution phase before its operations and all stores after them (PopART's
    /// Batch); else tensors that are not preloaded move next to the operation (Interleaving).
    bool batched = false;
};

/// Gives each tensor a row in a remote buffer, tensors of equal kind, shape and type in one, and
/// inserts the transfers: a RemoteLoad before they are needed and a RemoteStore after the last
/// operation that overwrites them (popart transforms/streamingmemory.cpp). A tensor has one place
/// on an IPU, which it takes again with each load. Operands of a weight update (Pass::Update) are
/// loaded on demand. Operations are in the order of their execution phases.
void insertRemoteCopies(Graph& graph, const std::vector<RemoteTensor>& tensors,
                        const RemoteTimes& times);

/// Moves optimizer state and weights off the chip as specified by MemoryOptions::offload,
/// outside of phased execution, which does so by itself: loads before the first operation of the
/// forward pass, of the backward pass and of the weight update that needs them, stores after the
/// update.
void moveOffChip(Graph& graph, const MemoryOptions& options);

/// Smallest tensor that is worth a place off the chip, elements (popart TensorLocationSettings).
inline constexpr std::int64_t leastElementsOffChip = 2;

} // namespace tilescope::sim
