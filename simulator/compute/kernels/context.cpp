#include "simulator/compute/kernels/context.h"

#include "simulator/compute/kernels/onednn.h"

namespace tilescope::sim {

ComputeContext::ComputeContext()
    : library_(std::make_unique<Library>()) {}
ComputeContext::~ComputeContext() = default;

void ComputeContext::keep(const TensorData& fixed) {
    library_->keep(fixed);
}

} // namespace tilescope::sim
