// What is computed beside the profile: values, training, and the files they come from.
#pragma once

#include <cstdint>
#include <string>

#include "core/options/learning_rate_schedule.h"

namespace tilescope {

/// As on the device: half tensors hold halves. Or everything in single precision, to compare with.
enum class Arithmetic { Device, Float };

/// What the profile of a computed run has of its values.
enum class RecordedValues {
    All,    ///< the curve of a training, and statistics of tensors at sampled iterations
    Curves, ///< only the former
    Off,
};

/// What the floating-point units stop at (Poplar's FloatingPointBehaviour: inv, div0, oflo), and
/// what a number becomes that is too large for a half: its largest value, or no number (nanoo).
struct FpExceptions {
    bool invalid = false, division = false, overflow = false, nanOnOverflow = false;
    /// Whether any of them stops the run.
    [[nodiscard]] bool stops() const { return invalid || division || overflow; }
    friend bool operator==(const FpExceptions&, const FpExceptions&) = default;
};

/// All of it is without effect unless `enabled`, or a program computes.
struct ComputeOptions {
    bool enabled = false;
    /// A program that uses the simulator computes and brings the data itself: no option of a run.
    bool byProgram = false;
    std::string inputs;      ///< .npy, .npz, .pb or a folder of them; empty: generated
    std::string saveOutputs; ///< folder for the results, as .npy
    std::string expect;      ///< results to compare with, as `inputs`
    double rtol = 1e-3, atol = 1e-5;
    std::string data;     ///< folder of training data: MNIST's files (IDX)
    std::string evalData; ///< the same to evaluate with; empty: the test files of `data`
    std::int64_t epochs = 1;
    LearningRateSchedule schedule; ///< what RunOptions::learningRate is multiplied with
    std::int64_t seed = 0;         ///< of weights, generated inputs, the order of data, dropout
    std::string saveModel;         ///< .onnx with the weights as they are in the end
    std::string resume;            ///< such a file, whose weights are taken
    Arithmetic arithmetic = Arithmetic::Device;
    RecordedValues values = RecordedValues::All;
    std::int64_t valueSamples = 50;  ///< iterations at most whose tensors are looked at
    bool stochasticRounding = false; ///< of halves, upwards as often as what is rounded off says
    FpExceptions fpExceptions;
    bool automaticLossScaling = false; ///< PopART's: by how many gradients are very large
    friend bool operator==(const ComputeOptions&, const ComputeOptions&) = default;
};

} // namespace tilescope
