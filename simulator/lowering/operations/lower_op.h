// Parts of the programs of all execution modes.
#pragma once

#include <vector>

#include "simulator/lowering/operations/families.h"

namespace tilescope::sim {

/// Adds the steps of one operation to the builder's open sequence, on the IPU of its stage, and
/// records it in the profile's operations. `again`: groups of operations that are rerun before it.
void lowerOp(LoweringContext& context, OpId id, const std::vector<std::int32_t>& again = {});

/// One global exchange of several copies; none if there are no copies.
void emitIpuCopies(ProgramBuilder& builder, const std::string& name,
                   const std::vector<IpuCopy>& copies);

/// A graph input or output as a stream.
struct HostStream {
    StreamId stream;
    TensorId tensor;
    VariableId variable;
    std::int32_t stage = 0; ///< that reads the input first, or makes the result
};
/// Streams of the graph's inputs, for those that have been laid out; outputs are laid out if need
/// be.
std::vector<HostStream> inputStreams(LoweringContext& context);
std::vector<HostStream> outputStreams(LoweringContext& context);
/// Emits the copies of those streams that belong to the stage; of all for stage -1.
void emitStreams(ProgramBuilder& builder, const std::vector<HostStream>& streams,
                 std::int32_t stage = -1);

/// Fills the sequences of copies with streaming memory, when all tensors have their places, and
/// records the remote buffers.
void emitRemoteCopies(LoweringContext& context);

/// The control programs that bring weights and optimizer state from the host and, after training,
/// back there.
void emitWeightCopies(LoweringContext& context);

} // namespace tilescope::sim
