// Types that the steps of the import share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "simulator/frontend/onnx_types/custom_operation.h"

namespace tilescope::sim {

/// Names of values.
using NameSet = std::unordered_set<std::string>;

struct ImportOptions {
    /// Value of a symbolic (or zero) batch dimension, and the micro-batch to run with: the first
    /// dimension of every model input becomes this where it was symbolic or where `forceBatch`.
    std::int64_t batchSize = 1;
    /// The user gave a batch size: also replaces a fixed first dimension of the inputs.
    bool forceBatch = false;
    bool half = false; ///< turn float tensors into half (--precision half)
    /// With `half`, double tensors are float, not half: an exporter has traced a model of both
    /// types with the next wider ones.
    bool doublesAreFloats = false;
    /// For training: normalisations keep the statistics of their data and Dropout drops.
    bool training = false;
    /// For inference: a BatchNormalization becomes a part of the convolution before it, as PopRT
    /// does. PopART has no such pattern (willow/src/patterns).
    bool foldBatchNorm = false;
    /// Made by this program: tests run the ONNX checker on it, so that runs need not.
    bool builtIn = false;
    /// Keep the values of weights and constants (Tensor::value), to compute with.
    bool values = false;
    /// With `values`, the seed of the initial values of weights without data; none: such weights
    /// are refused, as the model's data are missing.
    std::optional<std::uint64_t> weightSeed = {};
    CustomOperations customOperations = {}; ///< that the user has declared
    /// Initialisers that are parameters or state according to the exporter: weights, whatever their
    /// size and type.
    NameSet parameters = {};
    friend bool operator==(const ImportOptions&, const ImportOptions&) = default;
};

/// The model's former batch size and its present one.
struct BatchChange {
    std::int64_t before = 1;
    std::int64_t now = 1;
};

} // namespace tilescope::sim
