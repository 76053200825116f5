// How a model is read.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace tilescope {

enum class Precision { Float, Half };

struct ModelOptions {
    std::optional<Precision> precision; ///< of floating-point tensors; none: as in the model
    /// BatchNormalization of inference is folded into the convolution before it, as PopRT does;
    /// PopART keeps it.
    bool foldBatchNorm = false;
    /// File that declares operations unknown to TileScope; empty: none.
    std::string customOperations;
    /// Sizes and variants of a built-in model, by its own keys ("sequenceLength").
    std::map<std::string, std::string> sizes;
    friend bool operator==(const ModelOptions&, const ModelOptions&) = default;
};

} // namespace tilescope
