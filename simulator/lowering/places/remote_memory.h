// Rows in streaming memory, and the copies between them and the tiles.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/remote.h"
#include "simulator/graph/graph.h"
#include "simulator/lowering/program/builder.h"

namespace tilescope::sim {

struct RemoteRow {
    std::int32_t buffer = 0, row = 0;
};

/// A copy between a tensor's place and its row in streaming memory.
struct RemoteCopy {
    TensorId tensor;     ///< that the first RemoteLoad made: whose place it is, or
    VariableId variable; ///< that holds it now
    RemoteRow row;
    bool toDevice = true;
};

/// Copies that share a wait, and their sequence.
struct RemoteGroup {
    ProgramId sequence;
    OperationId operation;
    std::int32_t stage = 0;
    bool toDevice = true;
    std::vector<RemoteCopy> copies;
};

class RemoteMemory {
public:
    explicit RemoteMemory(std::vector<RemoteBuffer> buffers)
        : buffers_(std::move(buffers)) {}

    /// The buffers of the graph and those that lowering adds.
    [[nodiscard]] const std::vector<RemoteBuffer>& buffers() const { return buffers_; }
    /// Adds rows of a tensor's size to the buffer of such tensors; returns the first of them.
    RemoteRow addRows(const Tensor& tensor, std::int64_t rows);

    /// The first row of a stash that is off the chip.
    void setRowOf(TensorId stash, RemoteRow row) { stashes_[stash] = row; }
    [[nodiscard]] RemoteRow rowOf(TensorId stash) const { return stashes_.at(stash); }

    /// Records a copy of an operation. Consecutive copies of one direction on one IPU share a Begin
    /// and an End (PopART's MergeExchange), and so a sequence, which is named after the first. It
    /// is filled at the end, as later users decide where tensors are.
    void addCopy(ProgramBuilder& builder, const std::string& kind, const Op& op,
                 const RemoteCopy& copy);
    [[nodiscard]] const std::vector<RemoteGroup>& groups() const { return groups_; }

private:
    std::vector<RemoteBuffer> buffers_;
    /// By type and shape of a row.
    std::map<std::pair<std::string, std::string>, std::int32_t> activationBuffers_;
    std::map<TensorId, RemoteRow> stashes_;
    std::vector<RemoteGroup> groups_;
};

} // namespace tilescope::sim
