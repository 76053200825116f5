// How weights are trained.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/options/loss_function.h"
#include "core/options/model_options.h"
#include "core/options/parameter_groups.h"

namespace tilescope {

enum class Optimizer { Sgd, Momentum, Adam, AdamW, Lamb, Lars, Rmsprop };
enum class Reduction { Sum, Mean };

struct TrainingOptions {
    /// Of the gradients of micro-batches; a mean divides once a weight update (PopART: Post).
    Reduction accumulationReduction = Reduction::Sum;
    Precision accumulationType = Precision::Float;   ///< of gradient accumulators
    Precision optimizerStateType = Precision::Float; ///< of momentum and other moments
    double lossScaling = 1; ///< factor of the loss's gradient, which the optimizer divides out
                            ///< again
    LossFunction loss = LossFunction::Automatic; ///< of the model's first output
    /// Output of the model that is the loss itself, a single number; the others are returned as
    /// well.
    std::string lossOutput;
    std::vector<std::string> frozen; ///< weights, or scopes of them, that training does not change
    Optimizer optimizer = Optimizer::Sgd;
    double learningRate = 0.001; ///< PyTorch's default for all its optimizers
    /// Share of a weight that each update subtracts, times the learning rate; none:
    /// weightDecayInForce.
    std::optional<double> weightDecay;
    double momentum = 0.9;               ///< of SGD with momentum, LARS and RMSprop
    double beta1 = 0.9;                  ///< share that Adam's first moment keeps
    double beta2 = 0.999;                ///< share that its second moment keeps, RMSprop's alpha
    double optimizerEpsilon = 1e-8;      ///< added to the root of Adam's second moment
    bool biasCorrection = true;          ///< of the moments of Adam and LAMB, which begin at zero
    std::optional<double> maxWeightNorm; ///< bound of the weight's norm in LAMB's trust ratio
    bool nesterov = false;               ///< momentum's step looks ahead by its velocity
    bool centered = false; ///< RMSprop divides by the gradients' deviation, not by their size
    bool amsgrad = false;  ///< Adam's second moment never shrinks
    /// Bounds of each element of a gradient, of a weight's gradient's norm, and of the norm of all
    /// gradients together.
    std::optional<double> clipValue, clipNorm, globalClipNorm;
    std::vector<ParameterGroup> parameterGroups; ///< weights with their own numbers

    /// PopTorch's defaults: 0.01 with AdamW, none with the others; LARS 0.0005 as published.
    [[nodiscard]] double weightDecayInForce() const;
    friend bool operator==(const TrainingOptions&, const TrainingOptions&) = default;
};

} // namespace tilescope
