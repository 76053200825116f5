// What plans of convolutions and matmuls, and the places of tensors, depend on.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/ids.h"
#include "core/options/model_options.h"

namespace tilescope {

struct PlanningOptions {
    Precision partialsType = Precision::Float; ///< of partial sums
    /// Share of a tile's memory that temporary data of a convolution or matmul may take, 0 to 1.
    double availableMemoryProportion = 0.6;
    /// The same for one IPU ("ipu0=0.3").
    std::map<std::int32_t, double> availableMemoryProportionByIpu;
    /// The same for single operations, by their name or their ONNX node's; has precedence over the
    /// others and over what the model says.
    std::map<std::string, double> availableMemoryProportionByOperation;
    /// Where no plan keeps to the proportion: double it until one does, as PopLibs does since June
    /// 2020 (poplin/ConvPlan.cpp, createPlan), instead of taking the plan of least memory.
    bool relaxMemoryTarget = true;
    /// Inputs, weights and constants lie linearly over the tiles (poputil mapTensorLinearly),
    /// whatever their first user would like.
    bool linearInputs = false;

    [[nodiscard]] double memoryProportion(IpuId ipu) const;
    friend bool operator==(const PlanningOptions&, const PlanningOptions&) = default;
};

} // namespace tilescope
