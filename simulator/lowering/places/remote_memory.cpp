#include "simulator/lowering/places/remote_memory.h"

namespace tilescope::sim {

RemoteRow RemoteMemory::addRows(const Tensor& tensor, std::int64_t rows) {
    const std::pair<std::string, std::string> kind(toString(tensor.type), toString(tensor.shape));
    const auto next = static_cast<std::int32_t>(buffers_.size());
    const auto [at, isNew] = activationBuffers_.try_emplace(kind, next);
    if (isNew)
        buffers_.push_back(
            {"RB_" + std::to_string(next), kind.first, kind.second, 0, tensor.bytes()});
    RemoteBuffer& buffer = buffers_[static_cast<std::size_t>(at->second)];
    const auto first = static_cast<std::int32_t>(buffer.rows);
    buffer.rows += rows;
    return {at->second, first};
}

void RemoteMemory::addCopy(ProgramBuilder& builder, const std::string& kind, const Op& op,
                           const RemoteCopy& copy) {
    const std::size_t children = builder.childCount();
    const bool follows = !groups_.empty() && children > 0 &&
                         builder.childrenFrom(children - 1).front() == groups_.back().sequence &&
                         groups_.back().toDevice == copy.toDevice &&
                         groups_.back().stage == op.stage;
    if (!follows) {
        groups_.push_back(
            {builder.beginSequence(kind), builder.operation(), op.stage, copy.toDevice, {}});
        builder.end();
    }
    groups_.back().copies.push_back(copy);
}

} // namespace tilescope::sim
