// Transfers with the host by tiles of their own.
#pragma once

#include <vector>

#include "simulator/lowering/operations/lower_op.h"

namespace tilescope::sim {

/// Streams of a model whose data arrive at I/O tiles, or leave from there, and the exchanges
/// between these and the tiles that compute (PopART's HostLoad, IoTileCopy and HostStore). Each
/// tensor has I/O tiles of the IPU that it is on.
///
/// A stream's bytes are on the I/O tiles in the order of the tiles that use them, in even shares,
/// as the host sends and receives them. Each tensor is there twice, as in PopART
/// (popx/op/exchange/exchangex.cpp, HostLoadDescriptorx and HostStoreDescriptorx): the stream's own
/// tensor, and the program's, which is copied from it where a load ends and to it where a store
/// begins. That copy has no time of its own here. The copy to the tiles that compute frees the
/// program's tensor before the next load ends.
class IoTileStreams {
public:
    /// Of all inputs that have a place and all outputs; makes their landing places.
    explicit IoTileStreams(LoweringContext& context);

    // Each adds its programs to the builder's open sequence, for one stage's tensors unless that is
    // -1.
    void load(std::int32_t stage = -1);    ///< from the host to the I/O tiles
    void copyIn(std::int32_t stage = -1);  ///< from there to the tiles that compute
    void copyOut(std::int32_t stage = -1); ///< results to the I/O tiles
    void store(std::int32_t stage = -1);   ///< from there to the host

private:
    struct Landing {
        std::int32_t stage;
        StreamId stream;
        VariableId streamed; ///< on I/O tiles, what the host writes or reads
        VariableId there;    ///< on I/O tiles, the program's
        VariableId here;     ///< on the tiles that compute
    };

    Landing land(const HostStream& stream);
    void transfer(const std::vector<Landing>& tensors, std::int32_t stage);
    void copy(const std::vector<Landing>& tensors, bool in, std::int32_t stage);

    ProgramBuilder& b_;
    std::int32_t firstTile_, tiles_;
    std::vector<Landing> inputs_, outputs_;
};

} // namespace tilescope::sim
