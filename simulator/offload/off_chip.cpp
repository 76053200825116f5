#include "simulator/offload/off_chip.h"

#include "simulator/offload/remote.h"

namespace tilescope::sim {

void moveOffChip(Graph& graph, const RunOptions& options) {
    std::vector<RemoteTensor> tensors;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
        const Tensor& t = graph.tensors[TensorId(i)];
        const bool isMoved = (t.state == StateKind::Moment && options.isOffChip(OffChip::Optimizer)) ||
                             (t.state == StateKind::None && options.isOffChip(OffChip::Weights));
        if (t.role == TensorRole::Weight && isMoved && t.elements() >= leastElementsOffChip)
            tensors.push_back({TensorId(i), LoadTime::OnDemand});
    }
    if (!tensors.empty())
        insertRemoteCopies(graph, tensors, {});
}

} // namespace tilescope::sim
