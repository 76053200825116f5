// What kernels share during a run.
#pragma once

#include <memory>

#include "core/options/compute_options.h"
#include "simulator/compute/kernels/half_rounding.h"
#include "simulator/compute/kernels/partial_sums.h"
#include "simulator/graph/tensor_data.h"

namespace tilescope::sim {

/// Owns oneDNN's engine and the primitives made so far, by signature. There is one per run; kernels
/// use it one after the other.
class ComputeContext {
public:
    ComputeContext();
    ~ComputeContext();
    ComputeContext(const ComputeContext&) = delete;
    ComputeContext& operator=(const ComputeContext&) = delete;

    /// Declares that these elements never change: weights in inference. Convolutions keep them in
    /// the order that they compute in.
    void keep(const TensorData& fixed);

    HalfRounding rounding;   ///< of values stored as half
    FpExceptions exceptions; ///< that stop the run
    SumOrders sumOrders;     ///< of products in halves

    class Library; ///< oneDNN's part
    [[nodiscard]] Library& library() const { return *library_; }

private:
    std::unique_ptr<Library> library_;
};

} // namespace tilescope::sim
