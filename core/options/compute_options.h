// What is computed in addition to the profile: values, training, and the files they come from.
#pragma once

#include <cstdint>
#include <string>

#include "core/options/learning_rate_schedule.h"

namespace tilescope {

/// As on the device: half tensors hold halves. Or all in single precision, for comparison.
enum class Arithmetic { Device, Float };

/// What the profile of a computed run records of its values.
enum class RecordedValues {
    All,    ///< the curve of a training, and statistics of tensors at sampled iterations
    Curves, ///< only the former
    Off,
};

/// Conditions that stop the floating-point units (Poplar's FloatingPointBehaviour: inv, div0,
/// oflo), and what a number too large for a half becomes: the largest half, or NaN (nanoo).
struct FpExceptions {
    bool invalid = false, division = false, overflow = false, nanOnOverflow = false;
    /// Whether any of them stops the run.
    [[nodiscard]] bool stops() const { return invalid || division || overflow; }
    friend bool operator==(const FpExceptions&, const FpExceptions&) = default;
};

/// Has no effect unless `enabled`, or a program computes.
struct ComputeOptions {
    bool enabled = false;
    /// Set if a program that uses the simulator computes and supplies the data itself; not an
    /// option.
    bool byProgram = false;
    std::string inputs;      ///< .npy, .npz, .pb or a folder of them; empty: generated
    std::string saveOutputs; ///< folder for the results, as .npy
    std::string expect;      ///< results to compare with, as `inputs`
    double rtol = 1e-3, atol = 1e-5;
    std::string data;     ///< folder of training data: MNIST's files (IDX)
    std::string evalData; ///< the same for evaluation; empty: the test files of `data`
    std::int64_t epochs = 1;
    LearningRateSchedule schedule; ///< factor of RunOptions::learningRate
    std::int64_t seed = 0;         ///< of weights, generated inputs, the order of data, dropout
    std::string saveModel;         ///< .onnx with the final weights
    std::string resume;            ///< such a file, from which the weights are taken
    Arithmetic arithmetic = Arithmetic::Device;
    RecordedValues values = RecordedValues::All;
    std::int64_t valueSamples = 50;  ///< the most iterations at which tensors are sampled
    bool stochasticRounding = false; ///< of halves, up with probability equal to the discarded
                                     ///< fraction
    FpExceptions fpExceptions;
    bool automaticLossScaling = false; ///< PopART's: by the number of very large gradients
    friend bool operator==(const ComputeOptions&, const ComputeOptions&) = default;
};

} // namespace tilescope
