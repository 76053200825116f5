// Options for plans of convolutions and matmuls, and for the mapping of tensors to tiles.
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
    /// others and over the model's attribute.
    std::map<std::string, double> availableMemoryProportionByOperation;
    /// If no plan fits the proportion: double it until one does, as PopLibs does since June 2020
    /// (poplin/ConvPlan.cpp, createPlan), instead of taking the plan of least memory.
    bool relaxMemoryTarget = true;
    /// Map inputs, weights and constants linearly to tiles (poputil mapTensorLinearly), regardless
    /// of their first user's preference.
    bool linearInputs = false;

    [[nodiscard]] double memoryProportion(IpuId ipu) const;
    friend bool operator==(const PlanningOptions&, const PlanningOptions&) = default;
};

} // namespace tilescope
